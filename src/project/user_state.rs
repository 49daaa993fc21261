//! The user's own folder for what hipshift knows of projects: journals of runs, and what is trusted.
//!
//! What a run would put back or finish decides which files of the user are written, so it must not come
//! from a project, which may come from anybody. It belongs to the machine.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};

use camino::{Utf8Path, Utf8PathBuf};

/// Where the folder is, whether it exists or not.
pub(super) fn user_state() -> io::Result<Utf8PathBuf> {
    let named = std::env::var_os("XDG_STATE_HOME").map(std::path::PathBuf::from).filter(|path| path.is_absolute());
    let folder = named.or_else(|| Some(std::env::home_dir()?.join(".local/state")));
    let folder = folder.filter(|folder| folder.is_absolute());
    let folder = folder.ok_or_else(|| io::Error::other("no home is known; set XDG_STATE_HOME to a folder"))?;
    let folder = Utf8PathBuf::from_path_buf(folder).map_err(|_| io::ErrorKind::InvalidFilename)?;
    Ok(folder.join("hipshift"))
}

/// Makes a folder there that nobody else can read or write.
pub(super) fn make_private(folder: &Utf8Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    refuse_foreign(&user_state()?)
}

/// Another user who could write there could have any file of this user written.
pub(super) fn refuse_foreign(folder: &Utf8Path) -> io::Result<()> {
    let metadata = match folder.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let is_own = metadata.is_dir() && metadata.uid() == rustix::process::geteuid().as_raw();
    if is_own && metadata.mode() & 0o022 == 0 {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "`{folder}` is no folder that only you can write to; make it so, or set XDG_STATE_HOME to another folder"
    )))
}
