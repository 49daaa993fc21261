//! Where hipshift keeps what it has to know of a project from one run to the next.
//!
//! What people share and what decides nothing but contents is in `.hipshift`: decisions, and what was converted
//! from what. What could have files written or removed, the journal, is in the user's own folder, under a
//! digest of the project's path; a `.hipshift/journal` in the project is nothing to us.

use std::io;
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};

use super::door::{Doors, Place};
use super::relative_path::{NotBelow, RelativePath};
use super::staged::shown;
use super::user_state::{make_private, refuse_foreign, user_state};
use crate::source::digest;

/// The name of the directory.
pub(super) const STATE: &str = ".hipshift";

/// What a project's top has at least one of.
const MARKS: &[&str] = &["hipshift.toml", ".git", STATE];

/// The directory whose `.hipshift` a run uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    root: Utf8PathBuf,
}

impl Home {
    /// For files that change where they are: the nearest directory above all `paths` that holds
    /// `hipshift.toml`, `.git` or `.hipshift`, else the one that holds all of them.
    pub fn of(paths: &[Utf8PathBuf]) -> io::Result<Home> {
        let mut common: Option<Utf8PathBuf> = None;
        for path in paths {
            let real = path.canonicalize_utf8()?;
            // A file belongs to the project that its name is in, wherever a link of that name leads.
            let directory = if real.is_dir() { real } else { resolved_parent(path)? };
            common = Some(match common {
                Some(common) => shared(&common, &directory),
                None => directory,
            });
        }
        let common = common.unwrap_or_else(|| Utf8PathBuf::from("."));
        let marked = common.ancestors().find(|directory| MARKS.iter().any(|mark| directory.join(mark).exists()));
        Ok(Home { root: marked.unwrap_or(&common).to_owned() })
    }

    /// For output below `directory`, which need not exist yet.
    pub fn at(directory: &Utf8Path) -> io::Result<Home> {
        Ok(Home { root: resolved(directory)? })
    }

    /// The nearest at or above `start` that keeps something called `name` in its `.hipshift`.
    pub fn keeping(start: &Utf8Path, name: &str) -> io::Result<Option<Home>> {
        let start = resolved(start)?;
        for directory in start.ancestors() {
            // A folder that is closed may keep it.
            if directory.join(STATE).join(name).as_std_path().try_exists()? {
                return Ok(Some(Home { root: directory.to_owned() }));
            }
        }
        Ok(None)
    }

    /// The directory itself, absolute and without links.
    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// What is called `name` in `.hipshift`.
    pub fn state(&self, name: &str) -> Utf8PathBuf {
        self.root.join(STATE).join(name)
    }

    /// The same for a run that also writes below `directory`, which holds the root or lies in it.
    #[must_use]
    pub fn with(self, directory: &Utf8Path) -> Home {
        if self.root.starts_with(directory) { Home { root: directory.to_owned() } } else { self }
    }

    /// The same for a journal of a run in which links were named: with what they lead to.
    #[must_use]
    pub(super) fn covering(self, doors: &Doors) -> Home {
        Home { root: doors.linked_folders().fold(self.root, |root, folder| shared(&root, &folder)) }
    }

    /// Of those at or above `start` that have a run called `name` in their journals, the one whose run is the latest.
    pub(super) fn with_run(start: &Utf8Path, name: &str) -> io::Result<Option<Home>> {
        refuse_foreign(&user_state()?)?;
        let mut latest: Option<(SystemTime, Home)> = None;
        for directory in resolved(start)?.ancestors() {
            let home = Home { root: directory.to_owned() };
            let Ok(run) = home.journal(name)?.metadata() else { continue };
            let time = run.modified()?;
            if latest.as_ref().is_none_or(|(known, _)| *known < time) {
                latest = Some((time, home));
            }
        }
        Ok(latest.map(|(_, home)| home))
    }

    /// What is called `name` in the journal, which no project can bring along.
    pub(super) fn journal(&self, name: &str) -> io::Result<Utf8PathBuf> {
        Ok(user_state()?.join("journals").join(digest(self.root.as_str().as_bytes())).join(name))
    }

    /// Makes the folder of the journal, if need be.
    pub(super) fn prepare(&self) -> io::Result<()> {
        let folder = self.journal("")?;
        make_private(&folder)?;
        let root = folder.join("root");
        // Says what the digest is of.
        if root.exists() { Ok(()) } else { std::fs::write(root, self.root.as_str()) }
    }

