//! Writes all files of a run or none.
//!
//! Each file is first written beside its place under a temporary name. Only when all are there,
//! they are renamed into place; should a rename fail, the files replaced so far are put back.
//! With a journal this holds, too, if the process is killed, and the run can be undone. Each change of the
//! disk goes through the `door`.

use std::fs::Permissions;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::source::DigestWriter;
use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempPath;

use super::door::{Doors, Place, plain_permissions};
use super::home::Home;
use super::interrupt::{Placing, Writing, create_waiting};
use super::journal::{Change, JournalError, NEXT, lock};
use super::one_name::InPlace;
use super::recover::{Recovered, recover, touch};
use super::run_journal::RunJournal;
use super::staged::shown;
use super::step::step;

/// A write that failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {source}; {}", if *.restored { "no file was changed" } else { CUT_OFF })]
pub struct WriteError {
    /// The file.
    pub path: Utf8PathBuf,
    /// What the system says.
    pub source: io::Error,
    /// Whether all files are what they were.
    pub restored: bool,
}

const CUT_OFF: &str =
    "some files were changed, and could not be put back; `hipshift undo` does it once the disk allows";

impl WriteError {
    /// Nothing was changed.
    pub(super) fn new(path: &Utf8Path, source: io::Error) -> WriteError {
        WriteError { path: path.to_owned(), source, restored: true }
    }
}

const NO_FILE: &str = "it is no regular file";

/// Whether a device, pipe or socket has a name.
fn is_stream(path: &Utf8Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| !(found.is_file() || found.is_dir() || found.is_symlink()))
}

fn fill(stream: std::fs::File, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(stream);
    write(&mut out)?;
    out.flush()
}

/// Files that wait to be put in place. Dropping it without [`Staging::commit`] leaves no trace; without
/// a journal, directories that it made excepted.
#[derive(Debug, Default)]
pub struct Staging {
    /// Where anything may be written at all.
    doors: Doors,
    files: Mutex<Vec<Staged>>,
    /// Directories to be removed if they are empty then.
    leaves: Mutex<Vec<Utf8PathBuf>>,
    journal: Option<RunJournal>,
    writing: OnceLock<Writing>,
}

#[derive(Debug)]
pub(super) struct Staged {
    pub(super) target: Place,
    /// The new content; `None` removes the target.
    pub(super) content: Option<Content>,
}

#[derive(Debug)]
pub(super) struct Content {
    pub(super) temporary: Place,
    /// Removes the temporary file if it is dropped.
    pub(super) guard: TempPath,
    /// Empty without a journal.
    pub(super) digest: String,
}

impl Staged {
    /// What the journal says of it.
    pub(super) fn change(&self) -> Change<'_> {
        let new = self.content.as_ref().map(|content| (&content.temporary, content.digest.as_str()));
        Change { target: &self.target, new }
    }
}

impl Staging {
    /// For a run that cannot be undone.
    pub fn to(doors: Doors) -> Staging {
        Staging { doors, ..Staging::default() }
    }

    /// For a run that can be undone, and that a kill leaves done or not begun; `command` is shown to
    /// people later. A run that was cut off earlier is finished or taken back first.
    pub fn journaled(home: Home, doors: Doors, command: &str) -> Result<(Staging, Option<Recovered>), JournalError> {
        let (mut held, mut recovered) = (None, None);
        let doors = doors.and(home.root());
        let home = home.covering(&doors);
        if home.journal(NEXT).map_err(JournalError::Folder)?.exists() {
            held = Some(lock(&home)?);
            recovered = recover(&home)?;
        }
        Ok((Staging { doors, ..Staging::held(home, command, held) }, recovered))
    }

    /// The same for a caller who holds the lock.
    pub(super) fn held(home: Home, command: &str, held: Option<std::fs::File>) -> Staging {
        let doors = Doors::named([home.root()]);
        Staging { doors, journal: Some(RunJournal::new(home, command, held)), ..Staging::default() }
    }

    /// Writes `bytes` beside `target`. Permissions are those of `like`, if it exists.
    pub fn write(&self, target: &Utf8Path, bytes: &[u8], like: &Utf8Path) -> Result<(), WriteError> {
        self.write_with(target, like, |out| out.write_all(bytes))
    }

