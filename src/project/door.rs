//! The one door through which files of people are written: below what the user named, and through no link.
//!
//! A repository that somebody sends may hold links that lead anywhere. So every change starts from a folder
//! that the user named, whose own name may have links in it, and goes down name by name without following
//! any (`openat` with `O_NOFOLLOW` for each). Where the folder lies is found when the run begins, and each change goes to it from `/`
//! on without following links: who exchanges one of its names for a link meanwhile leads nothing elsewhere. Nothing else opens, renames or removes a file of a project;
//! `tests/trust.rs` looks for that. `openat2` with `RESOLVE_BENEATH` would be one system call instead of a
//! few, but not every system has it, and two ways would be one too many: there are no `..` in the names
//! ([`RelativePath`]), so that both refuse the same.

use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, fcntl_setfl, linkat, mkdirat, open, openat, readlinkat, renameat, symlinkat, unlinkat,
};

use super::home::resolved;
use super::own_place::refuse_brought_links;
use super::relative_path::RelativePath;
use super::walk::may_hold_code;
use crate::build::{BuildKind, build_kind};

/// What the user named: there, and below, a run may write.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Doors {
    named: Vec<Named>,
}

/// What the user named, as it was when the run began.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Named {
    /// Absolute, as it was typed.
    path: Utf8PathBuf,
    /// Without links; none if that could not be found out.
    real: Option<Utf8PathBuf>,
    /// The folder it lies in by its typed name, without links.
    folder: Option<Utf8PathBuf>,
}

impl Named {
    fn new(path: &Utf8Path) -> Named {
        let path = camino::absolute_utf8(path).unwrap_or_else(|_| path.to_owned());
        let (real, folder) = (resolved(&path).ok(), path.parent().and_then(|folder| resolved(folder).ok()));
        Named { path, real, folder }
    }
}

/// A place below a folder that the user named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The folder, absolute and without links.
    root: Utf8PathBuf,
    inside: RelativePath,
}

impl Doors {
    /// For paths as they were typed: of folders with all that is in them, or of files with what lies beside them.
    pub fn named<'p>(paths: impl IntoIterator<Item = &'p Utf8Path>) -> Doors {
        Doors { named: paths.into_iter().map(Named::new).collect() }
    }

    /// For a file or folder that a run makes, as it was typed, where `inputs` are what it reads; see [`refuse_brought_links`].
    /// Nothing but sources is written over sources.
    pub fn output(path: &Utf8Path, inputs: &[Utf8PathBuf]) -> io::Result<Doors> {
        refuse_brought_links(path, inputs)?;
        let is_build = matches!(build_kind(path), Some(BuildKind::CMake | BuildKind::Make));
        if (may_hold_code(path) || is_build) && path.exists() {
            return Err(io::Error::other(format!("`{path}` is a source or a build file; name another file")));
        }
        Ok(Doors::named([path]))
    }

    /// The same with one more place.
    #[must_use]
    pub fn and(mut self, path: &Utf8Path) -> Doors {
        self.named.extend(Doors::named([path]).named);
        self
    }

    /// The folders of files that were named by links.
    pub(super) fn linked_folders(&self) -> impl Iterator<Item = Utf8PathBuf> {
        let links = self.named.iter().filter(|named| named.path.is_symlink() && named.path.is_file());
        links.filter_map(|link| Some(link.real.as_ref()?.parent()?.to_owned()))
    }

    /// The place of a file that gets new content. Where the user named a link, that is what it leads to.
    pub(super) fn of_content(&self, target: &Utf8Path) -> io::Result<Place> {
        let place = self.of_name(target)?;
        let path = place.path();
        if !path.is_symlink() {
            return Ok(place);
        }
        let target = camino::absolute_utf8(target)?;
        let named = self.named.iter().find(|named| named.path == target).and_then(|named| named.real.as_ref());
        Place::at(named.ok_or_else(|| is_link(&path))?)
    }

    /// Whether the user typed this very name.
    pub(super) fn names(&self, target: &Utf8Path) -> bool {
        camino::absolute_utf8(target).is_ok_and(|target| self.named.iter().any(|named| named.path == target))
    }

    /// The place of a name, whatever it leads to.
    pub(super) fn of_name(&self, target: &Utf8Path) -> io::Result<Place> {
        let target = camino::absolute_utf8(target)?;
        // One look at each: a folder that is still to be made may be made by another thread between two of them.
        let may_be_folder = |named: &Utf8Path| named.metadata().map_or(true, |found| found.is_dir());
        let below =
            |named: &&Named| named.path != target && target.starts_with(&named.path) && may_be_folder(&named.path);
        let above = self.named.iter().filter(below).map(|named| (named.path.as_path(), &named.real));
        let files = self.named.iter().filter(|named| !named.path.is_dir());
        let beside = files.filter_map(|named| Some((named.path.parent()?, &named.folder)));
        let beside = beside.filter(|(parent, _)| target.starts_with(parent));
        let start = above.chain(beside).max_by_key(|(start, _)| start.as_str().len());
        let Some((start, real)) = start else {
            return Err(io::Error::other("it lies outside of all that was named on the command line"));
        };
        let inside = target.strip_prefix(start).unwrap_or(&target);
        let root = real.clone().map_or_else(|| resolved(start), Ok)?;
        let place = Place { root, inside: RelativePath::new(inside).map_err(io::Error::other)? };
        place.refuse_links_above()?;
        Ok(place)
    }
}

