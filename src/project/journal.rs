//! The journal of a run that changes several files: what makes it one step, and what takes it back.
//!
//! It lies in the user's own folder (`user_state`), not in the project: whoever recovers does what a journal
//! says, and a journal that came with a project would have files of the user replaced. All its paths lead
//! downwards from the project's root all the same. Where that folder is on another file system than the
//! project, old contents are copied instead of getting a second name; keeping them in the project would need
//! a proof for each that it is ours.
//!
//! `next` is the run that is being written and `last` the one before it.
//!
//! 1. `next/notes` names every temporary file and directory before it is made.
//! 2. `next/old/N` is a second name of what the Nth file was; no content is copied.
//! 3. `next/record.json` appears by a rename: from then on the run counts as done.
//! 4. Each file gets its new content by a rename.
//! 5. `next` becomes `last`.
//!
//! A run that ends before step 3 is taken back by the next one, a later end is finished: see `recover`.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write as _};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::digest::digest_of;
use super::door::Place;
use super::home::Home;
use super::relative_path::RelativePath;
use super::step::step;

/// The number of the format.
const SCHEMA: u32 = 1;

/// The directory of a run that is being written.
pub(super) const NEXT: &str = "next";
/// The directory of the last run.
pub(super) const LAST: &str = "last";
/// The directory of the run before the last, while it is removed.
const GONE: &str = "gone";

/// A journal that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The disk or the permissions.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory.
        path: Utf8PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The user's own folder.
    #[error("looking for the journal: {0}")]
    Folder(io::Error),
    /// The record cannot be read.
    #[error("{path} is no journal of this hipshift: {message}")]
    Syntax {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong.
        message: String,
    },
    /// Another process holds the lock.
    #[error("another hipshift is changing files below `{0}`; wait for its end")]
    Busy(Utf8PathBuf),
    /// A run was interrupted, and files it was about to change were changed by somebody else since.
    #[error(
        "`hipshift {command}` was interrupted, and then {} edited; keep a copy, and `hipshift undo --force` puts all files of that run back",
        names(.paths)
    )]
    Edited {
        /// What the run was started with.
        command: String,
        /// The files.
        paths: Vec<Utf8PathBuf>,
    },
    /// There is no run to take back.
    #[error("no run is known that could be undone in `{0}` or above; name the directory that the run wrote to")]
    NoRun(Utf8PathBuf),
}

/// `a` was, `a` and `b` were
pub(super) fn names(paths: &[Utf8PathBuf]) -> String {
    let list: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
    format!("{} {}", list.join(", "), if paths.len() == 1 { "was" } else { "were" })
}

impl JournalError {
    /// For `map_err`.
    pub(super) fn at(path: &Utf8Path) -> impl FnOnce(io::Error) -> JournalError {
        let path = path.to_owned();
        |source| JournalError::Io { path, source }
    }
}

/// What a run does to the disk.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    schema: u32,
    /// The version of hipshift.
    tool: String,
    /// What the run was started with.
    pub(super) command: String,
    /// Seconds since 1970.
    pub(super) time: u64,
    pub(super) entries: Vec<Entry>,
    /// Directories that the run made, from the outermost on; absolute if the home lies in them.
    pub(super) made: Vec<Utf8PathBuf>,
    /// Directories that the run removes if they are empty, from the innermost on.
    pub(super) leaves: Vec<Utf8PathBuf>,
}

/// What a run does to one file; its number is that of its old content.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// From the home on.
    pub(super) path: RelativePath,
    /// The digest of what was there.
    pub(super) old: Option<String>,
    /// What comes there; nothing if the file goes.
    pub(super) new: Option<NewFile>,
}

/// The new content of a file.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(super) struct NewFile {
    /// Where it waits.
    pub(super) temporary: RelativePath,
    pub(super) digest: String,
}

/// What is to happen to one file.
#[derive(Debug)]
pub(super) struct Change<'c> {
    /// The file.
    pub(super) target: &'c Place,
    /// Where the new content waits, and its digest.
    pub(super) new: Option<(&'c Place, &'c str)>,
}

impl Record {
    /// Reads the record of a run.
    pub(super) fn read(home: &Home, run: &str) -> Result<Option<Record>, JournalError> {
        let path = home.journal(run).map_err(JournalError::Folder)?.join("record.json");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(JournalError::Io { path, source }),
        };
        let record: Record = serde_json::from_str(&text)
            .map_err(|error| JournalError::Syntax { path: path.clone(), message: error.to_string() })?;
        if record.schema != SCHEMA {
            let message = format!("its format is {}, this one reads {SCHEMA}", record.schema);
            return Err(JournalError::Syntax { path, message });
        }
        Ok(Some(record))
    }
}

/// Where the old content of the file at `number` is kept.
pub(super) fn old_of(home: &Home, run: &str, number: usize) -> io::Result<Utf8PathBuf> {
    Ok(home.journal(run)?.join("old").join(number.to_string()))
}

