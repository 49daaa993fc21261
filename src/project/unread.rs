//! Inputs of an earlier run that no walk finds now: gone, or still there and not read.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt as _;

use camino::Utf8Path;

use super::walk::{Selection, is_left_out};

/// Why the file `inside` of `root` is not read, though it is there or may be; none if it is gone, or left out on purpose.
pub(super) fn why_unread(root: &Utf8Path, inside: &Utf8Path, selection: &Selection) -> Option<String> {
    if !root.is_dir() {
        return why_no_file(root);
    }
    if root.canonicalize_utf8().is_ok_and(|root| is_left_out(&root, &root.join(inside), selection)) {
        return None;
    }
    let mut path = root.to_owned();
    let mut parts = inside.components();
    while let Some(part) = parts.next() {
        let entries = match fs::read_dir(&path) {
            Err(error) => return Some(format!("`{path}` cannot be read: {error}")),
            Ok(entries) => entries,
        };
        let above = path.clone();
        path.push(part);
        let about = match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return may_be(entries, (&above, parts.as_path()), inside.extension());
            }
            Err(error) => return Some(format!("`{path}` cannot be read: {error}")),
            Ok(about) => about,
        };
        if about.is_symlink() {
            return Some(format!("`{path}` is a symbolic link, which is not followed"));
        }
        if !about.is_dir() {
            return why_no_file(&path);
        }
    }
    // A folder has the name now.
    None
}

/// Why something is no file that a walk takes; one that is such a file was not wanted.
fn why_no_file(path: &Utf8Path) -> Option<String> {
    let kind = match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => return Some(format!("`{path}` cannot be read: {error}")),
        Ok(about) if about.is_file() => return None,
        Ok(about) => about.file_type(),
    };
    let what = match () {
        () if kind.is_symlink() => "a symbolic link",
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () => "no regular file",
    };
    Some(format!("`{path}` is {what}"))
}

/// Whether an entry beside may be what is looked for, under a name that cannot be read: a folder that holds the rest of the path,
/// or a file of that kind.
fn may_be(entries: fs::ReadDir, (above, rest): (&Utf8Path, &Utf8Path), extension: Option<&str>) -> Option<String> {
    let mut unnamed = entries.flatten().map(|entry| entry.path()).filter(|path| path.to_str().is_none());
    let found = unnamed.find(|path| {
        let has_rest = || !rest.as_str().is_empty() && path.join(rest).symlink_metadata().is_ok();
        let is_kind = || rest.as_str().is_empty() && path.is_file() && path.extension() == extension.map(AsRef::as_ref);
        has_rest() || is_kind()
    })?;
    Some(format!("it may be `{}` in `{above}`, whose name is not UTF-8", found.file_name()?.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use camino::Utf8PathBuf;

    #[test]
    fn what_is_gone_is_told_from_what_cannot_be_read() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt as _;
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        for path in ["a.cu", "d/b.cu", "plain", "named/c.cu"] {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), "").unwrap();
        }
        std::os::unix::fs::symlink("a.cu", root.join("link.cu")).unwrap();
        std::os::unix::fs::symlink("d", root.join("linked")).unwrap();
        let selection = Selection::new(&[], &["off".to_owned()]).unwrap();
        let why = |inside: &str| why_unread(&root, inside.into(), &selection).unwrap_or_default();
        // Files that were not wanted, that are gone, and whose name is that of a folder, or of whose folder is that of a file.
        for inside in ["a.cu", "gone.cu", "gone/b.cu", "d", "plain/x.cu", "off", "off/b.cu"] {
            assert_eq!(why(inside), "", "{inside}");
        }
        assert!(why("link.cu").ends_with("link.cu` is a symbolic link, which is not followed"));
        assert!(why("linked/b.cu").ends_with("linked` is a symbolic link, which is not followed"));
        fs::rename(root.join("a.cu"), root.as_std_path().join(OsStr::from_bytes(b"a\xff.cu"))).unwrap();
        fs::rename(root.join("named"), root.as_std_path().join(OsStr::from_bytes(b"n\xff"))).unwrap();
        for inside in ["a.cu", "named/c.cu"] {
            assert!(why(inside).ends_with("whose name is not UTF-8"), "{inside}: {}", why(inside));
        }
        assert_eq!((why("a.h"), why("named/d.cu")), (String::new(), String::new()));
    }
}
