//! The user's own folder for what hipshift knows of projects: journals of runs, and what is trusted.
//!
//! What a run would put back or finish decides which files of the user are written, so it must not come
//! from a project, which may come from anybody. It belongs to the machine.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use crate::private_folder::Private;

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
    private(&user_state()?).make(folder.as_std_path())
}

/// Another user who could write there could have any file of this user written.
pub(super) fn refuse_foreign(folder: &Utf8Path) -> io::Result<()> {
    private(folder).check()
}

fn private(folder: &Utf8Path) -> Private<'_> {
    Private { folder: folder.as_std_path(), variable: "XDG_STATE_HOME" }
}
