//! Finishes a run that counts, and takes back one that does not. Both can be cut off and started again.
//!
//! Whether a file has its new content is seen from its temporary file: the rename that puts it in
//! place takes that away. Whether it got its old content back is seen from the old content in the
//! journal in the same way.

use std::fs::File;
use std::io;
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempPath;

use super::digest::digest_of;
use super::home::Home;
use super::journal::{
    Entry, JournalError, NEXT, Record, finish, noted_paths, old_of, remove_tree, sweep, sync_directory,
};
use super::step::step;

/// What became of a run that was cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recovered {
    /// It changed nothing.
    TakenBack {
        /// What it was started with, if it came so far as to note that.
        command: Option<String>,
    },
    /// All its changes are in place.
    Finished {
        /// What it was started with.
        command: String,
    },
}

/// Finishes a run that was cut off if it counts and all that it wrote is whole, else takes it back. The
/// caller holds the lock.
pub(super) fn recover(home: &Home) -> Result<Option<Recovered>, JournalError> {
    sweep(home).map_err(JournalError::at(home.root()))?;
    if !home.state(NEXT).exists() {
        return Ok(None);
    }
    let Some(record) = Record::read(home, NEXT)? else { return drop_unrecorded(home).map(Some) };
    if goes_back(home) || !is_whole(home, &record) {
        return take_back(home, &record, false).map(Some);
    }
    refuse_edited(home, &record, &edited_before(home, &record))?;
    forward(home, &record).map_err(|(path, source)| JournalError::Io { path, source })?;
    finish(home).map_err(JournalError::at(&home.state(NEXT)))?;
    Ok(Some(Recovered::Finished { command: record.command }))
}

/// Takes a run back that was cut off, whether it counts or not. With `force` files lose what was
/// written to them since.
pub(super) fn recover_back(home: &Home, force: bool) -> Result<Option<Recovered>, JournalError> {
    sweep(home).map_err(JournalError::at(home.root()))?;
    if !home.state(NEXT).exists() {
        return Ok(None);
    }
    match Record::read(home, NEXT)? {
        Some(record) => take_back(home, &record, force).map(Some),
        None => drop_unrecorded(home).map(Some),
    }
}

/// Puts all new contents in place that are not there yet.
pub(super) fn forward(home: &Home, record: &Record) -> Result<(), (Utf8PathBuf, io::Error)> {
    for entry in &record.entries {
        let target = home.path(&entry.path);
        let moved = match &entry.new {
            Some(new) => step().and_then(|()| pass_missing(std::fs::rename(home.path(&new.temporary), &target))),
            None if is_done(home, entry) => Ok(()),
            None => step().and_then(|()| std::fs::remove_file(&target)),
        };
        moved.map_err(|source| (target, source))?;
    }
    for directory in &record.leaves {
        // Whatever somebody else put there stays.
        let _ = step().and_then(|()| std::fs::remove_dir(home.path(directory)));
    }
    sync_parents(home, record);
    Ok(())
}

/// Directories in which files were replaced: their names must outlive a power cut before the journal
/// forgets the old ones.
fn sync_parents(home: &Home, record: &Record) {
    let replaced = record.entries.iter().filter(|entry| entry.old.is_some());
    let mut parents: Vec<Utf8PathBuf> =
        replaced.filter_map(|entry| Some(home.path(&entry.path).parent()?.to_owned())).collect();
    parents.sort();
    parents.dedup();
    for parent in &parents {
        sync_directory(parent);
    }
}

/// What a run without a record made is removed; it changed no file.
pub(super) fn drop_unrecorded(home: &Home) -> Result<Recovered, JournalError> {
    for path in noted_paths(home).iter().rev() {
        // A note is written before its file or directory is made, and a directory may be in use.
        let _ = if path.is_dir() { std::fs::remove_dir(path) } else { std::fs::remove_file(path) };
    }
    remove_tree(&home.state(NEXT)).map_err(JournalError::at(&home.state(NEXT)))?;
    Ok(Recovered::TakenBack { command: None })
}

/// Puts everything back that a run changed so far.
pub(super) fn take_back(home: &Home, record: &Record, force: bool) -> Result<Recovered, JournalError> {
    if !force {
        refuse_edited(home, record, &edited_after(home, record))?;
    }
    go_back(home).map_err(JournalError::at(&home.state(NEXT)))?;
    for (number, entry) in record.entries.iter().enumerate().rev() {
        let target = home.path(&entry.path);
        put_back(home, number, entry, &target).map_err(JournalError::at(&target))?;
    }
    let temporaries = record.entries.iter().filter_map(|entry| entry.new.as_ref());
    for new in temporaries {
        let path = home.path(&new.temporary);
        pass_missing(std::fs::remove_file(&path)).map_err(JournalError::at(&path))?;
    }
    for directory in record.made.iter().rev() {
        let _ = std::fs::remove_dir(home.path(directory));
    }
    sync_parents(home, record);
    remove_tree(&home.state(NEXT)).map_err(JournalError::at(&home.state(NEXT)))?;
    Ok(Recovered::TakenBack { command: Some(record.command.clone()) })
}

