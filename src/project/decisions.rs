//! What people decided about fixes, for all later runs: `.hipshift/decisions.toml`, the nearest one above the input.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::config::find_config;
use super::decisions_toml::{parse, print};
use super::door::Doors;
use super::file_report::FileReport;
use super::home::work_tree_of;
use super::own_place::refuse_way_out;
use super::read::read_named;
use super::write::{Staging, WriteError};
use crate::diagnostic::{Decision, FixKey};

/// Where the file lies, from the directory on that its paths start from.
const PLACE: &str = ".hipshift/decisions.toml";

/// Decisions that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DecisionsError {
    /// A file or directory cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: Utf8PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not what it should be; the message names line and column.
    #[error("{path}: {message}")]
    Syntax {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong.
        message: String,
    },
}

/// The decisions of a project, by file.
///
/// Invariant: the decisions of a file are sorted, and no two are about one fix.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decisions {
    /// The directory that the paths start from.
    home: Utf8PathBuf,
    files: BTreeMap<String, Vec<Decision>>,
}

impl Decisions {
    /// Reads the nearest file at or above `start`, if there is one.
    pub fn find(start: &Utf8Path) -> Result<Option<Decisions>, DecisionsError> {
        let Ok(start) = start.canonicalize_utf8() else { return Ok(None) };
        for directory in start.ancestors() {
            let path = directory.join(PLACE);
            match path.metadata() {
                Ok(_) => return Decisions::read(directory).map(Some),
                Err(error) if is_absent(&error) => {}
                // What cannot be seen may have been decided all the same.
                Err(source) => return Err(DecisionsError::Io { path, source }),
            }
        }
        Ok(None)
    }

    /// Reads the nearest file at or above `start`; where there is none, it will be written beside `hipshift.toml`,
    /// else to the top of the git work tree, else to the current directory or the one that holds `start`.
    pub fn open(start: &Utf8Path) -> Result<Decisions, DecisionsError> {
        if let Some(found) = Decisions::find(start)? {
            return Ok(found);
        }
        let io = |source| DecisionsError::Io { path: start.to_owned(), source };
        let absolute = start.canonicalize_utf8().map_err(io)?;
        let beside = find_config(start).and_then(|config| config.parent().map(Utf8Path::to_owned));
        let top = || work_tree_of(&absolute).map(Utf8Path::to_owned);
        let here = || Utf8Path::new(".").canonicalize_utf8().ok().filter(|here| absolute.starts_with(here));
        let own = || if absolute.is_dir() { Some(&*absolute) } else { absolute.parent() };
        let home = beside.or_else(top).or_else(here).or_else(|| own().map(Utf8Path::to_owned));
        Ok(Decisions { home: home.unwrap_or_default(), files: BTreeMap::new() })
    }

    fn read(home: &Utf8Path) -> Result<Decisions, DecisionsError> {
        let path = home.join(PLACE);
        let text = refuse_way_out(&path, home).and_then(|()| read_named(&path));
        let text = text.map_err(|source| DecisionsError::Io { path: path.clone(), source })?;
        let parsed = parse(&text).map_err(|message| DecisionsError::Syntax { path, message })?;
        let mut decisions = Decisions { home: home.to_owned(), files: BTreeMap::new() };
        for (file, decision) in parsed {
            decisions.files.entry(file).or_default().push(decision);
        }
        decisions.files.values_mut().for_each(|list| sort(list));
        Ok(decisions)
    }

    /// Writes the file, wholly or not at all.
    pub fn write(&self) -> Result<(), WriteError> {
        let staging = Staging::to(Doors::named([&*self.home]));
        self.stage(&staging)?;
        staging.commit().map(drop)
    }

    /// The directory that the paths of files start from.
    pub fn home(&self) -> &Utf8Path {
        &self.home
    }

    /// Where the file lies.
    pub fn path(&self) -> Utf8PathBuf {
        self.home.join(PLACE)
    }

    /// Where the file lies, from the current directory on if it is below.
    pub fn shown_path(&self) -> Utf8PathBuf {
        let (path, here) = (self.path(), Utf8Path::new(".").canonicalize_utf8());
        let inside = here.ok().and_then(|here| path.strip_prefix(here).ok().map(Utf8Path::to_owned));
        inside.unwrap_or(path)
    }

    /// What was decided about a file.
    pub fn of(&self, file: &Utf8Path) -> &[Decision] {
        if self.files.is_empty() { &[] } else { self.files.get(&self.name_of(file)).map_or(&[], Vec::as_slice) }
    }

    /// How many decisions there are.
    pub fn len(&self) -> usize {
        self.files.values().map(Vec::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Files that there are decisions about, and that are gone.
    pub fn lost_files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str).filter(|file| !self.home.join(file).exists())
    }

    /// Drops what was decided about files that are gone.
    pub fn drop_lost_files(&mut self) {
        let home = &self.home;
        self.files.retain(|file, _| home.join(file).exists());
    }

    /// Adds a decision about fixes of a file, in place of what was decided about them before.
    pub fn put(&mut self, file: &Utf8Path, decision: Decision) {
        self.take_back(file, &decision.fixes);
        let list = self.files.entry(self.name_of(file)).or_default();
        list.push(decision);
        sort(list);
    }

    /// Has rejections follow their fixes into the results that take the place of files. Nothing if none has moved.
    #[must_use]
    pub fn carried(&self, reports: &[FileReport]) -> Option<Decisions> {
        let moved = || reports.iter().flat_map(|report| report.carried.iter().map(|carried| (&report.path, carried)));
        moved().next()?;
        let mut carried = self.clone();
        for (path, rejection) in moved() {
            carried.take_back(path, std::slice::from_ref(&rejection.before));
        }
        for (path, rejection) in moved() {
            carried.put(path, rejection.decision.clone());
        }
        Some(carried)
    }

    /// Adds the file to what a run writes.
    pub fn stage(&self, staging: &Staging) -> Result<(), WriteError> {
        let path = self.path();
        staging.write(&path, print(&self.files).as_bytes(), &path)
    }

    /// Drops what was decided about some fixes of a file.
    pub fn take_back(&mut self, file: &Utf8Path, fixes: &[FixKey]) {
        let name = self.name_of(file);
        let Some(list) = self.files.get_mut(&name) else { return };
        for decision in &mut *list {
            decision.fixes.retain(|fix| !fixes.contains(fix));
        }
        list.retain(|decision| !decision.fixes.is_empty());
        if list.is_empty() {
            self.files.remove(&name);
        }
    }

    /// A path from the home on, with `/` on every system.
    fn name_of(&self, file: &Utf8Path) -> String {
        let absolute = file.canonicalize_utf8();
        let absolute = absolute.or_else(|_| camino::absolute_utf8(file)).unwrap_or_else(|_| file.to_owned());
        let inside = absolute.strip_prefix(&self.home).unwrap_or(&absolute);
        inside.as_str().replace('\\', "/")
    }
}

/// Whether an error says that there is no such file.
fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

fn sort(decisions: &mut [Decision]) {
    decisions.sort_by(|one, other| one.fixes.cmp(&other.fixes));
}
