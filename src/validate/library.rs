//! Where the runtime library of hipshift's own executor lies: in the program, beside it, or where it is named.

use std::env;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::regular_file::read_regular;
use crate::toolchain::make_cache_folder;

/// The file that cargo makes of the member `backend/amdhip64`.
pub(super) const LIBRARY: &str = "libamdhip64.so";

/// The variable that names the library.
const VARIABLE: &str = "HIPSHIFT_RUNTIME";

/// No build of the library has more bytes.
const LARGEST: u64 = 1 << 30;

/// What every build of the library has in it, and no library of ROCm: it reads this variable.
const MARK: &[u8] = b"HIPSHIFT_CHECKS";

/// A library that a program was built with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bundle {
    /// The file, to the byte.
    pub bytes: &'static [u8],
    /// What tells it from other builds, fit for the name of a folder.
    pub digest: &'static str,
}

/// Where the runtime library is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Library {
    /// A file.
    File(PathBuf),
    /// In the program that runs now.
    Bundled(Bundle),
}

impl Library {
    /// The runtime library: the one that `HIPSHIFT_RUNTIME` names; the one that the program was built with; the one beside the
    /// executable that runs now, or in `lib/hipshift` or `lib` of the prefix that it is installed in.
    pub fn find(bundled: Option<Bundle>) -> Option<Library> {
        if let Some(named) = env::var_os(VARIABLE) {
            return Some(PathBuf::from(named)).filter(|path| path.is_file()).map(Library::File);
        }
        bundled.map(Library::Bundled).or_else(|| beside(env::current_exe().ok()?.parent()?).map(Library::File))
    }

    /// The library as a file. One that is in the program is written into the user's cache first, which fails if there is none
    /// that nobody else can write to: programs are run with what is there.
    pub fn file(&self) -> io::Result<PathBuf> {
        match self {
            Library::File(path) => Ok(path.clone()),
            Library::Bundled(bundle) => {
                unpack(bundle.bytes, &make_cache_folder(&format!("emulator-{}", bundle.digest))?)
            }
        }
    }

    /// The same for a run that has a folder of its own, where the library is written if there is no such cache.
    pub fn file_for_run(&self, folder: &Path) -> io::Result<PathBuf> {
        match self {
            Library::File(path) => Ok(path.clone()),
            Library::Bundled(bundle) => self.file().or_else(|_| unpack(bundle.bytes, folder)),
        }
    }
}

/// The library beside a program in `folder`.
fn beside(folder: &Path) -> Option<PathBuf> {
    // Tests run one folder below the executable.
    let own = ["", "../lib/hipshift", ".."].map(|place| folder.join(place).join(LIBRARY));
    // That of ROCm has the same name there.
    let shared = Some(folder.join("../lib").join(LIBRARY)).filter(|path| is_ours(path));
    own.into_iter().find(|path| path.is_file()).or(shared)
}

fn is_ours(path: &Path) -> bool {
    read_regular(path, LARGEST).is_ok_and(|bytes| bytes.windows(MARK.len()).any(|part| part == MARK))
}

/// Writes the library into a folder, unless it is there to the byte.
fn unpack(bytes: &[u8], folder: &Path) -> io::Result<PathBuf> {
    let path = folder.join(LIBRARY);
    if !read_regular(&path, LARGEST).is_ok_and(|there| there == bytes) {
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        new.write_all(bytes)?;
        new.persist(&path)?;
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn the_library_is_found_around_a_program_and_that_of_rocm_is_not_taken() {
        let prefix = tempfile::tempdir().unwrap();
        let program = prefix.path().join("bin");
        let put = |place: &str, text: &[u8]| {
            let path = prefix.path().join(place).join(LIBRARY);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path.canonicalize().unwrap()
        };
        fs::create_dir_all(&program).unwrap();
        assert_eq!(beside(&program), None);
        put("lib", b"the library of ROCm");
        assert_eq!(beside(&program), None);
        for (place, text) in [("lib", &b"\0HIPSHIFT_CHECKS\0"[..]), ("lib/hipshift", b""), ("bin", b"")] {
            let expected = put(place, text);
            assert_eq!(beside(&program).unwrap().canonicalize().unwrap(), expected);
        }
    }

    #[test]
    fn a_bundled_library_is_written_once_and_again_where_it_was_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = unpack(b"library", folder.path()).unwrap();
        let number = |path: &Path| fs::metadata(path).unwrap().ino();
        let first = number(&path);
        assert_eq!(number(&unpack(b"library", folder.path()).unwrap()), first);
        fs::write(&path, b"damaged").unwrap();
        assert_eq!(fs::read(unpack(b"library", folder.path()).unwrap()).unwrap(), b"library");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_run_without_a_cache_has_the_library_in_its_own_folder() {
        let folder = tempfile::tempdir().unwrap();
        // No folder can have this name.
        let library = Library::Bundled(Bundle { bytes: b"library", digest: "\0" });
        assert!(library.file().is_err());
        let path = library.file_for_run(folder.path()).unwrap();
        assert_eq!((path.parent(), fs::read(&path).unwrap()), (Some(folder.path()), b"library".to_vec()));
    }
}