    /// Writes what `write` writes beside `target`. Permissions are those of `like`, if it exists. A device or pipe that the user named,
    /// such as `/dev/null`, gets it at once: nothing takes its place.
    pub fn write_with(
        &self,
        target: &Utf8Path,
        like: &Utf8Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), WriteError> {
        let failed = |source| WriteError::new(target, source);
        let place = self.doors.of_content(target).map_err(failed)?;
        if is_stream(&place.path()) {
            let stream = if self.doors.names(target) { place.open_stream() } else { Err(io::Error::other(NO_FILE)) };
            return stream.and_then(|stream| fill(stream, write)).map_err(failed);
        }
        let staged = self.make_room(&place).and_then(|()| self.write_beside(&place, like, write));
        let content = staged.map_err(failed)?;
        self.push(Staged { target: place, content: Some(content) });
        Ok(())
    }

    /// Has the file at `kept`, whose content has `digest`, come back to `target`.
    pub(super) fn restore(&self, target: Place, kept: &Utf8Path, digest: &str) -> Result<(), WriteError> {
        let staged = self.make_room(&target).and_then(|()| self.link_beside(&target, kept));
        let (temporary, guard) = staged.map_err(|source| WriteError::new(&target.path(), source))?;
        self.push(Staged { target, content: Some(Content { temporary, guard, digest: digest.to_owned() }) });
        Ok(())
    }

    /// Notes that `target` is to be removed.
    pub fn remove(&self, target: &Utf8Path) -> Result<(), WriteError> {
        let place = self.doors.of_name(target).map_err(|source| WriteError::new(target, source))?;
        self.push(Staged { target: place, content: None });
        Ok(())
    }

    /// Notes that `target` is to be removed, if it exists.
    pub(super) fn remove_if_there(&self, target: &Utf8Path) -> Result<(), WriteError> {
        if target.symlink_metadata().is_ok() { self.remove(target) } else { Ok(()) }
    }

    /// Notes that the directory `target` is to be removed if it is empty then.
    pub(super) fn remove_directory(&self, target: &Utf8Path) {
        self.leaves.lock().unwrap_or_else(PoisonError::into_inner).push(target.to_owned());
    }

    fn push(&self, staged: Staged) {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).push(staged);
    }

    /// Makes the directory of `target`.
    fn make_room(&self, target: &Place) -> io::Result<()> {
        self.writing.get_or_init(Writing::begin);
        let directory = target.directory();
        match &self.journal {
            Some(journal) => journal.make(&directory)?,
            None => make_all(target)?,
        }
        let path = target.path();
        if path.is_dir() && !path.is_symlink() {
            return Err(io::Error::other("there is a directory of that name"));
        }
        Ok(())
    }

    fn write_beside(
        &self,
        target: &Place,
        like: &Utf8Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Content> {
        let create = |path: &std::path::Path| {
            let place = temporary(target, path)?;
            self.note(&place)?;
            step()?;
            create_waiting(&place)
        };
        let file = tempfile::Builder::new().prefix(".hipshift-").make_in(target.directory(), create)?;
        let temporary = temporary(target, file.path())?;
        step()?;
        let mut out = DigestWriter::new(BufWriter::new(file), self.journal.is_some());
        write(&mut out)?;
        let (out, digest) = out.finish();
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        if target.path().exists() {
            // After a power cut the new name must not lead to missing content in place of the old.
            step()?;
            file.as_file().sync_data()?;
        }
        file.as_file().set_permissions(
            std::fs::metadata(like).map_or_else(|_| default_permissions(), |like| plain_permissions(&like)),
        )?;
        Ok(Content { temporary, guard: file.into_temp_path(), digest })
    }

    fn link_beside(&self, target: &Place, kept: &Utf8Path) -> io::Result<(Place, TempPath)> {
        let link = |path: &std::path::Path| {
            let place = temporary(target, path)?;
            self.note(&place)?;
            step()?;
            place.bring_back(kept)?;
            touch(&place.path());
            Ok(())
        };
        let linked = tempfile::Builder::new().prefix(".hipshift-").make_in(target.directory(), link)?;
        Ok((temporary(target, linked.path())?, linked.into_temp_path()))
    }

    fn note(&self, place: &Place) -> io::Result<()> {
        self.journal.as_ref().map_or(Ok(()), |journal| journal.note(place))
    }

    /// Files that are there with another content, and that are written over.
    pub fn replaced(&self) -> Vec<Utf8PathBuf> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let is_other = |staged: &&Staged| {
            let now = std::fs::read(staged.target.path());
            let new = staged.content.as_ref().map(|content| std::fs::read(&content.guard));
            now.is_ok_and(|now| new.is_some_and(|new| new.is_ok_and(|new| new != now)))
        };
        let mut replaced: Vec<Utf8PathBuf> =
            files.iter().filter(is_other).map(|staged| shown(&staged.target.path())).collect();
        replaced.sort();
        replaced
    }

    /// Puts all files in place and returns how many.
    pub fn commit(self) -> Result<usize, WriteError> {
        let _placing = Placing::begin();
        let mut files = self.files.into_inner().unwrap_or_else(PoisonError::into_inner);
        files.sort_by(|a, b| a.target.cmp(&b.target));
        match self.journal {
            Some(journal) => journal.commit(files, &self.leaves.into_inner().unwrap_or_else(PoisonError::into_inner)),
            None => commit_unjournaled(files),
        }
    }
}

