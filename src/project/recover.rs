//! Finishes a run that counts, and takes back one that does not. Both can be cut off and started again.
//!
//! Whether a file has its new content is seen from its temporary file: the rename that puts it in
//! place takes that away. Whether it got its old content back is seen from the old content in the
//! journal in the same way.

use std::fs::File;
use std::io;
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};

use super::digest::digest_of;
use super::door::Place;
use super::home::Home;
use super::journal::{
    Entry, JournalError, NEXT, Record, finish, noted_places, old_of, remove_tree, sweep, sync_directory,
};
use super::one_name::InPlace;
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
    sweep(home).map_err(JournalError::Folder)?;
    if !is_begun(home)? {
        return Ok(None);
    }
    let Some(record) = Record::read(home, NEXT)? else { return drop_unrecorded(home).map(Some) };
    if goes_back(home) || !is_whole(home, &record) {
        return take_back(home, &record, false).map(Some);
    }
    refuse_edited(home, &record, &edited_before(home, &record))?;
    forward(home, &record).map_err(|(path, source)| JournalError::Io { path, source })?;
    finish(home).map_err(JournalError::Folder)?;
    Ok(Some(Recovered::Finished { command: record.command }))
}

/// Takes a run back that was cut off, whether it counts or not. With `force` files lose what was
/// written to them since.
pub(super) fn recover_back(home: &Home, force: bool) -> Result<Option<Recovered>, JournalError> {
    sweep(home).map_err(JournalError::Folder)?;
    if !is_begun(home)? {
        return Ok(None);
    }
    match Record::read(home, NEXT)? {
        Some(record) => take_back(home, &record, force).map(Some),
        None => drop_unrecorded(home).map(Some),
    }
}

/// Whether a run was begun, and not ended.
fn is_begun(home: &Home) -> Result<bool, JournalError> {
    Ok(home.journal(NEXT).map_err(JournalError::Folder)?.exists())
}

/// Puts all new contents in place that are not there yet.
pub(super) fn forward(home: &Home, record: &Record) -> Result<(), (Utf8PathBuf, io::Error)> {
    let mut placed = InPlace::default();
    for entry in &record.entries {
        let path = home.path(entry.path.as_path());
        put(home, entry, &placed).map_err(|source| (path.clone(), source))?;
        if entry.new.is_some() {
            placed.note(&path);
        }
    }
    for directory in &record.leaves {
        // Whatever somebody else put there stays.
        let _ = step().and_then(|()| home.noted_place(directory)?.remove_directory());
    }
    sync_parents(home, record);
    Ok(())
}

/// Does to one file what the run was to do, unless that is done.
fn put(home: &Home, entry: &Entry, placed: &InPlace) -> io::Result<()> {
    if is_done(home, entry) {
        return Ok(());
    }
    let target = home.place(&entry.path);
    placed.refuse(&target.path(), entry.old.is_some())?;
    step()?;
    match &entry.new {
        Some(new) => pass_missing(home.place(&new.temporary).rename_to(&target)),
        None => target.remove_file(),
    }
}

/// Directories in which files were replaced: their names must outlive a power cut before the journal
/// forgets the old ones.
fn sync_parents(home: &Home, record: &Record) {
    let replaced = record.entries.iter().filter(|entry| entry.old.is_some());
    let mut parents: Vec<Utf8PathBuf> = replaced.map(|entry| home.place(&entry.path).directory()).collect();
    parents.sort();
    parents.dedup();
    for parent in &parents {
        sync_directory(parent);
    }
}

/// What a run without a record made is removed; it changed no file.
pub(super) fn drop_unrecorded(home: &Home) -> Result<Recovered, JournalError> {
    for place in noted_places(home).map_err(JournalError::Folder)?.iter().rev() {
        // A note is written before its file or directory is made, and a directory may be in use.
        let _ = place.remove_file().or_else(|_| place.remove_directory());
    }
    drop_next(home)?;
    Ok(Recovered::TakenBack { command: None })
}

fn drop_next(home: &Home) -> Result<(), JournalError> {
    home.journal(NEXT).and_then(|next| remove_tree(&next)).map_err(JournalError::Folder)
}

/// Puts everything back that a run changed so far.
pub(super) fn take_back(home: &Home, record: &Record, force: bool) -> Result<Recovered, JournalError> {
    if !force {
        refuse_edited(home, record, &edited_after(home, record))?;
    }
    go_back(home).map_err(JournalError::Folder)?;
    for (number, entry) in record.entries.iter().enumerate().rev() {
        let target = home.place(&entry.path);
        put_back(home, number, entry, &target).map_err(JournalError::at(&target.path()))?;
    }
    let temporaries = record.entries.iter().filter_map(|entry| entry.new.as_ref());
    for new in temporaries {
        let place = home.place(&new.temporary);
        pass_missing(place.remove_file()).map_err(JournalError::at(&place.path()))?;
    }
    for directory in record.made.iter().rev() {
        let _ = home.noted_place(directory).and_then(|place| place.remove_directory());
    }
    sync_parents(home, record);
    drop_next(home)?;
    Ok(Recovered::TakenBack { command: Some(record.command.clone()) })
}

