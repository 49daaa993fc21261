//! The journal as one run writes it: begun with the first file, closed by the commit.

use std::fs::File;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};

use super::door::Place;
use super::home::Home;
use super::journal::{Change, finish, lock, note, open_next, write_record};
use super::recover::{drop_unrecorded, forward, take_back};
use super::step::step;
use super::write::{Staged, WriteError};

/// A journal that a run may write. Dropped before [`RunJournal::commit`], it leaves nothing behind.
#[derive(Debug)]
pub(super) struct RunJournal {
    home: Home,
    /// What the run was started with.
    command: String,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The lock, which goes with the file.
    held: Option<File>,
    /// What takes the notes, from the first on.
    notes: Option<File>,
    /// Directories that were made, from the outermost on.
    made: Vec<Utf8PathBuf>,
}

impl RunJournal {
    /// For a run that may hold the lock already.
    pub(super) fn new(home: Home, command: &str, held: Option<File>) -> RunJournal {
        let state = State { held, notes: None, made: Vec::new() };
        RunJournal { home, command: command.to_owned(), state: Mutex::new(state) }
    }

    /// Notes a temporary file before it is made.
    pub(super) fn note(&self, place: &Place) -> io::Result<()> {
        let noted = self.home.noted(&place.path()).map_err(io::Error::other)?;
        let mut state = self.lock();
        note(self.open(&mut state)?, noted.as_path())
    }

    /// Makes a directory, absolute and without links, and those above it that are missing.
    pub(super) fn make(&self, directory: &Utf8Path) -> io::Result<()> {
        let mut state = self.lock();
        self.open(&mut state)?;
        let missing: Vec<&Utf8Path> = directory.ancestors().take_while(|path| !path.exists()).collect();
        for path in missing.into_iter().rev() {
            let noted = self.home.noted_folder(path).map_err(io::Error::other)?;
            note(self.open(&mut state)?, &noted)?;
            step()?;
            self.home.noted_place(&noted)?.make_directory()?;
            state.made.push(noted);
        }
        Ok(())
    }

    /// Puts all files in place and returns how many, or puts everything back.
    pub(super) fn commit(self, files: Vec<Staged>, leaves: &[Utf8PathBuf]) -> Result<usize, WriteError> {
        if files.is_empty() && leaves.is_empty() {
            return Ok(0);
        }
        let mut state = self.lock();
        self.open(&mut state).map_err(|source| WriteError::new(self.home.root(), source))?;
        let mut changes: Vec<Change<'_>> = files.iter().map(Staged::change).collect();
        changes.dedup_by(|a, b| a.target == b.target);
        let leaves = leaves.iter().map(|path| self.home.noted_folder(path)).collect::<Result<_, _>>();
        let leaves = leaves.map_err(|error| WriteError::new(self.home.root(), io::Error::other(error)))?;
        let named = (self.command.as_str(), std::mem::take(&mut state.made), leaves);
        let failed = |(path, source): (Utf8PathBuf, io::Error)| WriteError::new(&path, source);
        let count = changes.len();
        let record = write_record(&self.home, &changes, named).map_err(failed)?;
        // From here on it is the record that says what becomes of the temporary files.
        state.notes = None;
        for content in files.into_iter().filter_map(|staged| staged.content) {
            let _ = content.guard.keep();
        }
        if let Err((path, source)) = forward(&self.home, &record) {
            let restored = take_back(&self.home, &record, true).is_ok();
            return Err(WriteError { path, source, restored });
        }
        // All files are in place; should the journal not be closed, the next run does it.
        let _ = finish(&self.home);
        Ok(count)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the journal, if need be.
    fn open<'s>(&self, state: &'s mut State) -> io::Result<&'s mut File> {
        if state.notes.is_none() {
            if state.held.is_none() {
                state.held = Some(lock(&self.home).map_err(io::Error::other)?);
            }
            state.notes = Some(open_next(&self.home)?);
        }
        state.notes.as_mut().ok_or_else(|| io::Error::other("the journal is closed"))
    }
}

impl Drop for RunJournal {
    fn drop(&mut self) {
        let mut state = self.lock();
        if state.notes.take().is_some() {
            // What cannot be removed now is removed by the next run.
            let _ = drop_unrecorded(&self.home);
        }
    }
}
