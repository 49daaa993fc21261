//! hipshift's own executor: where its runtime library lies, and what programs need in order to load it.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};

use crate::mapping::Target;

/// The file that cargo makes of the member `backend/amdhip64`.
const LIBRARY: &str = "libamdhip64.so";

/// The names that programs ask for: ROCm 7, 6 and 5, and the linker.
const NAMES: &[&str] = &["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", LIBRARY];

/// The variable that names the library.
pub(super) const VARIABLE: &str = "HIPSHIFT_RUNTIME";

/// The runtime library: the one that `HIPSHIFT_RUNTIME` names, beside the executable that runs now, or in
/// `lib/hipshift` of the prefix that it is installed in.
pub fn find_library() -> Option<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE) {
        return Some(PathBuf::from(named)).filter(|path| path.is_file());
    }
    let executable = env::current_exe().ok()?;
    let folder = executable.parent()?;
    // Tests run one folder below the executable.
    let places = [folder.join(LIBRARY), folder.join("../lib/hipshift").join(LIBRARY), folder.join("..").join(LIBRARY)];
    places.into_iter().find(|path| path.is_file())
}

/// Fills a folder with the library under all its names.
pub fn link_names(library: &Path, folder: &Utf8Path) -> io::Result<Utf8PathBuf> {
    let folder = folder.join("runtime");
    std::fs::create_dir_all(&folder)?;
    let library = std::fs::canonicalize(library)?;
    for name in NAMES {
        match std::os::unix::fs::symlink(&library, folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(folder)
}

/// The variables that have a program load the library and emulate a target.
pub fn environment(folder: &Utf8Path, target: &Target) -> Vec<(String, String)> {
    [("LD_LIBRARY_PATH", folder.as_str()), ("HIPSHIFT_ARCH", target.name.as_str())]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}
