//! Folders that the environment decides about.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use crate::private_folder::Private;

/// The variable that names a folder in place of `/`.
const ROOT: &str = "HIPSHIFT_ROOT";

/// Where `opt`, `usr`, `sys` and `proc` of the machine are looked for: `/`, unless `HIPSHIFT_ROOT` names another folder, such as
/// one where a container sees those of its host.
pub(super) fn system_root() -> PathBuf {
    env::var_os(ROOT).map_or_else(|| PathBuf::from("/"), PathBuf::from)
}

/// The variable that names the folder of caches.
const CACHE: &str = "XDG_CACHE_HOME";

/// The user's folder for what hipshift can make again, whether it exists or not. Fails without a home, and where others could
/// write to it: what is in it is run.
pub fn cache_folder() -> io::Result<PathBuf> {
    let folder = user_folder(CACHE, ".cache").map(|folder| folder.join("hipshift"));
    let folder = folder.ok_or_else(|| io::Error::other(format!("no home is known; set {CACHE} to a folder")))?;
    private(&folder).check()?;
    Ok(folder)
}

/// Makes a folder of that name in [`cache_folder`], open to nobody else.
pub fn make_cache_folder(name: &str) -> io::Result<PathBuf> {
    let cache = cache_folder()?;
    let folder = cache.join(name);
    private(&cache).make(&folder)?;
    Ok(folder)
}

fn private(folder: &Path) -> Private<'_> {
    Private { folder, variable: CACHE }
}

/// A folder of the user: the one that a variable of the XDG base directories names, or one below the home. None without a home.
pub(super) fn user_folder(variable: &str, below_home: &str) -> Option<PathBuf> {
    let named = env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| Some(env::home_dir()?.join(below_home))).filter(|path| path.is_absolute())
}