fn commit_unjournaled(files: Vec<Staged>) -> Result<usize, WriteError> {
    let count = files.len();
    let (mut done, mut placed): (Vec<Replaced>, _) = (Vec::new(), InPlace::default());
    let were_there: Vec<bool> = files.iter().map(|staged| staged.target.path().symlink_metadata().is_ok()).collect();
    for (staged, was_there) in files.into_iter().zip(were_there) {
        let target = staged.target.path();
        match placed.refuse(&target, was_there).and_then(|()| replace(staged)) {
            Ok(replaced) => {
                placed.note(&target);
                done.push(replaced);
            }
            Err(source) => {
                done.into_iter().rev().for_each(Replaced::put_back);
                return Err(WriteError::new(&target, source));
            }
        }
    }
    Ok(count)
}

/// The place of a temporary file beside `target`.
fn temporary(target: &Place, path: &std::path::Path) -> io::Result<Place> {
    let name = path.file_name().and_then(|name| name.to_str());
    target.beside(name.ok_or(io::ErrorKind::InvalidFilename)?)
}

/// Makes the directory of `target`, and those above it that are missing.
fn make_all(target: &Place) -> io::Result<()> {
    let directory = target.directory();
    let missing: Vec<&Utf8Path> = directory.ancestors().take_while(|path| !path.exists()).collect();
    for path in missing.into_iter().rev() {
        match target.on_the_way(path)?.make_directory() {
            // Another thread was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made?,
        }
    }
    Ok(())
}

/// Temporary files are private; a new file is readable for all, as other tools create it.
fn default_permissions() -> Permissions {
    Permissions::from_mode(0o644)
}

/// A target with what stood there before.
struct Replaced {
    target: Place,
    before: Option<(Place, TempPath)>,
}

impl Replaced {
    fn put_back(self) {
        // The error that led here is the one to report; a second one cannot be helped.
        let _ = match self.before {
            Some((before, _guard)) => before.rename_to(&self.target),
            None => self.target.remove_file(),
        };
    }
}

fn replace(Staged { target, content }: Staged) -> io::Result<Replaced> {
    let before = match std::fs::symlink_metadata(target.path()) {
        Ok(_) => Some(back_up(&target)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    match content {
        Some(content) => {
            content.temporary.rename_to(&target)?;
            let _ = content.guard.keep();
        }
        None => target.remove_file()?,
    }
    Ok(Replaced { target, before })
}

/// A second name for the old content, or a copy where the file system has no hard links.
fn back_up(target: &Place) -> io::Result<(Place, TempPath)> {
    let link = |path: &std::path::Path| target.link_to(&temporary(target, path)?);
    let backup = tempfile::Builder::new().prefix(".hipshift-").make_in(target.directory(), link)?;
    Ok((temporary(target, backup.path())?, backup.into_temp_path()))
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
        let staging = Staging::to(Doors::named([&*folder]));
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
        let staging = Staging::to(Doors::named([&*folder]));
        staging.write(&old, b"3", &old).unwrap();
        staging.write(&new, b"4", &new).unwrap();
        staging.remove(&gone).unwrap();
        assert_eq!(staging.commit().unwrap(), 3);
        assert_eq!(std::fs::read(&old).unwrap(), b"3");
        assert_eq!(names(&folder), ["new", "old"]);
    }

    #[test]
    fn a_link_that_was_named_stays_a_link() {
        let (_guard, folder) = folder();
        let (file, link) = (folder.join("file"), folder.join("link"));
        std::fs::write(&file, "1").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        let staging = Staging::to(Doors::named([&*link]));
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
        let staging = Staging::to(Doors::named([&*folder]));
        staging.write(&a, b"2", &a).unwrap();
        staging.write(&b, b"3", &b).unwrap();
        std::fs::create_dir(&b).unwrap();
        std::fs::write(b.join("in the way"), "").unwrap();
        assert_eq!(staging.commit().unwrap_err().path, b);
        assert_eq!(std::fs::read(&a).unwrap(), b"1");
        assert_eq!(names(&folder), ["a", "b"]);
    }
}
