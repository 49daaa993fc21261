//! AMD's own libraries, where they were fetched: which a program needs, and how it starts with them.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::own_libraries::own_libraries;
use super::{Toolchain, make_cache_folder};
use crate::regular_file::open_regular;

/// A library of AMD's with what belongs to it.
#[derive(Debug, PartialEq, Eq)]
pub struct LibrarySet {
    /// The word that names it.
    pub name: &'static str,
    /// Debian's packages.
    pub(super) packages: &'static [&'static str],
    /// What programs ask for, as they stand behind `-l`, and as files.
    files: &'static [(&'static str, &'static str)],
    /// How names of its functions begin.
    prefixes: &'static [&'static str],
    /// Other sets whose files it loads.
    needs: &'static [&'static str],
}

/// All that can be fetched.
pub const LIBRARY_SETS: &[LibrarySet] = &[
    LibrarySet {
        name: "rand",
        packages: &["libhiprand1", "librocrand1"],
        files: &[("hiprand", "libhiprand.so.1"), ("rocrand", "librocrand.so.1")],
        prefixes: &["hiprand", "rocrand"],
        needs: &[],
    },
    LibrarySet {
        name: "blas",
        packages: &["libhipblas3", "librocblas5", "librocsolver0", "libroctx64-4"],
        files: &[("hipblas", "libhipblas.so.3"), ("rocblas", "librocblas.so.5")],
        prefixes: &["hipblas", "rocblas"],
        needs: &[],
    },
    LibrarySet {
        name: "fft",
        packages: &["libhipfft0", "librocfft0"],
        files: &[("hipfft", "libhipfft.so.0"), ("rocfft", "librocfft.so.0")],
        prefixes: &["hipfft", "rocfft"],
        needs: &[],
    },
    LibrarySet {
        name: "sparse",
        packages: &["libhipsparse4", "librocsparse1", "libroctx64-4"],
        files: &[("hipsparse", "libhipsparse.so.4"), ("rocsparse", "librocsparse.so.1")],
        prefixes: &["hipsparse", "rocsparse"],
        needs: &[],
    },
    LibrarySet {
        name: "solver",
        packages: &["libhipsolver1"],
        files: &[("hipsolver", "libhipsolver.so.1"), ("rocsolver", "librocsolver.so.0")],
        prefixes: &["hipsolver", "rocsolver"],
        needs: &["blas"],
    },
];

/// What the libraries were built with: a newer library of C than most machines have.
pub(super) const BASE: &[&str] = &[
    "libc6",
    "libgcc-s1",
    "libstdc++6",
    "libfmt11",
    "libgfortran5",
    "libgomp1",
    "libquadmath0",
    "libsqlite3-0",
    "libzstd1",
    "libblas3",
    "liblapack3",
];

/// Folders below that of the toolchain: one for the base, one for each set.
pub(super) const BASE_FOLDER: &str = "libraries-base";

/// Where libraries of a package lie.
const INSIDE: &str = "usr/lib/x86_64-linux-gnu";
const LOADER: &str = "ld-linux-x86-64.so.2";

/// Bytes of a program that are looked at in one go, and more than the longest name of a file has.
const PART: u64 = 1 << 20;
const LONGEST_NAME: usize = 64;

