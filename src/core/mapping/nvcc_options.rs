//! Options of nvcc, and what they are to clang.

use std::sync::LazyLock;

use serde::Deserialize;

use super::load::{MappingError, toml_table};

/// What has clang compile as nvcc does without being asked (LLVM, "Clang Compiler User's Manual"): numbers in braces may be
/// narrowed, numbers that an integer does not hold become its bounds in device code, and pointers of any type may lead to one place.
pub const AS_NVCC: [&str; 4] =
    ["-Wno-c++11-narrowing", "-Xarch_device", "-fno-strict-float-cast-overflow", "-fno-strict-aliasing"];

/// What is to be done with an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptionAction {
    /// Other words take its place.
    #[default]
    Words,
    /// Its value is options of the host's compiler.
    Host,
    /// Its value is options of the linker.
    Linker,
    /// A folder of headers.
    Include,
    /// A folder of headers of the system.
    SystemInclude,
    /// GPUs.
    Targets,
    /// It makes code of NVIDIA's.
    Product,
    /// It links device code alone.
    DeviceLink,
    /// Its value is options of ptxas.
    Ptxas,
}

/// A row of `nvcc_options.toml`, whose head explains the columns.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NvccOption {
    names: Vec<String>,
    /// Whether a value belongs to it.
    #[serde(default)]
    pub value: bool,
    is: Option<String>,
    /// What is to be done with it.
    #[serde(default)]
    pub action: OptionAction,
    #[serde(default)]
    clang: Vec<String>,
    build: Option<Vec<String>>,
    /// Options that say more.
    #[serde(default)]
    beside: Vec<String>,
    /// Whether it stays in build files.
    #[serde(default)]
    pub keep: bool,
    /// Whether only nvcc has it.
    #[serde(default)]
    pub own: bool,
    /// The compiler that has it.
    #[serde(default)]
    pub compiler: Compiler,
    /// What is lost or differs.
    pub note: Option<String>,
    /// What a person can do about it.
    pub advice: Option<String>,
}

/// A compiler of CUDA's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compiler {
    /// NVIDIA's.
    #[default]
    Nvcc,
    /// Clang, whose options for CUDA are meant where it is called.
    Clang,
}

/// An option as it was found.
#[derive(Debug, Clone, Copy)]
pub struct FoundOption<'w> {
    /// What is known about it.
    pub row: &'static NvccOption,
    /// Its value.
    pub value: Option<&'w str>,
    /// Whether the value is the next word.
    pub takes_next: bool,
}

impl NvccOption {
    /// Whether clang knows it in no form, and nothing is said about that.
    pub fn is_unknown_to_clang(&self) -> bool {
        self.clang.is_empty()
            && self.note.is_none()
            && (self.advice.is_some() || self.action == OptionAction::DeviceLink)
    }

    /// The words for clang, with this value.
    pub fn for_clang(&self, value: &str) -> Vec<String> {
        filled(&self.clang, value)
    }

    /// Whether a word is an option that says all that this one does.
    pub fn is_said_by(&self, word: &str) -> bool {
        self.beside.iter().any(|name| word.trim_start_matches('-') == name && word.starts_with('-'))
    }

    /// Whether a build file can say it, in other words than for clang itself.
    pub fn has_build_words(&self) -> bool {
        self.build.is_some()
    }

    /// The words for a build file, with this value.
    pub fn for_build(&self, value: &str) -> Vec<String> {
        filled(self.build.as_ref().unwrap_or(&self.clang), value)
    }
}

fn filled(words: &[String], value: &str) -> Vec<String> {
    words.iter().map(|word| word.replace("{}", value)).collect()
}

#[derive(Deserialize)]
struct File {
    ptxas: Vec<String>,
    option: Vec<NvccOption>,
}

static FILE: LazyLock<File> = LazyLock::new(|| {
    // A test reads the table, so an error here cannot reach a release.
    read().unwrap_or_else(|_| File { ptxas: Vec::new(), option: Vec::new() })
});