fn put_back(home: &Home, number: usize, entry: &Entry, target: &Place) -> io::Result<()> {
    if !is_done(home, entry) {
        return Ok(());
    }
    let old = old_of(home, NEXT, number)?;
    step()?;
    match &entry.old {
        Some(_) if old.symlink_metadata().is_ok() => {
            touch(&old);
            move_to(&old, target)
        }
        // It is back already.
        Some(_) => Ok(()),
        None => pass_missing(target.remove_file()),
    }
}

/// Build programs go by times: a file that comes back is newer than what was built from the other one.
pub(super) fn touch(path: &Utf8Path) {
    if path.is_file() && !path.is_symlink() {
        let _ = File::open(path).and_then(|file| file.set_modified(SystemTime::now()));
    }
}

/// A rename; where the two lie on different file systems, a copy that is renamed.
fn move_to(kept: &Utf8Path, to: &Place) -> io::Result<()> {
    if to.take(kept).is_ok() {
        return Ok(());
    }
    let beside = to.beside(&format!(".hipshift-back-{}", std::process::id()))?;
    pass_missing(beside.remove_file())?;
    beside.bring_back(kept)?;
    beside.rename_to(to)?;
    std::fs::remove_file(kept)
}

fn pass_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Exists as soon as a recorded run is being taken back.
fn going_back(home: &Home) -> io::Result<Utf8PathBuf> {
    Ok(home.journal(NEXT)?.join("back"))
}

fn goes_back(home: &Home) -> bool {
    going_back(home).is_ok_and(|back| back.exists())
}

/// Says so. The disk may be full, so the notes, which nobody needs any more, get another name.
fn go_back(home: &Home) -> io::Result<()> {
    if !goes_back(home) {
        let next = home.journal(NEXT)?;
        std::fs::rename(next.join("notes"), going_back(home)?)?;
        sync_directory(&next);
    }
    Ok(())
}

/// Whether the run changed this file already.
fn is_done(home: &Home, entry: &Entry) -> bool {
    match &entry.new {
        Some(new) => !home.path(new.temporary.as_path()).exists(),
        // What somebody else put there since is not what the run was to remove.
        None => digest_of(&home.path(entry.path.as_path())).ok().as_ref() != Some(&entry.old),
    }
}

/// Whether all contents that wait for their place are what the run wrote: a power cut may have kept
/// their names only.
fn is_whole(home: &Home, record: &Record) -> bool {
    let waiting = record.entries.iter().filter(|entry| !is_done(home, entry)).filter_map(|entry| entry.new.as_ref());
    let mut contents = waiting.map(|new| (digest_of(&home.path(new.temporary.as_path())).ok().flatten(), &new.digest));
    contents.all(|(found, noted)| found.as_ref() == Some(noted))
}

/// Files that the run has not changed yet, but somebody else.
fn edited_before(home: &Home, record: &Record) -> Vec<Utf8PathBuf> {
    let waiting = record.entries.iter().filter(|entry| !is_done(home, entry));
    let edited = waiting.filter(|entry| digest_of(&home.path(entry.path.as_path())).ok().as_ref() != Some(&entry.old));
    edited.map(|entry| entry.path.as_path().to_owned()).collect()
}

/// Files that the run has changed, and somebody else after it.
fn edited_after(home: &Home, record: &Record) -> Vec<Utf8PathBuf> {
    let numbered = record.entries.iter().enumerate();
    let changed = numbered.filter(|(number, entry)| {
        let is_kept = old_of(home, NEXT, *number).is_ok_and(|old| old.symlink_metadata().is_ok());
        let is_back = entry.old.is_some() && !is_kept;
        is_done(home, entry) && !is_back
    });
    let edited = changed.filter(|(_, entry)| {
        let now = digest_of(&home.path(entry.path.as_path())).ok().flatten();
        // A new file that is gone again needs no taking back.
        let is_gone = now.is_none() && entry.old.is_none();
        !is_gone && now.as_ref() != entry.new.as_ref().map(|new| &new.digest)
    });
    edited.map(|(_, entry)| entry.path.as_path().to_owned()).collect()
}

fn refuse_edited(home: &Home, record: &Record, edited: &[Utf8PathBuf]) -> Result<(), JournalError> {
    if edited.is_empty() {
        return Ok(());
    }
    let paths = edited.iter().map(|path| home.path(path)).collect();
    Err(JournalError::Edited { command: record.command.clone(), paths })
}