impl LibrarySet {
    /// The set of a name.
    pub fn find(name: &str) -> Option<&'static LibrarySet> {
        LIBRARY_SETS.iter().find(|set| set.name == name)
    }

    /// The set that has a function.
    pub fn of_function(name: &str) -> Option<&'static LibrarySet> {
        LIBRARY_SETS.iter().find(|set| set.prefixes.iter().any(|prefix| name.starts_with(prefix)))
    }

    /// Sets, those that they need before them, each once.
    pub(super) fn with_needed(sets: &[&'static LibrarySet]) -> Vec<&'static LibrarySet> {
        let needed = |set: &'static LibrarySet| set.needs.iter().filter_map(|name| LibrarySet::find(name)).chain([set]);
        let mut all: Vec<&LibrarySet> = Vec::new();
        for set in sets.iter().flat_map(|set| needed(set)) {
            if !all.contains(&set) {
                all.push(set);
            }
        }
        all
    }

    /// Sets, and those that are of no use without them.
    pub(super) fn with_dependent(sets: &[&'static LibrarySet]) -> Vec<&'static LibrarySet> {
        let falls = |set: &&LibrarySet| sets.iter().any(|gone| gone == set || set.needs.contains(&gone.name));
        LIBRARY_SETS.iter().filter(falls).collect()
    }

    /// The command that fetches it.
    pub fn command(&self) -> String {
        format!("hipshift toolchain install --libraries {}", self.name)
    }

    /// The folder of a set below that of the toolchain.
    pub(super) fn folder(&self) -> String {
        format!("libraries-{}", self.name)
    }

    /// Whether a part of a program asks for one of its files.
    fn is_needed(&self, program: &[u8]) -> bool {
        let asks = |file: &str| memchr::memmem::find(program, &[file.as_bytes(), b"\0"].concat()).is_some();
        self.files.iter().any(|(_, file)| asks(file))
    }
}

/// The libraries that lie in a folder of a toolchain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Libraries {
    root: PathBuf,
    /// What compiles kernels that they have as text.
    compiler: Option<PathBuf>,
}

/// How a program starts with libraries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryStart {
    /// The loader that the libraries need.
    pub loader: PathBuf,
    /// Folders of libraries.
    pub folders: Vec<PathBuf>,
    /// Variables.
    pub environment: Vec<(String, String)>,
}

impl Libraries {
    /// Those in a folder that `toolchain install` fills.
    pub fn in_folder(root: &Path) -> Libraries {
        Libraries { root: root.to_owned(), compiler: None }
    }

    /// Those beside a toolchain that was installed by hipshift.
    pub fn beside(toolchain: &Toolchain) -> Option<Libraries> {
        let root = toolchain.rocm.parent()?.parent()?;
        let compiler = Some(toolchain.compiler.clone());
        root.join(BASE_FOLDER).is_dir().then(|| Libraries { compiler, ..Libraries::in_folder(root) })
    }

    /// The sets that are here.
    pub fn sets(&self) -> impl Iterator<Item = (&'static LibrarySet, PathBuf)> {
        let place = |set: &'static LibrarySet| (set, self.root.join(set.folder()).join(INSIDE));
        LIBRARY_SETS.iter().map(place).filter(|(_, folder)| folder.is_dir())
    }

    /// The sets that the program at a path asks for, here or not, and so do libraries of its own that it finds in folders which it
    /// names or which are `searched`.
    pub fn needed(program: &Path, searched: &[PathBuf]) -> io::Result<Vec<&'static LibrarySet>> {
        let mut needed = named_in(program)?;
        // What AMD's libraries ask for comes with them.
        let is_own = |name: &str| !LIBRARY_SETS.iter().any(|set| set.files.iter().any(|(_, file)| *file == name));
        for library in own_libraries(program, searched, is_own) {
            needed.extend(named_in(&library).unwrap_or_default());
        }
        Ok(LIBRARY_SETS.iter().filter(|set| needed.contains(set)).collect())
    }

    /// How a program starts that asks for sets which are here; none where it asks for no set. Libraries of its own are looked for as
    /// by [`needed`](Libraries::needed).
    pub fn start(&self, program: &Path, searched: &[PathBuf]) -> Option<LibraryStart> {
        self.start_with(&Libraries::needed(program, searched).ok()?)
    }

    /// How a program starts that asks for the sets `needed`; none where no such set is here.
    pub fn start_with(&self, needed: &[&LibrarySet]) -> Option<LibraryStart> {
        let is_here = self.sets().any(|(set, _)| needed.contains(&set));
        is_here.then(|| self.start_with_base(needed))
    }

    /// How a program starts that was built with the same library of C as the libraries, and asks for the sets `needed`. All sets that
    /// are here are found.
    pub fn start_with_base(&self, needed: &[&LibrarySet]) -> LibraryStart {
        let here: Vec<_> = self.sets().collect();
        let base = self.root.join(BASE_FOLDER).join(INSIDE);
        let beside = ["blas", "lapack"].map(|name| base.join(name));
        let kernels = here.iter().map(|(_, folder)| folder.join("rocblas/5/library")).find(|folder| folder.is_dir());
        let kernels = kernels.map(|folder| ("ROCBLAS_TENSILE_LIBPATH".to_owned(), folder.display().to_string()));
        let compiles = needed.iter().any(|set| set.name == "fft");
        let environment = kernels.into_iter().chain(compiles.then(|| self.fft_variables()).into_iter().flatten());
        let mut environment: Vec<_> = environment.collect();
        let loader = base.join(LOADER);
        let own: Vec<PathBuf> = here.into_iter().map(|(_, folder)| folder).collect();
        let names = own.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(":");
        environment.push(("HIPSHIFT_LIBRARIES".to_owned(), names));
        let folders = own.into_iter().chain([base]).chain(beside).collect();
        LibraryStart { loader, folders, environment }
    }

    /// How rocFFT compiles its kernels: in the program itself, as its helper would start with the loader of the system; and it keeps
    /// them where hipshift keeps what it can make again, for each compiler apart. Source: rocFFT's documentation, "Runtime compilation".
    fn fft_variables(&self) -> Vec<(String, String)> {
        let mut variables = vec![("ROCFFT_RTC_PROCESS".to_owned(), "0".to_owned())];
        // Without such a folder they are compiled each time.
        if let (Some(compiler), Ok(folder)) = (&self.compiler, make_cache_folder("rocfft")) {
            let changed = fs::metadata(compiler).and_then(|about| about.modified()).ok();
            let mut key = DefaultHasher::new();
            (compiler, changed, env!("CARGO_PKG_VERSION")).hash(&mut key);
            let file = folder.join(format!("{:016x}.db", key.finish()));
            variables.push(("ROCFFT_RTC_CACHE_PATH".to_owned(), file.display().to_string()));
        }
        variables
    }

    /// What has a linker take the libraries that a program uses.
    pub fn link_words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for (set, folder) in self.sets() {
            words.push(format!("-L{}", folder.display()));
            words.extend(set.files.iter().map(|(_, file)| format!("-l:{file}")));
        }
        if words.is_empty() {
            return words;
        }
        // They were built with a newer library of C than that of the machine.
        ["-Wl,--as-needed".to_owned(), "-Wl,--allow-shlib-undefined".to_owned()].into_iter().chain(words).collect()
    }

    /// Whether a word behind `-l` is one of the libraries that are here.
    pub fn has(&self, name: &str) -> bool {
        self.sets().any(|(set, _)| set.files.iter().any(|(word, _)| *word == name))
    }
}