fn read() -> Result<File, MappingError> {
    toml_table("nvcc_options.toml", include_str!("../../../mappings/nvcc_options.toml"))
}

/// Whether an option of ptxas says only what is printed, and how hard is tried.
pub fn only_prints(option: &str) -> bool {
    let name = option.trim_start_matches('-').split('=').next().unwrap_or_default();
    FILE.ptxas.iter().any(|known| known == name)
}

/// Letters whose value may stand behind them without a blank.
const VALUE_BEHIND: &[&str] = &["D", "U", "I", "O", "o", "t"];

/// What is known about the option that `word` is, with `next` behind it.
pub fn nvcc_option<'w>(word: &'w str, next: Option<&'w str>) -> Option<FoundOption<'w>> {
    let bare = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
    let (name, joined) = bare.split_once('=').map_or((bare, None), |(name, value)| (name, Some(value)));
    let (spaced, behind) = name.split_once(' ').map_or((name, None), |(name, value)| (name, Some(value)));
    // `-odir` is no `-o dir`.
    let attached = attached(word).filter(|_| !FILE.option.iter().any(|row| row.has(name)));
    let rows = FILE.option.iter().filter_map(|row| match row {
        _ if row.has(name) && (row.value || joined.is_none()) => Some((row, joined)),
        _ if row.value && behind.is_some() && row.has(spaced) => Some((row, behind)),
        _ => attached.filter(|(letter, _)| row.value && row.has(letter)).map(|(_, value)| (row, Some(value))),
    });
    let found = rows.map(|(row, value)| {
        let takes_next = row.value && value.is_none();
        FoundOption { row, value: value.or(next.filter(|_| takes_next)), takes_next }
    });
    let fits = |found: &FoundOption<'_>| match &found.row.is {
        // A list of kinds, of which clang does not have all: `-Werror=cross-execution-space-call,reorder`.
        Some(wanted) => found.value.is_some_and(|value| is_list_with(value, wanted)),
        None => !found.row.value || found.value.is_some(),
    };
    { found }.find(fits)
}

/// Whether a value is a word, or one of several with commas between them.
fn is_list_with(value: &str, word: &str) -> bool {
    let are_words = || value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b','));
    value == word || value.split(',').any(|kind| kind == word) && are_words()
}

/// Whether a word is an option that only nvcc has, which is true or false and has another value behind its `=`.
pub fn has_other_values(word: &str) -> bool {
    let bare = word.strip_prefix("--").or_else(|| word.strip_prefix('-')).unwrap_or_default();
    let name = bare.split_once('=').map(|(name, _)| name).filter(|_| nvcc_option(word, None).is_none());
    let is_switch = |row: &NvccOption| row.own && matches!(row.is.as_deref(), Some("true" | "false"));
    name.is_some_and(|name| FILE.option.iter().any(|row| is_switch(row) && row.has(name)))
}

/// Whether a word is an option of nvcc's that makes a file of code for GPUs alone, for which a build has a code object in HIP.
pub fn makes_code_object(word: &str) -> bool {
    nvcc_option(word, None)
        .is_some_and(|found| found.row.action == OptionAction::Product && found.row.has_build_words())
}

/// Whether a word is an option about device code that is linked by itself, of nvcc or of clang: `-rdc=false`, `-fgpu-rdc`.
pub fn speaks_of_rdc(word: &str) -> bool {
    ["-rdc", "--relocatable-device-code", "-fgpu-rdc", "-fno-gpu-rdc"].iter().any(|option| word.starts_with(option))
}

/// An option of one letter with its value behind it, such as `-DN=4`, `-Iinclude` or `-O3`.
fn attached(word: &str) -> Option<(&str, &str)> {
    let rest = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
    let (letter, value) = rest.split_at_checked(1)?;
    // `-t4`, but not `-target`.
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    (VALUE_BEHIND.contains(&letter) && !value.is_empty() && (letter != "t" || is_number)).then_some((letter, value))
}

