//! Folders that the environment decides about.

use std::env;
use std::path::PathBuf;

/// The variable that names a folder in place of `/`.
const ROOT: &str = "HIPSHIFT_ROOT";

/// Where `opt`, `usr`, `sys` and `proc` of the machine are looked for: `/`, unless `HIPSHIFT_ROOT` names another folder, such as
/// one where a container sees those of its host.
pub(super) fn system_root() -> PathBuf {
    env::var_os(ROOT).map_or_else(|| PathBuf::from("/"), PathBuf::from)
}

/// The user's folder for what hipshift can make again. None without a home.
pub fn cache_folder() -> Option<PathBuf> {
    Some(user_folder("XDG_CACHE_HOME", ".cache")?.join("hipshift"))
}

/// A folder of the user: the one that a variable of the XDG base directories names, or one below the home. None without a home.
pub(super) fn user_folder(variable: &str, below_home: &str) -> Option<PathBuf> {
    let named = env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(below_home)))
}
