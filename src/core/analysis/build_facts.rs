//! What build files say that other files of the project need to know.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::source_lists::SourceLists;

/// What the build files of a project say together, or one of them says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is something else that files say")]
pub struct BuildFacts {
    /// A build file that sets `-munsafe-fp-atomics`: the compiler may take fast atomics on floating point numbers everywhere.
    pub unsafe_atomics: Option<Utf8PathBuf>,
    /// A file of CMake that has device code compiled apart and linked later (CMake, `CUDA_SEPARABLE_COMPILATION`).
    pub linked_apart: Option<Utf8PathBuf>,
    /// Whether any build file has device code compiled so that it is linked later (nvcc, `-rdc=true` and `-dc`).
    pub is_relocatable: bool,
    /// Whether a build file that speaks to nvcc has device code compiled so: no option of clang's says it yet.
    pub is_relocatable_for_nvcc: bool,
    /// Whether a build file asks for a default stream of each thread (nvcc, `--default-stream`).
    pub per_thread_streams: bool,
    /// Whether a source includes CUB or Thrust, in whose place stand libraries with needs of their own.
    pub uses_primitives: bool,
    /// Whether code asks whether nvcc reads it as CUDA C++ (`#ifdef __CUDACC__`), which it does not read C++ for the host as.
    pub asks_for_nvcc: bool,
    /// Whether a source includes NVTX, in whose place stands a library that has to be linked.
    pub uses_nvtx: bool,
    /// Whether a build file says for commands that it does not name that sources are CUDA's whatever their suffix (nvcc, `-x cu`).
    pub names_language: bool,
    /// Variables of makefiles and scripts that hold that option.
    pub language_variables: BTreeSet<String>,
    /// Variables of makefiles with options between commas, `FLAGS = -O3,-Wall`, as `-Xcompiler` of nvcc takes them.
    pub comma_lists: BTreeSet<String>,
    /// Variables of makefiles whose value is the folder of CUDA, by whatever name.
    pub folder_variables: BTreeSet<String>,
    /// Variables of makefiles that name GPUs for a compiler, by themselves or by way of others.
    pub gpu_variables: BTreeSet<String>,
    /// Variables of makefiles that name none, as all is known that they hold.
    pub plain_variables: BTreeSet<String>,
    /// Variables that hold names of libraries, which a loop of a script puts `-l` in front of.
    pub library_lists: BTreeSet<String>,
    /// Libraries that files of CMake build themselves and call as CUDA's are called: `add_library(nccl …)`.
    pub own_libraries: BTreeSet<String>,
    /// Packages of HIP's with what stands in place of the targets of CUDA's that files of CMake name.
    pub packages: BTreeSet<&'static str>,
    /// Packages whose targets stand in lists that files of CMake hand to the folders above them (`PARENT_SCOPE`) or to all, with the folders
    /// of these files.
    pub handed_packages: BTreeSet<(Utf8PathBuf, &'static str)>,
    /// The folders whose build files make errors of warnings (`-Werror`).
    pub warnings_as_errors: Vec<Utf8PathBuf>,
    /// Variables of CMake that may hold sources.
    pub source_lists: SourceLists,
}

impl BuildFacts {
    /// Takes in what another file says, unless an earlier one said the same.
    pub fn add(&mut self, other: &BuildFacts) {
        let first = |known: &mut Option<Utf8PathBuf>, new: &Option<Utf8PathBuf>| {
            *known = known.take().or_else(|| new.clone());
        };
        first(&mut self.unsafe_atomics, &other.unsafe_atomics);
        first(&mut self.linked_apart, &other.linked_apart);
        self.is_relocatable |= other.is_relocatable;
        self.is_relocatable_for_nvcc |= other.is_relocatable_for_nvcc;
        self.uses_primitives |= other.uses_primitives;
        self.asks_for_nvcc |= other.asks_for_nvcc;
        self.uses_nvtx |= other.uses_nvtx;
        self.names_language |= other.names_language;
        self.language_variables.extend(other.language_variables.iter().cloned());
        self.per_thread_streams |= other.per_thread_streams;
        self.comma_lists.extend(other.comma_lists.iter().cloned());
        self.folder_variables.extend(other.folder_variables.iter().cloned());
        self.gpu_variables.extend(other.gpu_variables.iter().cloned());
        self.plain_variables.extend(other.plain_variables.iter().cloned());
        self.library_lists.extend(other.library_lists.iter().cloned());
        self.own_libraries.extend(other.own_libraries.iter().cloned());
        self.packages.extend(&other.packages);
        self.handed_packages.extend(other.handed_packages.iter().cloned());
        self.warnings_as_errors.extend(other.warnings_as_errors.iter().cloned());
        self.source_lists.add(&other.source_lists);
    }

    /// Whether the build of a file makes errors of warnings, as far as its place tells.
    pub fn makes_errors_of_warnings(&self, file: &Utf8Path) -> bool {
        self.warnings_as_errors.iter().any(|folder| file.starts_with(folder))
    }
}