impl NvccOption {
    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_reads_and_says_something_with_each_row() {
        for row in read().unwrap().option {
            assert!(!row.names.is_empty() && row.names.iter().all(|name| !name.starts_with('-')), "{:?}", row.names);
            assert!(row.is.is_none() || row.value, "{:?}", row.names);
            let is_told = row.advice.is_some() || row.note.is_some();
            assert!(row.action != OptionAction::Product || is_told, "{:?}", row.names);
        }
    }

    /// The options that nvcc lists, long names only (NVIDIA, "CUDA Compiler Driver NVCC", section 4.2).
    const ALL: &str = "output-file pre-include library define-macro undefine-macro include-path system-include library-path \
        output-directory dependency-output generate-dependency-targets compiler-bindir allow-unsupported-compiler archiver-binary \
        cudart cudadevrt libdevice-directory target-directory link lib device-link device-c device-w cuda compile fatbin cubin ptx \
        ltoir optix-ir preprocess generate-dependencies generate-nonsystem-dependencies generate-dependencies-with-compile \
        generate-nonsystem-dependencies-with-compile run profile debug device-debug extensible-whole-program no-compress \
        compress-mode generate-line-info optimization-info optimize dopt dlink-time-opt gen-opt-lto lto split-compile \
        split-compile-extended ftemplate-backtrace-limit ftemplate-depth no-exceptions shared x std \
        no-host-device-initializer-list expt-relaxed-constexpr extended-lambda expt-extended-lambda machine m64 \
        host-linker-script augment-host-linker-script host-relocatable-link compiler-options linker-options archive-options \
        ptxas-options nvlink-options static-global-template-stub device-entity-has-hidden-visibility \
        forward-unknown-to-host-compiler forward-unknown-to-host-linker forward-unknown-opts forward-slash-prefix-opts \
        dont-use-profile threads dryrun verbose keep keep-dir save-temps clean-targets time run-args use-local-env \
        force-cl-env-setup input-drive-prefix dependency-drive-prefix drive-prefix dependency-target-name no-align-double \
        no-device-link device-stack-protector jobserver gpu-architecture gpu-code generate-code relocatable-device-code entries \
        maxrregcount use_fast_math ftz prec-div prec-sqrt fmad extra-device-vectorization default-stream keep-device-functions \
        jump-table-density compile-as-tools-patch relocatable-ptx ofast-compile disable-warnings source-in-ptx restrict \
        Wno-deprecated-gpu-targets Wno-deprecated-declarations Wreorder Wdefault-stream-launch Wmissing-launch-bounds \
        Wext-lambda-captures-this Werror display-error-number no-display-error-number diag-error diag-suppress diag-warn \
        resource-usage help version options-file qpp-config list-gpu-code list-gpu-arch version-ident brief-diagnostics \
        fdevice-time-trace fdevice-syntax-only frandom-seed";

    #[test]
    fn every_option_of_nvcc_is_known() {
        let is_known = |name: &str| FILE.option.iter().any(|row| row.has(name));
        let unknown: Vec<&str> = ALL.split_whitespace().filter(|name| !is_known(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn values_are_found_wherever_they_stand() {
        let seen = |word, next| nvcc_option(word, next).map(|found| (found.value.map(str::to_owned), found.takes_next));
        assert_eq!(seen("-arch=sm_80", None), Some((Some("sm_80".to_owned()), false)));
        assert_eq!(seen("--gpu-architecture", Some("sm_80")), Some((Some("sm_80".to_owned()), true)));
        assert_eq!(seen("-DN=4", Some("x")), Some((Some("N=4".to_owned()), false)));
        assert_eq!(seen("-odir", Some("obj")), Some((Some("obj".to_owned()), true)));
        assert_eq!(seen("-oobj", Some("x")), Some((Some("obj".to_owned()), false)));
        assert_eq!(seen("-rdc=true", None), Some((Some("true".to_owned()), false)));
        assert!(
            seen("-rdc=maybe", None).is_none() && seen("-frobnicate", None).is_none() && seen("-arch", None).is_none()
        );
        assert!(seen("-G=3", None).is_none());
    }
}