/// Sees to it that no other hipshift of this user changes files of this home, as long as the file is open.
pub(super) fn lock(home: &Home) -> Result<File, JournalError> {
    home.prepare().map_err(JournalError::Folder)?;
    let path = home.journal("lock").map_err(JournalError::Folder)?;
    let file = OpenOptions::new().create(true).append(true).open(&path).map_err(JournalError::at(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(JournalError::Busy(home.root().to_owned())),
        // Some network file systems know no locks.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(file),
        Err(TryLockError::Error(source)) => Err(JournalError::Io { path, source }),
    }
}

/// Starts a run; the caller holds the lock. The file takes the notes.
pub(super) fn open_next(home: &Home) -> io::Result<File> {
    let directory = home.journal(NEXT)?;
    step()?;
    std::fs::create_dir_all(directory.join("old"))?;
    step()?;
    File::create(directory.join("notes"))
}

/// Names a temporary file or a directory before it is made.
pub(super) fn note(notes: &mut File, path: &Utf8Path) -> io::Result<()> {
    let mut note = path.as_str().as_bytes().to_vec();
    note.push(0);
    step()?;
    notes.write_all(&note)
}

/// Keeps what is there under second names and writes the record. With its return the run counts.
pub(super) fn write_record(
    home: &Home,
    changes: &[Change<'_>],
    (command, made, leaves): (&str, Vec<Utf8PathBuf>, Vec<Utf8PathBuf>),
) -> Result<Record, (Utf8PathBuf, io::Error)> {
    let mut entries = Vec::with_capacity(changes.len());
    for (number, change) in changes.iter().enumerate() {
        let entry = entry(home, number, change).map_err(|source| (change.target.path(), source))?;
        entries.push(entry);
    }
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let tool = env!("CARGO_PKG_VERSION").to_owned();
    let record = Record { schema: SCHEMA, tool, command: command.to_owned(), time, entries, made, leaves };
    let directory = home.journal(NEXT).map_err(|source| (home.root().to_owned(), source))?;
    put_record(&directory, &record).map_err(|source| (directory.join("record.json"), source))?;
    Ok(record)
}

fn entry(home: &Home, number: usize, change: &Change<'_>) -> io::Result<Entry> {
    let noted = |place: &Place| home.noted(&place.path()).map_err(io::Error::other);
    let old = digest_of(&change.target.path())?;
    if old.is_some() {
        step()?;
        change.target.keep_as(&old_of(home, NEXT, number)?)?;
    }
    let new = change.new.map(|(temporary, digest)| -> io::Result<NewFile> {
        Ok(NewFile { temporary: noted(temporary)?, digest: digest.to_owned() })
    });
    Ok(Entry { path: noted(change.target)?, old, new: new.transpose()? })
}

fn put_record(directory: &Utf8Path, record: &Record) -> io::Result<()> {
    let json = serde_json::to_vec_pretty(record)?;
    let (path, temporary) = (directory.join("record.json"), directory.join("record.new"));
    step()?;
    let mut file = File::create(&temporary)?;
    step()?;
    file.write_all(&json)?;
    step()?;
    file.sync_all()?;
    sync_directory(&directory.join("old"));
    step()?;
    std::fs::rename(temporary, path)?;
    sync_directory(directory);
    Ok(())
}

/// After a power cut, too, the names in `directory` are to be those of now. Not every system can do it.
pub(super) fn sync_directory(directory: &Utf8Path) {
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
}

/// What was noted by a run that never got a record, in the order in which it was made.
pub(super) fn noted_places(home: &Home) -> io::Result<Vec<Place>> {
    let notes = std::fs::read(home.journal(NEXT)?.join("notes")).unwrap_or_default();
    // What stands behind the last zero was not written to its end, so nothing was made.
    let whole = notes.iter().rposition(|&byte| byte == 0).map_or(&[][..], |end| &notes[..end]);
    let paths = whole.split(|&byte| byte == 0).filter(|path| !path.is_empty());
    paths.map(|path| home.noted_place(Utf8Path::new(&*String::from_utf8_lossy(path)))).collect()
}

/// The run that was being written is the last one now.
pub(super) fn finish(home: &Home) -> io::Result<()> {
    let (next, last, gone) = (home.journal(NEXT)?, home.journal(LAST)?, home.journal(GONE)?);
    if last.exists() {
        step()?;
        remove_tree(&gone)?;
        step()?;
        std::fs::rename(&last, &gone)?;
    }
    step()?;
    std::fs::rename(&next, &last)?;
    let _ = std::fs::remove_file(last.join("notes"));
    step()?;
    remove_tree(&gone)
}

/// Removes a directory of the journal, if it is there.
pub(super) fn remove_tree(directory: &Utf8Path) -> io::Result<()> {
    match std::fs::remove_dir_all(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes what a run left that ended while it threw the run before the last away.
pub(super) fn sweep(home: &Home) -> io::Result<()> {
    remove_tree(&home.journal(GONE)?)
}
