//! The content of files as the next commit will hold it, read from git's index.

use camino::{Utf8Path, Utf8PathBuf};

use super::git::{Git, GitError, pathspecs};
use super::walk::Selection;

/// A file of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staged {
    /// Its path, from the current directory on if it lies below.
    pub path: Utf8PathBuf,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The files below `paths` whose staged content differs from the last commit. Files that `paths`
/// name are taken whatever their extension.
pub fn staged(paths: &[Utf8PathBuf], selection: &Selection) -> Result<Vec<Staged>, GitError> {
    let git = Git::at(paths.first().map_or(Utf8Path::new("."), |path| path.as_path()));
    let top = git.top()?;
    let specs = pathspecs(paths);
    let mut diff = vec![
        "diff",
        "--cached",
        "--raw",
        "-z",
        "--no-abbrev",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--no-relative",
        "--diff-filter=ACMT",
        "--",
    ];
    diff.extend(specs.iter().map(String::as_str));
    let mut wanted = Vec::new();
    for (path, object) in read_raw(&git.run(&diff)?) {
        let full = top.join(&path);
        let shown = shown(&full);
        let is_named = paths.contains(&shown) || specs.iter().any(|spec| *spec == full);
        if is_named || selection.accepts(Utf8Path::new(&path)) {
            wanted.push((shown, object));
        }
    }
    let names: String = wanted.iter().flat_map(|(_, object)| [object.as_str(), "\n"]).collect();
    let contents = read_batch(&git.run_with_input(&["cat-file", "--batch"], names.as_bytes())?, wanted.len());
    Ok(wanted.into_iter().zip(contents).map(|((path, _), bytes)| Staged { path, bytes }).collect())
}

/// All files of the repository of `paths` that git knows and `selection` wants.
pub fn tracked(paths: &[Utf8PathBuf], selection: &Selection) -> Result<Vec<Utf8PathBuf>, GitError> {
    let git = Git::at(paths.first().map_or(Utf8Path::new("."), |path| path.as_path()));
    let top = git.top()?;
    let listed = git.run(&["ls-files", "-z", "--full-name", "--", top.as_str()])?;
    let listed = String::from_utf8_lossy(&listed);
    let names = listed.split('\0').filter(|name| !name.is_empty() && selection.accepts(Utf8Path::new(name)));
    Ok(names.map(|name| shown(&top.join(name))).collect())
}

/// Paths and object names of regular files in the output of `diff --raw -z`.
fn read_raw(raw: &[u8]) -> Vec<(String, String)> {
    let raw = String::from_utf8_lossy(raw);
    let mut parts = raw.split('\0');
    let mut files = Vec::new();
    while let (Some(head), Some(path)) = (parts.next(), parts.next()) {
        // `:OLDMODE NEWMODE OLDOBJECT NEWOBJECT STATUS`
        let mut words = head.split(' ').skip(1);
        let (mode, object) = (words.next(), words.nth(1));
        if let (Some("100644" | "100755"), Some(object)) = (mode, object) {
            files.push((path.to_owned(), object.to_owned()));
        }
    }
    files
}

/// The contents in the output of `cat-file --batch`: `OBJECT blob SIZE`, a line end, the bytes, a line end.
fn read_batch(mut output: &[u8], count: usize) -> Vec<Vec<u8>> {
    let mut contents = Vec::with_capacity(count);
    while let Some(end) = memchr::memchr(b'\n', output) {
        let head = String::from_utf8_lossy(&output[..end]);
        let size: usize = head.rsplit(' ').next().and_then(|size| size.parse().ok()).unwrap_or(0);
        let Some(bytes) = output.get(end + 1..end + 1 + size) else { break };
        contents.push(bytes.to_vec());
        output = output.get(end + 2 + size..).unwrap_or_default();
    }
    contents
}

/// A path as people are shown it: from the current directory on if it lies below.
pub(super) fn shown(full: &Utf8Path) -> Utf8PathBuf {
    let here = Utf8Path::new(".").canonicalize_utf8();
    let below = here.ok().and_then(|here| full.strip_prefix(here).ok().map(Utf8Path::to_owned));
    match below {
        Some(here) if here.as_str().is_empty() => ".".into(),
        Some(below) => below,
        None => full.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_told_apart_by_their_size() {
        let output = b"aa blob 5\nx\ny\n\n\nbb blob 0\n\ncc blob 1\nz\n";
        assert_eq!(read_batch(output, 3), [b"x\ny\n\n".to_vec(), b"".to_vec(), b"z".to_vec()]);
    }

    #[test]
    fn links_and_modules_are_left_out() {
        let raw = b":100644 100644 a1 b1 M\0a.cu\0:000000 160000 0 b2 A\0module\0:000000 120000 0 b3 A\0link\0";
        assert_eq!(read_raw(raw), [("a.cu".to_owned(), "b1".to_owned())]);
    }
}
