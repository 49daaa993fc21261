//! Takes back the last run, from its journal.
//!
//! Undoing is a run with a journal of its own: it can be cut off, and it can be undone.

use camino::{Utf8Path, Utf8PathBuf};

use super::digest::digest_of;
use super::home::Home;
use super::journal::{Entry, JournalError, LAST, NEXT, Record, lock, old_of};
use super::recover::{Recovered, recover_back};
use super::staged::shown;
use super::write::{Staging, WriteError};

/// Why a run is not undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The files.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// How a run is undone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UndoOptions {
    /// Also files that were edited since; the edits go.
    pub force: bool,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// What was undone, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// What the run was started with; nothing if it was cut off before that was noted.
    pub command: Option<String>,
    /// When the run was, in seconds since 1970; 0 if that was not noted.
    pub time: u64,
    /// Whether the run had been cut off.
    pub cut_off: bool,
    /// The files that the run had changed, those in `.hipshift` left out.
    pub files: Vec<UndoneFile>,
    /// Files that were edited since. Without [`UndoOptions::force`] nothing is done if there are any.
    pub edited: Vec<Utf8PathBuf>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoneFile {
    /// From the current directory on, if it lies below.
    pub path: Utf8PathBuf,
    /// What happens to it.
    pub action: UndoAction,
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoAction {
    /// It gets its old content.
    Restored,
    /// It was removed or renamed, and comes back.
    BroughtBack,
    /// It was new, and goes.
    Removed,
}

/// The home at or above `start` with the latest run that can be undone.
pub fn undoable(start: &Utf8Path) -> Result<Home, JournalError> {
    let runs = [NEXT, LAST].map(|run| Home::with_run(start, run).map_err(JournalError::at(start)));
    let [next, last] = runs;
    next?.or(last?).ok_or_else(|| JournalError::NoRun(start.to_owned()))
}

/// The home at or above `start` with a run that goes on or was cut off.
pub fn cut_off(start: &Utf8Path) -> Option<Home> {
    Home::with_run(start, NEXT).ok().flatten()
}

/// Whether a run below `home` was cut off, so that its files may be partly old and partly new.
fn is_cut_off(home: &Home) -> bool {
    home.journal(NEXT).is_ok_and(|next| next.exists())
}

/// Takes the last run back.
pub fn undo(home: &Home, options: UndoOptions) -> Result<Undone, UndoError> {
    let held = if options.dry_run { None } else { Some(lock(home)?) };
    if is_cut_off(home) {
        return Ok(undo_cut_off(home, options)?);
    }
    let record = Record::read(home, LAST)?.ok_or_else(|| JournalError::NoRun(home.root().to_owned()))?;
    let undone = Undone { edited: edited(home, &record), ..undone(home, Some(&record)) };
    if options.dry_run || (!undone.edited.is_empty() && !options.force) {
        return Ok(undone);
    }
    let staging = Staging::held(home.clone(), "undo", held);
    for (number, entry) in record.entries.iter().enumerate() {
        let place = home.place(&entry.path);
        match &entry.old {
            Some(digest) => {
                let old = old_of(home, LAST, number).map_err(JournalError::Folder)?;
                staging.restore(place, &old, digest)?;
            }
            None => staging.remove_if_there(&place.path())?,
        }
    }
    for directory in record.made.iter().rev() {
        staging.remove_directory(&home.path(directory));
    }
    staging.commit()?;
    Ok(undone)
}

fn undo_cut_off(home: &Home, options: UndoOptions) -> Result<Undone, JournalError> {
    let record = Record::read(home, NEXT)?;
    let undone = Undone { cut_off: true, ..undone(home, record.as_ref()) };
    if !options.dry_run {
        recover_back(home, options.force)?;
    }
    Ok(undone)
}

fn undone(home: &Home, record: Option<&Record>) -> Undone {
    let Some(record) = record else {
        return Undone { command: None, time: 0, cut_off: false, files: Vec::new(), edited: Vec::new() };
    };
    let of_people = record.entries.iter().filter(|entry| !entry.path.as_path().starts_with(".hipshift"));
    let files =
        of_people.map(|entry| UndoneFile { path: shown(&home.path(entry.path.as_path())), action: action(entry) });
    let mut files: Vec<_> = files.collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Undone { command: Some(record.command.clone()), time: record.time, cut_off: false, files, edited: Vec::new() }
}

fn action(entry: &Entry) -> UndoAction {
    match (&entry.old, &entry.new) {
        (None, _) => UndoAction::Removed,
        (Some(_), Some(_)) => UndoAction::Restored,
        (Some(_), None) => UndoAction::BroughtBack,
    }
}

/// Files that are not as the run left them.
fn edited(home: &Home, record: &Record) -> Vec<Utf8PathBuf> {
    let as_left = |entry: &&Entry| {
        let now = digest_of(&home.path(entry.path.as_path())).ok();
        now.as_ref().is_some_and(|now| now.as_ref() == entry.new.as_ref().map(|new| &new.digest))
    };
    let edited = record.entries.iter().filter(|entry| !as_left(entry));
    edited.map(|entry| shown(&home.path(entry.path.as_path()))).collect()
}

/// What to say of a run that was cut off.
pub fn describe_recovered(recovered: &Recovered) -> String {
    match recovered {
        Recovered::Finished { command } => {
            format!("`hipshift {command}` had been cut off; its changes are now complete")
        }
        Recovered::TakenBack { command: Some(command) } => {
            format!("`hipshift {command}` had been cut off; its changes were taken back")
        }
        Recovered::TakenBack { command: None } => {
            "an earlier run had been cut off before it changed a file; what it left was removed".to_owned()
        }
    }
}
