//! Folders that only the user can write to: whoever else could would choose what is run, or which files are replaced.

use std::fs::{DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;

use rustix::process::geteuid;

/// Others may write.
const OPEN: u32 = 0o002;
/// The group may write, or others.
const SHARED: u32 = 0o022;
/// Only owners of entries may rename or remove these, as in `/tmp`.
const STICKY: u32 = 0o1000;

/// A folder of the user, and the variable that chooses another one.
#[derive(Debug, Clone, Copy)]
pub struct Private<'f> {
    /// The folder; what is above it is not hipshift's.
    pub folder: &'f Path,
    /// For the message.
    pub variable: &'f str,
}

impl Private<'_> {
    /// Makes `below`, which is the folder or lies in it, so that nobody else can read or write it.
    pub fn make(&self, below: &Path) -> io::Result<()> {
        self.check()?;
        DirBuilder::new().recursive(true).mode(0o700).create(below)?;
        self.check()
    }

    /// Fails if the folder is there and is a link, somebody else's, or open to others; or if others can exchange it.
    pub fn check(&self) -> io::Result<()> {
        let Private { folder, variable } = self;
        let is_private = |about: &Metadata| about.is_dir() && is_own(about) && about.mode() & SHARED == 0;
        if existing(folder.symlink_metadata())?.is_some_and(|about| !is_private(&about)) {
            return Err(io::Error::other(format!(
                "`{}` is no folder that only you can write to; make it so, or set {variable} to another folder",
                folder.display()
            )));
        }
        refuse_open_parents(folder)
    }
}

/// Fails if a folder that the user has named is open to all, or belongs to a user who could change it later. For the
/// superuser, it may belong to anybody: containers work in folders of their hosts.
pub fn check_named(folder: &Path) -> io::Result<()> {
    let Some(about) = existing(folder.metadata())? else { return refuse_open_parents(folder) };
    if about.mode() & OPEN != 0 || !(is_own(&about) || geteuid().is_root()) {
        let text = format!("others can write to `{}`; choose a folder that only you can write to", folder.display());
        return Err(io::Error::other(text));
    }
    refuse_open_parents(folder)
}

fn is_own(about: &Metadata) -> bool {
    about.uid() == geteuid().as_raw()
}

fn existing(about: io::Result<Metadata>) -> io::Result<Option<Metadata>> {
    match about {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        about => about.map(Some),
    }
}

/// Fails if all users can put another folder in the place of this one, as they can write to one above it.
pub fn refuse_open_parents(folder: &Path) -> io::Result<()> {
    let Some(above) = folder.ancestors().skip(1).find_map(|above| above.canonicalize().ok()) else { return Ok(()) };
    for above in above.ancestors() {
        let mode = above.metadata()?.mode();
        if mode & OPEN != 0 && mode & STICKY == 0 {
            return Err(io::Error::other(format!(
                "all users can exchange `{}`, as they can write to `{}`; take that right away",
                folder.display(),
                above.display()
            )));
        }
    }
    Ok(())
}