fn put_back(home: &Home, number: usize, entry: &Entry, target: &Utf8Path) -> io::Result<()> {
    if !is_done(home, entry) {
        return Ok(());
    }
    let old = old_of(home, NEXT, number);
    step()?;
    match &entry.old {
        Some(_) if old.symlink_metadata().is_ok() => {
            touch(&old);
            move_to(&old, target)
        }
        // It is back already.
        Some(_) => Ok(()),
        None => pass_missing(std::fs::remove_file(target)),
    }
}

/// Build programs go by times: a file that comes back is newer than what was built from the other one.
pub(super) fn touch(path: &Utf8Path) {
    if path.is_file() && !path.is_symlink() {
        let _ = File::open(path).and_then(|file| file.set_modified(SystemTime::now()));
    }
}

/// A rename; where the two lie on different file systems, a copy that is renamed.
fn move_to(from: &Utf8Path, to: &Utf8Path) -> io::Result<()> {
    if std::fs::rename(from, to).is_ok() {
        return Ok(());
    }
    let beside = to.parent().unwrap_or(Utf8Path::new("."));
    let copy: TempPath = tempfile::NamedTempFile::with_prefix_in(".hipshift-", beside)?.into_temp_path();
    std::fs::copy(from, &copy)?;
    copy.persist(to).map_err(|error| error.error)?;
    std::fs::remove_file(from)
}

fn pass_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Exists as soon as a recorded run is being taken back.
fn going_back(home: &Home) -> Utf8PathBuf {
    home.state(NEXT).join("back")
}

fn goes_back(home: &Home) -> bool {
    going_back(home).exists()
}

/// Says so. The disk may be full, so the notes, which nobody needs any more, get another name.
fn go_back(home: &Home) -> io::Result<()> {
    if !goes_back(home) {
        std::fs::rename(home.state(NEXT).join("notes"), going_back(home))?;
        sync_directory(&home.state(NEXT));
    }
    Ok(())
}

/// Whether the run changed this file already.
fn is_done(home: &Home, entry: &Entry) -> bool {
    match &entry.new {
        Some(new) => !home.path(&new.temporary).exists(),
        // What somebody else put there since is not what the run was to remove.
        None => digest_of(&home.path(&entry.path)).ok().as_ref() != Some(&entry.old),
    }
}

/// Whether all contents that wait for their place are what the run wrote: a power cut may have kept
/// their names only.
fn is_whole(home: &Home, record: &Record) -> bool {
    let waiting = record.entries.iter().filter(|entry| !is_done(home, entry)).filter_map(|entry| entry.new.as_ref());
    let mut contents = waiting.map(|new| (digest_of(&home.path(&new.temporary)).ok().flatten(), &new.digest));
    contents.all(|(found, noted)| found.as_ref() == Some(noted))
}

/// Files that the run has not changed yet, but somebody else.
fn edited_before(home: &Home, record: &Record) -> Vec<Utf8PathBuf> {
    let waiting = record.entries.iter().filter(|entry| !is_done(home, entry));
    let edited = waiting.filter(|entry| digest_of(&home.path(&entry.path)).ok().as_ref() != Some(&entry.old));
    edited.map(|entry| entry.path.clone()).collect()
}

/// Files that the run has changed, and somebody else after it.
fn edited_after(home: &Home, record: &Record) -> Vec<Utf8PathBuf> {
    let numbered = record.entries.iter().enumerate();
    let changed = numbered.filter(|(number, entry)| {
        let is_back = entry.old.is_some() && old_of(home, NEXT, *number).symlink_metadata().is_err();
        is_done(home, entry) && !is_back
    });
    let edited = changed.filter(|(_, entry)| {
        let now = digest_of(&home.path(&entry.path)).ok().flatten();
        // A new file that is gone again needs no taking back.
        let is_gone = now.is_none() && entry.old.is_none();
        !is_gone && now.as_ref() != entry.new.as_ref().map(|new| &new.digest)
    });
    edited.map(|(_, entry)| entry.path.clone()).collect()
}

fn refuse_edited(home: &Home, record: &Record, edited: &[Utf8PathBuf]) -> Result<(), JournalError> {
    if edited.is_empty() {
        return Ok(());
    }
    let paths = edited.iter().map(|path| home.path(path)).collect();
    Err(JournalError::Edited { command: record.command.clone(), paths })
}