    /// `path`, absolute and without links, as it is noted.
    pub(super) fn noted(&self, path: &Utf8Path) -> Result<RelativePath, NotBelow> {
        RelativePath::new(path.strip_prefix(&self.root).map_err(|_| NotBelow(path.to_owned()))?)
    }

    /// A path from the root on as people are shown it: from the current directory on if it lies below.
    pub fn shown(&self, noted: &Utf8Path) -> Utf8PathBuf {
        let path = self.path(noted);
        shown(&resolved(&path).unwrap_or(path))
    }

    /// The path that was noted as `noted`.
    pub(super) fn path(&self, noted: &Utf8Path) -> Utf8PathBuf {
        self.root.join(noted)
    }

    /// `path`, absolute and without links, as a folder is noted: one that the root lies in has no other name.
    pub(super) fn noted_folder(&self, path: &Utf8Path) -> Result<Utf8PathBuf, NotBelow> {
        if self.root.starts_with(path) { Ok(path.to_owned()) } else { Ok(self.noted(path)?.as_path().to_owned()) }
    }

    /// The place of a file or folder that was noted as `noted`.
    pub(super) fn noted_place(&self, noted: &Utf8Path) -> io::Result<Place> {
        if noted.is_absolute() && self.root.starts_with(noted) {
            return Place::at(noted);
        }
        Ok(self.place(&RelativePath::new(noted).map_err(io::Error::other)?))
    }

    /// The place that was noted as `noted`.
    pub(super) fn place(&self, noted: &RelativePath) -> Place {
        Place::below(&self.root, noted)
    }
}

/// `path` absolute and without links above its last part, even if the end of it does not exist.
pub fn resolved(path: &Utf8Path) -> io::Result<Utf8PathBuf> {
    let path = if path.as_str().is_empty() { Utf8Path::new(".") } else { path };
    match (path.canonicalize_utf8(), path.file_name()) {
        (Ok(path), _) => Ok(path),
        (Err(error), Some(name)) if error.kind() == io::ErrorKind::NotFound => {
            Ok(resolved(path.parent().unwrap_or(Utf8Path::new(".")))?.join(name))
        }
        (Err(error), _) => Err(error),
    }
}

/// The top of the git work tree that holds an absolute path, if there is one.
pub fn work_tree_of(path: &Utf8Path) -> Option<&Utf8Path> {
    path.ancestors().find(|directory| directory.join(".git").exists())
}

/// The folder that a file lies in. Where the last part of its path is a link, that is not the folder of the link: trust is in what a
/// file says where it is, so what it names holds from there.
pub(super) fn folder_of(file: &Utf8Path) -> Utf8PathBuf {
    let real = if file.is_symlink() { file.canonicalize_utf8().ok() } else { None };
    real.as_deref().unwrap_or(file).parent().unwrap_or(Utf8Path::new(".")).to_owned()
}

/// The directory of a file, absolute and without links.
pub(super) fn resolved_parent(path: &Utf8Path) -> io::Result<Utf8PathBuf> {
    resolved(path.parent().unwrap_or(path))
}

/// The deepest directory that holds both.
fn shared(one: &Utf8Path, other: &Utf8Path) -> Utf8PathBuf {
    one.ancestors().find(|directory| other.starts_with(directory)).unwrap_or(Utf8Path::new("/")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(directories: &[&str]) -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        for directory in directories {
            std::fs::create_dir_all(path.join(directory)).unwrap();
        }
        (folder, path)
    }

    #[test]
    fn the_nearest_mark_above_all_paths_is_the_home() {
        let (_guard, path) = folder(&["p/.git", "p/a/x", "p/b", "q/x", "q/y"]);
        let of = |paths: &[&str]| {
            let paths: Vec<_> = paths.iter().map(|part| path.join(part)).collect();
            Home::of(&paths).unwrap().root().strip_prefix(&path).unwrap().to_owned()
        };
        assert_eq!(of(&["p/a/x", "p/b"]), "p");
        assert_eq!(of(&["q/x"]), "q/x");
        assert_eq!(of(&["q/x", "q/y"]), "q");
        std::fs::write(path.join("p/a/hipshift.toml"), "").unwrap();
        assert_eq!(of(&["p/a/x"]), "p/a");
    }

    #[test]
    fn a_directory_to_be_made_can_be_a_home() {
        let (_guard, path) = folder(&["p"]);
        assert_eq!(Home::at(&path.join("p/out/deep")).unwrap().root(), path.join("p/out/deep"));
    }
}
