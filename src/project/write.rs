//! Writes all files of a run or none.
//!
//! Each file is first written beside its place under a temporary name. Only when all are there,
//! they are renamed into place; should a rename fail, the files replaced so far are put back.

use std::io::{BufWriter, Write};
use std::sync::Mutex;

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::{NamedTempFile, TempPath};

/// A write that failed. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {source}; no file was changed")]
pub struct WriteError {
    /// The file.
    pub path: Utf8PathBuf,
    /// What the system says.
    pub source: std::io::Error,
}

/// Files that wait to be put in place. Dropping it without [`Staging::commit`] leaves no trace,
/// directories that it made excepted.
#[derive(Debug, Default)]
pub struct Staging {
    files: Mutex<Vec<Staged>>,
}

#[derive(Debug)]
struct Staged {
    target: Utf8PathBuf,
    /// The new content; `None` removes the target.
    content: Option<TempPath>,
}

impl Staging {
    /// Writes `bytes` beside `target`. Permissions are those of `like`, if it exists.
    pub fn write(&self, target: &Utf8Path, bytes: &[u8], like: &Utf8Path) -> Result<(), WriteError> {
        self.write_with(target, like, |out| out.write_all(bytes))
    }

    /// Writes what `write` writes beside `target`. Permissions are those of `like`, if it exists.
    pub fn write_with(
        &self,
        target: &Utf8Path,
        like: &Utf8Path,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), WriteError> {
        // A link stays a link: the file that it leads to is replaced.
        let target = if target.is_symlink() { target.canonicalize_utf8() } else { Ok(target.to_owned()) };
        let target = target.map_err(|source| WriteError { path: like.to_owned(), source })?;
        match write_beside(&target, like, write) {
            Ok(temporary) => {
                self.push(Staged { target, content: Some(temporary) });
                Ok(())
            }
            Err(source) => Err(WriteError { path: target, source }),
        }
    }

    /// Notes that `target` is to be removed.
    pub fn remove(&self, target: &Utf8Path) {
        self.push(Staged { target: target.to_owned(), content: None });
    }

    fn push(&self, staged: Staged) {
        self.files.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(staged);
    }

    /// Puts all files in place and returns how many.
    pub fn commit(self) -> Result<usize, WriteError> {
        let mut files = self.files.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        files.sort_by(|a, b| a.target.cmp(&b.target));
        let count = files.len();
        let mut done: Vec<Replaced> = Vec::new();
        for staged in files {
            let target = staged.target.clone();
            match replace(staged) {
                Ok(replaced) => done.push(replaced),
                Err(source) => {
                    done.into_iter().rev().for_each(Replaced::put_back);
                    return Err(WriteError { path: target, source });
                }
            }
        }
        Ok(count)
    }
}

fn write_beside(
    target: &Utf8Path,
    like: &Utf8Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<TempPath> {
    let directory = directory_of(target);
    std::fs::create_dir_all(directory)?;
    if target.is_dir() {
        return Err(std::io::Error::other("there is a directory of that name"));
    }
    let file = NamedTempFile::with_prefix_in(".hipshift-", directory)?;
    let mut out = BufWriter::new(file);
    write(&mut out)?;
    let file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    if target.exists() {
        // After a power cut the new name must not lead to missing content in place of the old.
        file.as_file().sync_data()?;
    }
    let permissions = std::fs::metadata(like).map(|metadata| metadata.permissions()).ok();
    if let Some(permissions) = permissions.or_else(default_permissions) {
        std::fs::set_permissions(file.path(), permissions)?;
    }
    Ok(file.into_temp_path())
}

/// Temporary files are private; a new file is readable for all, as other tools create it.
fn default_permissions() -> Option<std::fs::Permissions> {
    #[cfg(unix)]
    let permissions = Some(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    #[cfg(not(unix))]
    let permissions = None;
    permissions
}

fn directory_of(target: &Utf8Path) -> &Utf8Path {
    target.parent().filter(|parent| !parent.as_str().is_empty()).unwrap_or(Utf8Path::new("."))
}

/// A target with what stood there before.
struct Replaced {
    target: Utf8PathBuf,
    before: Option<TempPath>,
}

impl Replaced {
    fn put_back(self) {
        // The error that led here is the one to report; a second one cannot be helped.
        let _ = match self.before {
            Some(before) => before.persist(&self.target).map_err(|error| error.error),
            None => std::fs::remove_file(&self.target),
        };
    }
}

fn replace(staged: Staged) -> std::io::Result<Replaced> {
    let before = match std::fs::symlink_metadata(&staged.target) {
        Ok(_) => Some(back_up(&staged.target)?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    match staged.content {
        Some(content) => content.persist(&staged.target).map_err(|error| error.error)?,
        None => std::fs::remove_file(&staged.target)?,
    }
    Ok(Replaced { target: staged.target, before })
}

/// A second name for the old content, or a copy where the file system has no hard links.
fn back_up(target: &Utf8Path) -> std::io::Result<TempPath> {
    let backup = NamedTempFile::with_prefix_in(".hipshift-", directory_of(target))?.into_temp_path();
    std::fs::remove_file(&backup)?;
    std::fs::hard_link(target, &backup).or_else(|_| std::fs::copy(target, &backup).map(drop))?;
    Ok(backup)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        (folder, path)
    }

    fn names(folder: &Utf8Path) -> Vec<String> {
        let mut names: Vec<_> =
            folder.read_dir_utf8().unwrap().map(|entry| entry.unwrap().file_name().to_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_appears_before_the_commit() {
        let (_guard, folder) = folder();
        let target = folder.join("sub/a.cu");
        let staging = Staging::default();
        staging.write(&target, b"x", &target).unwrap();
        assert!(!target.exists());
        drop(staging);
        assert_eq!(names(&folder.join("sub")), Vec::<String>::new());
    }

    #[test]
    fn a_commit_replaces_writes_and_removes() {
        let (_guard, folder) = folder();
        let (old, new, gone) = (folder.join("old"), folder.join("new"), folder.join("gone"));
        std::fs::write(&old, "1").unwrap();
        std::fs::write(&gone, "2").unwrap();
        let staging = Staging::default();
        staging.write(&old, b"3", &old).unwrap();
        staging.write(&new, b"4", &new).unwrap();
        staging.remove(&gone);
        assert_eq!(staging.commit().unwrap(), 3);
        assert_eq!(std::fs::read(&old).unwrap(), b"3");
        assert_eq!(names(&folder), ["new", "old"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let (_guard, folder) = folder();
        let (file, link) = (folder.join("file"), folder.join("link"));
        std::fs::write(&file, "1").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        let staging = Staging::default();
        staging.write(&link, b"2", &link).unwrap();
        staging.commit().unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"2");
    }

    #[test]
    fn a_failed_commit_puts_everything_back() {
        let (_guard, folder) = folder();
        let (a, b) = (folder.join("a"), folder.join("b"));
        std::fs::write(&a, "1").unwrap();
        let staging = Staging::default();
        staging.write(&a, b"2", &a).unwrap();
        staging.write(&b, b"3", &b).unwrap();
        std::fs::create_dir(&b).unwrap();
        std::fs::write(b.join("in the way"), "").unwrap();
        assert_eq!(staging.commit().unwrap_err().path, b);
        assert_eq!(std::fs::read(&a).unwrap(), b"1");
        assert_eq!(names(&folder), ["a", "b"]);
    }
}