/// How a folder is opened to go on from it, which asks for no right to list it where the system can do that.
#[cfg(target_os = "linux")]
const TO_PASS: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const TO_PASS: OFlags = OFlags::RDONLY;

fn is_link(path: &Utf8Path) -> io::Error {
    io::Error::other(format!(
        "`{path}` is a symbolic link, which is only written through if it is named on the command line"
    ))
}

impl Place {
    /// A path without links, as the system resolved it.
    pub(super) fn at(path: &Utf8Path) -> io::Result<Place> {
        let (Some(root), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::Error::from(io::ErrorKind::InvalidFilename));
        };
        Ok(Place { root: root.to_owned(), inside: RelativePath::new(name.into()).map_err(io::Error::other)? })
    }

    /// What lies at `inside` below `root`, which has no links in it.
    pub(super) fn below(root: &Utf8Path, inside: &RelativePath) -> Place {
        Place { root: root.to_owned(), inside: inside.clone() }
    }

    /// The whole path.
    pub(super) fn path(&self) -> Utf8PathBuf {
        self.root.join(self.inside.as_path())
    }

    /// What lies beside it under another name.
    pub(super) fn beside(&self, name: &str) -> io::Result<Place> {
        let inside = RelativePath::new(&self.inside.as_path().with_file_name(name)).map_err(io::Error::other)?;
        Ok(Place { root: self.root.clone(), inside })
    }

    /// A folder that it is in.
    pub(super) fn on_the_way(&self, path: &Utf8Path) -> io::Result<Place> {
        match path.strip_prefix(&self.root).ok().and_then(|inside| RelativePath::new(inside).ok()) {
            Some(inside) => Ok(Place { root: self.root.clone(), inside }),
            None => Place::at(path),
        }
    }

    /// The folder it is in.
    pub(super) fn directory(&self) -> Utf8PathBuf {
        let path = self.path();
        path.parent().unwrap_or(&self.root).to_owned()
    }

    /// Tells of a link on the way before anything is made.
    fn refuse_links_above(&self) -> io::Result<()> {
        let (folders, _) = self.inside.split();
        let mut path = self.root.clone();
        for folder in folders {
            path.push(folder);
            if path.is_symlink() {
                return Err(is_link(&path));
            }
        }
        Ok(())
    }

    /// Opens the folder, name by name.
    fn open(&self) -> io::Result<(OwnedFd, &str)> {
        let flags = TO_PASS | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut directory = open("/", flags, Mode::empty())?;
        let (folders, name) = self.inside.split();
        let way = self.root.as_str().split('/').filter(|folder| !folder.is_empty());
        let mut path = Utf8PathBuf::from("/");
        for folder in way.chain(folders) {
            path.push(folder);
            directory = openat(&directory, folder, flags | OFlags::NOFOLLOW, Mode::empty())
                .map_err(|error| if path.is_symlink() { is_link(&path) } else { error.into() })?;
        }
        Ok((directory, name))
    }

    /// Makes a file that nobody else reads before it is whole.
    pub(super) fn create(&self) -> io::Result<File> {
        let (directory, name) = self.open()?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(openat(directory, name, flags, Mode::RUSR | Mode::WUSR)?))
    }

    /// Opens a device or a pipe that is there, to write to it. Fails for a pipe that nobody reads, which would be waited for.
    pub(super) fn open_stream(&self) -> io::Result<File> {
        let (directory, name) = self.open()?;
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        let stream = openat(directory, name, flags | OFlags::NONBLOCK, Mode::empty())?;
        fcntl_setfl(&stream, flags)?;
        Ok(File::from(stream))
    }

    /// Makes a folder.
    pub(super) fn make_directory(&self) -> io::Result<()> {
        let (directory, name) = self.open()?;
        Ok(mkdirat(directory, name, Mode::RWXU | Mode::RWXG | Mode::RWXO)?)
    }

    /// Gives the file another name, in place of what has that name.
    pub(super) fn rename_to(&self, other: &Place) -> io::Result<()> {
        let ((from, old), (to, new)) = (self.open()?, other.open()?);
        Ok(renameat(from, old, to, new)?)
    }

    /// Takes a file here that lies outside of the project, in the user's own folder.
    pub(super) fn take(&self, kept: &Utf8Path) -> io::Result<()> {
        let (to, name) = self.open()?;
        Ok(renameat(CWD, kept.as_std_path(), to, name)?)
    }

    /// Removes a file, or a link and not what it leads to.
    pub(super) fn remove_file(&self) -> io::Result<()> {
        let (directory, name) = self.open()?;
        Ok(unlinkat(directory, name, AtFlags::empty())?)
    }

    /// Removes an empty folder.
    pub(super) fn remove_directory(&self) -> io::Result<()> {
        let (directory, name) = self.open()?;
        Ok(unlinkat(directory, name, AtFlags::REMOVEDIR)?)
    }

    /// Gives what is here a second name in the user's own folder; where that is on another file system, it is copied.
    pub(super) fn keep_as(&self, kept: &Utf8Path) -> io::Result<()> {
        let (directory, name) = self.open()?;
        if linkat(&directory, name, CWD, kept.as_std_path(), AtFlags::empty()).is_ok() {
            return Ok(());
        }
        if let Ok(leads_to) = readlinkat(&directory, name, Vec::new()) {
            return Ok(symlinkat(&leads_to, CWD, kept.as_std_path())?);
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut from = File::from(openat(directory, name, flags, Mode::empty())?);
        copy(&mut from, &mut File::create_new(kept)?)
    }

    /// Gives what is kept in the user's own folder a name here, or copies it.
    pub(super) fn bring_back(&self, kept: &Utf8Path) -> io::Result<()> {
        let (directory, name) = self.open()?;
        if linkat(CWD, kept.as_std_path(), &directory, name, AtFlags::empty()).is_ok() {
            return Ok(());
        }
        if let Ok(leads_to) = readlinkat(CWD, kept.as_std_path(), Vec::new()) {
            return Ok(symlinkat(&leads_to, directory, name)?);
        }
        self.fill(&mut File::open(kept)?)
    }

    /// Makes a copy of an open file, or leaves nothing.
    fn fill(&self, from: &mut File) -> io::Result<()> {
        let mut to = self.create()?;
        let filled = copy(from, &mut to);
        if filled.is_err() {
            self.remove_file()?;
        }
        filled
    }

    /// Gives what is here a second name beside it, or copies it.
    pub(super) fn link_to(&self, other: &Place) -> io::Result<()> {
        let ((from, old), (to, new)) = (self.open()?, other.open()?);
        if linkat(&from, old, &to, new, AtFlags::empty()).is_ok() {
            return Ok(());
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        other.fill(&mut File::from(openat(from, old, flags, Mode::empty())?))
    }
}

fn copy(from: &mut File, to: &mut File) -> io::Result<()> {
    io::copy(from, to)?;
    to.set_permissions(plain_permissions(&from.metadata()?))?;
    to.sync_all()
}

/// Who may read, write and execute what was made from a file. A file that lets others act as its owner or its group does so for
/// somebody else than the one who owns the new file.
pub(super) fn plain_permissions(like: &Metadata) -> Permissions {
    Permissions::from_mode(like.mode() & 0o777)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        (folder, path)
    }

    #[test]
    fn links_are_followed_only_where_they_were_named() {
        let (_guard, top) = folder();
        std::fs::create_dir_all(top.join("real/sub")).unwrap();
        std::fs::write(top.join("real/file"), "").unwrap();
        symlink("real", top.join("link")).unwrap();
        symlink("file", top.join("real/other")).unwrap();
        symlink("sub", top.join("real/deep")).unwrap();
        let doors = Doors::named([&*top.join("link")]);
        assert_eq!(doors.of_content(&top.join("link/new")).unwrap().path(), top.join("real/new"));
        assert_eq!(doors.of_content(&top.join("link/sub/new")).unwrap().path(), top.join("real/sub/new"));
        for wrong in ["link/other", "link/deep/new", "link/../../out", "link/../other/x"] {
            assert!(doors.of_content(&top.join(wrong)).is_err(), "{wrong}");
        }
        // The link itself can be named.
        let doors = Doors::named([&*top.join("real/other")]);
        assert_eq!(doors.of_content(&top.join("real/other")).unwrap().path(), top.join("real/file"));
        assert_eq!(doors.of_name(&top.join("real/other")).unwrap().path(), top.join("real/other"));
        assert!(doors.of_content(&top.join("elsewhere")).is_err());
    }

    #[test]
    fn what_was_named_is_where_it_was_when_the_run_began() {
        let (_guard, top) = folder();
        std::fs::create_dir_all(top.join("p/sub")).unwrap();
        std::fs::create_dir_all(top.join("outside")).unwrap();
        std::fs::write(top.join("p/sub/x.cu"), "inside").unwrap();
        std::fs::write(top.join("outside/x.cu"), "precious").unwrap();
        let names = ["p/sub/x.cu", "p/sub", "p/sub/new"].map(|name| Doors::named([&*top.join(name)]));
        std::fs::rename(top.join("p/sub"), top.join("p/real")).unwrap();
        symlink("../outside", top.join("p/sub")).unwrap();
        for doors in &names {
            for name in ["p/sub/x.cu", "p/sub/new"] {
                let Ok(place) = doors.of_content(&top.join(name)) else { continue };
                assert!(place.create().unwrap_err().to_string().contains("symbolic link"), "{doors:?} {name}");
                assert!(place.remove_file().is_err(), "{doors:?} {name}");
            }
        }
        assert_eq!(std::fs::read(top.join("outside/x.cu")).unwrap(), b"precious");
        assert!(!top.join("outside/new").exists());
    }

    #[test]
    fn a_folder_that_becomes_a_link_is_not_entered() {
        let (_guard, top) = folder();
        std::fs::create_dir_all(top.join("p/sub")).unwrap();
        let place = Doors::named([&*top.join("p")]).of_content(&top.join("p/sub/new")).unwrap();
        std::fs::rename(top.join("p/sub"), top.join("was")).unwrap();
        symlink("../was", top.join("p/sub")).unwrap();
        assert!(place.create().unwrap_err().to_string().contains("symbolic link"));
        assert!(!top.join("was/new").exists());
    }
}