/// The sets that a file names. However long it is, a part of it is read at a time.
fn named_in(path: &Path) -> io::Result<Vec<&'static LibrarySet>> {
    let mut file = open_regular(path, u64::MAX)?;
    let mut needed = vec![false; LIBRARY_SETS.len()];
    let mut part = Vec::new();
    loop {
        // A name may begin in one part and end in the next.
        part.drain(..part.len().saturating_sub(LONGEST_NAME));
        if file.by_ref().take(PART).read_to_end(&mut part)? == 0 {
            break;
        }
        needed.iter_mut().zip(LIBRARY_SETS).for_each(|(needed, set)| *needed |= set.is_needed(&part));
    }
    Ok(LIBRARY_SETS.iter().zip(needed).filter_map(|(set, needed)| needed.then_some(set)).collect())
}

impl LibraryStart {
    /// The words in front of a program and its arguments; `first` are folders that are searched before.
    pub fn words(&self, first: &[PathBuf], program: &Path) -> Vec<String> {
        let folders: Vec<String> = first.iter().chain(&self.folders).map(|path| path.display().to_string()).collect();
        vec!["--library-path".to_owned(), folders.join(":"), program.display().to_string()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_name_what_they_need() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let names = |program: &[u8]| {
            fs::write(file.path(), program).unwrap();
            Libraries::needed(file.path(), &[]).unwrap().iter().map(|set| set.name).collect::<Vec<_>>()
        };
        assert_eq!(names(b"\0libhiprand.so.1\0libc.so.6\0"), ["rand"]);
        assert_eq!(names(b"\0librocblas.so.5\0librocrand.so.1\0"), ["rand", "blas"]);
        assert!(names(b"\0libhiprand.so.11\0libc.so.6\0").is_empty());
        let long = [vec![1; (1 << 20) - 7], b"\0libhiprand.so.1\0".to_vec(), vec![1; 1 << 20]].concat();
        assert_eq!(names(&long), ["rand"]);
        assert_eq!(
            LibrarySet::of_function("hipblasSgemm").unwrap().command(),
            "hipshift toolchain install --libraries blas"
        );
        assert_eq!(LibrarySet::of_function("hipMalloc"), None);
    }

    #[test]
    fn a_program_starts_with_what_is_here_and_needed() {
        let root = tempfile::tempdir().unwrap();
        let program = root.path().join("program");
        fs::write(&program, b"\0libhiprand.so.1\0").unwrap();
        let libraries = Libraries::in_folder(root.path());
        assert_eq!(libraries.start(&program, &[]), None);
        assert!(libraries.link_words().is_empty());
        let folder = root.path().join("libraries-rand").join(INSIDE);
        fs::create_dir_all(&folder).unwrap();
        let start = libraries.start(&program, &[]).unwrap();
        assert_eq!(start.loader, root.path().join("libraries-base").join(INSIDE).join(LOADER));
        let words = start.words(&["/own".into()], &program);
        assert!(words[1].starts_with(&format!("/own:{}:", folder.display())), "{words:?}");
        assert!(libraries.has("hiprand") && !libraries.has("hipblas"));
        assert!(libraries.link_words().contains(&"-l:libhiprand.so.1".to_owned()));
        assert_eq!(start.environment, [("HIPSHIFT_LIBRARIES".to_owned(), folder.display().to_string())]);
        fs::write(&program, b"\0libhipblas.so.3\0").unwrap();
        assert_eq!(libraries.start(&program, &[]), None);
        // What needs the base alone has all that is here.
        assert_eq!(libraries.start_with_base(&[]), start);
    }

    #[test]
    fn kernels_of_transforms_are_compiled_in_the_program() {
        let root = tempfile::tempdir().unwrap();
        let program = root.path().join("program");
        fs::write(&program, b"\0libhipfft.so.0\0").unwrap();
        fs::create_dir_all(root.path().join("libraries-fft").join(INSIDE)).unwrap();
        let start = Libraries::in_folder(root.path()).start(&program, &[]).unwrap();
        assert_eq!(start.environment[0], ("ROCFFT_RTC_PROCESS".to_owned(), "0".to_owned()));
    }

    #[test]
    fn sets_come_and_go_with_those_that_need_them() {
        let names = |sets: Vec<&LibrarySet>| sets.into_iter().map(|set| set.name).collect::<Vec<_>>();
        let [blas, solver] = ["blas", "solver"].map(|name| LibrarySet::find(name).unwrap());
        assert_eq!(names(LibrarySet::with_needed(&[solver, blas])), ["blas", "solver"]);
        assert_eq!(names(LibrarySet::with_dependent(&[blas])), ["blas", "solver"]);
        assert_eq!(names(LibrarySet::with_dependent(&[solver])), ["solver"]);
    }
}
