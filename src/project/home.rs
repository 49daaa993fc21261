//! Where hipshift keeps what it has to know of a project from one run to the next: `.hipshift`.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::staged::shown;
use super::step::step;

/// The name of the directory.
const STATE: &str = ".hipshift";

/// What a project's top has at least one of.
const MARKS: &[&str] = &["hipshift.toml", ".git", STATE];

/// What git is to leave alone there: the journal is of use on this machine only. The file hides
/// itself, so that a work tree is as clean after `undo` as it was before the run.
const IGNORED: &str = "/.gitignore\n/journal/\n/lock\n";

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
        let root = start.ancestors().find(|directory| directory.join(STATE).join(name).exists());
        Ok(root.map(|root| Home { root: root.to_owned() }))
    }

    /// The directory itself, absolute and without links.
    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// What is called `name` in `.hipshift`.
    pub fn state(&self, name: &str) -> Utf8PathBuf {
        self.root.join(STATE).join(name)
    }

    /// Whether there is a `.hipshift`.
    pub(super) fn exists(&self) -> bool {
        self.root.join(STATE).is_dir()
    }

    /// Makes `.hipshift`, if need be.
    pub(super) fn prepare(&self) -> io::Result<()> {
        step()?;
        std::fs::create_dir_all(self.root.join(STATE))?;
        let ignored = self.state(".gitignore");
        if !ignored.exists() {
            step()?;
            std::fs::write(ignored, IGNORED)?;
        }
        Ok(())
    }

    /// Removes `.hipshift` if it holds nothing that a run left.
    pub(super) fn clear(&self) {
        let empty = ["journal", "base"].map(|name| std::fs::remove_dir(self.state(name)));
        // What is not there needs no removing, and what is in use stays.
        let is_empty = empty.iter().all(|gone| gone.is_ok() || is_missing(gone));
        if is_empty && !self.state(super::manifest::MANIFEST).exists() {
            let _ = [".gitignore", "lock"].map(|name| std::fs::remove_file(self.state(name)));
            let _ = std::fs::remove_dir(self.root.join(STATE));
        }
    }

    /// `path`, absolute and without links, as it is noted: from the root on if it lies below.
    pub(super) fn noted<'p>(&self, path: &'p Utf8Path) -> &'p Utf8Path {
        path.strip_prefix(&self.root).unwrap_or(path)
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
}

fn is_missing(removed: &io::Result<()>) -> bool {
    matches!(removed, Err(error) if error.kind() == io::ErrorKind::NotFound)
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
