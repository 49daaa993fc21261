//! `hipshift.toml`: the nearest one above the input holds.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

use super::home::folder_of;
use super::kernel_config::KernelConfig;
use super::own_place::{project_top, refuse_way_out};
use super::program_config::ProgramConfig;
use super::proposed_config::CHOSEN;
use super::read::read_named;
use crate::diagnostic::{Applicability, Severity};
use crate::mapping::{RocmVersion, Target};
use crate::settings::{BuildMode, ExtensionStyle, LaunchBounds, LaunchStyle, Settings, WavePolicy};

/// The name of the file.
const FILE_NAME: &str = "hipshift.toml";

/// A configuration file as written. Every key is optional.
#[derive(Debug, Clone, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// ROCm release to convert for, such as `"7.2"`.
    pub rocm: Option<String>,
    /// Targets, such as `["gfx90a", "gfx1100"]`.
    pub arch: Option<Vec<String>>,
    /// How launches are written.
    pub launch: Option<LaunchWord>,
    /// What the second argument of `__launch_bounds__` becomes.
    pub launch_bounds: Option<BoundsWord>,
    /// How many lanes warps have.
    pub wave_policy: Option<WaveWord>,
    /// Where definitions for warps of 32 lanes go.
    pub helpers: Option<HelpersWord>,
    /// The name of the header for them.
    pub helpers_header: Option<String>,
    /// How output files are named.
    pub ext: Option<ExtensionWord>,
    /// Apply fixes that may change behaviour.
    pub unsafe_fixes: Option<bool>,
    /// Rename in program text inside strings.
    pub strings: Option<bool>,
    /// Only these rules run.
    pub select: Option<Vec<String>>,
    /// These rules do not run.
    pub ignore: Option<Vec<String>>,
    /// Severity by rule.
    #[serde(default)]
    pub severity: BTreeMap<String, SeverityWord>,
    /// `"hip"` or `"roc"` by library table, such as `cublas = "roc"`.
    #[serde(default)]
    pub libraries: BTreeMap<String, LibraryWord>,
    /// File patterns to convert.
    pub include: Option<Vec<String>>,
    /// File patterns to leave out.
    pub exclude: Option<Vec<String>>,
    /// Whether build files are converted.
    pub build_files: Option<bool>,
    /// What becomes of files of CMake.
    pub build_mode: Option<BuildWord>,
    /// Mapping tables of the project, relative to this file.
    #[serde(default)]
    pub mappings: Vec<Utf8PathBuf>,
    /// How `validate` compiles.
    #[serde(default)]
    pub validate: ValidateConfig,
}

/// `[validate]` in the file. Paths are relative to it.
#[derive(Debug, Clone, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ValidateConfig {
    /// Folder of the compiler and of HIP's headers.
    pub toolchain: Option<Utf8PathBuf>,
    /// `compile_commands.json` of the CUDA build.
    pub compile_commands: Option<Utf8PathBuf>,
    /// Folders that are searched for included files.
    pub include: Vec<Utf8PathBuf>,
    /// Macros, as `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
    /// Language standard, such as `c++20`.
    pub standard: Option<String>,
    /// Options of clang.
    pub flags: Vec<String>,
    /// Options of nvcc.
    pub nvcc_flags: Vec<String>,
    /// Kernels that are started without a program of the user.
    pub kernel: Vec<KernelConfig>,
    /// What single programs are given.
    pub program: Vec<ProgramConfig>,
}

impl ValidateConfig {
    /// Files outside of the project of the configuration at `file` that programs and kernels are to read: reports show what these
    /// print, and elements of arrays.
    pub fn input_powers(&self, file: &Utf8Path) -> Vec<String> {
        let inputs = self.program.iter().filter_map(|program| program.stdin.as_ref());
        let inputs = outside(file, inputs).into_iter().map(|path| format!("the input `{path}` of a program"));
        let arrays = self.kernel.iter().flat_map(KernelConfig::arrays);
        inputs.chain(outside(file, arrays).into_iter().map(|path| format!("the array `{path}` of a kernel"))).collect()
    }
}

/// `launch` in the file.
#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum LaunchWord {
    /// `hipLaunchKernelGGL`
    Ggl,
    /// Chevrons.
    Chevron,
}

/// `launch-bounds` in the file.
#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum BoundsWord {
    /// Waves per execution unit.
    PerEu,
    /// The formula of ROCm's documents.
    RocmDocs,
}

/// `wave-policy` in the file.
#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum WaveWord {
    /// 32, as CUDA has them.
    Auto,
    /// 32 on every target.
    Logical32,
    /// As many as a wave has.
    Native,
}

/// `helpers` in the file.
#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum HelpersWord {
    /// Into each file that uses them.
    Inline,
    /// To a header.
    Header,
}

/// `ext` in the file.
#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
pub enum ExtensionWord {
    /// As they are.
    #[serde(rename = "keep")]
    Keep,
    /// `.hip`
    #[serde(rename = "hip")]
    Hip,
    /// `.hip.cpp`
    #[serde(rename = "hip.cpp")]
    HipCpp,
}

/// `build-mode` in the file.
#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum BuildWord {
    /// HIP in the place of CUDA.
    Replace,
    /// Both, and a variable chooses.
    Option,
}

/// A severity in the file.
#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum SeverityWord {
    /// Counted only.
    Hint,
    /// Worth knowing.
    Info,
    /// May compute wrongly.
    Warning,
    /// Will not compile.
    Error,
}

/// A library choice in the file.
#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum LibraryWord {
    /// hipBLAS and the like.
    Hip,
    /// rocBLAS and the like.
    Roc,
}

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: Utf8PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not what it should be; the message names line and column.
    #[error("{path}: {message}")]
    Syntax {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A value is not known.
    #[error("`{key}`: {message}")]
    Value {
        /// The key or option.
        key: &'static str,
        /// What is wrong.
        message: String,
    },
}

/// For how many seconds a program of a project may run.
const LONGEST_RUN: u64 = 24 * 60 * 60;

/// The nearest `hipshift.toml` at or above `start`.
pub fn find_config(start: &Utf8Path) -> Option<Utf8PathBuf> {
    let start = start.canonicalize_utf8().ok()?;
    start.ancestors().map(|directory| directory.join(FILE_NAME)).find(|file| file.is_file())
}

impl Config {
    /// Reads a file that was found, and not named by the user.
    pub fn found(path: &Utf8Path) -> Result<Config, ConfigError> {
        let folder = path.parent().unwrap_or(Utf8Path::new("."));
        refuse_way_out(path, folder).map_err(|source| ConfigError::Io { path: path.to_owned(), source })?;
        Config::read(path)
    }

    /// Reads a file.
    pub fn read(path: &Utf8Path) -> Result<Config, ConfigError> {
        let text = read_named(path).map_err(|source| ConfigError::Io { path: path.to_owned(), source })?;
        let mut config =
            Config::parse(&text).map_err(|message| ConfigError::Syntax { path: path.to_owned(), message })?;
        let directory = &folder_of(path);
        let ValidateConfig { toolchain, compile_commands, include, .. } = &mut config.validate;
        for path in config.mappings.iter_mut().chain(toolchain).chain(compile_commands).chain(include) {
            *path = directory.join(&path);
        }
        for kernel in &mut config.validate.kernel {
            kernel.resolve(directory);
        }
        for program in &mut config.validate.program {
            program.resolve(directory);
        }
        if config.validate.program.iter().any(|program| program.timeout.is_some_and(|seconds| seconds > LONGEST_RUN)) {
            return Err(ConfigError::Value { key: "timeout", message: format!("at most {LONGEST_RUN} seconds") });
        }
        Ok(config)
    }

    /// Mapping tables outside of the project at `file`: lines of any file could be shown as if they were such.
    pub fn table_powers(&self, file: &Utf8Path) -> Vec<String> {
        let outside = outside(file, self.mappings.iter());
        outside.into_iter().map(|path| format!("the mapping table `{path}`")).collect()
    }

    fn parse(text: &str) -> Result<Config, String> {
        toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())
    }

    /// Changes `settings` by what the file says.
    pub fn apply(&self, settings: &mut Settings) -> Result<(), ConfigError> {
        if let Some(rocm) = &self.rocm {
            settings.rocm = parse_rocm(rocm)?;
        }
        if let Some(arch) = &self.arch {
            settings.targets = parse_targets(arch)?;
        }
        match self.launch {
            Some(LaunchWord::Ggl) => settings.launch = LaunchStyle::Ggl,
            Some(LaunchWord::Chevron) => settings.launch = LaunchStyle::Chevron,
            None => {}
        }
        match self.launch_bounds {
            Some(BoundsWord::PerEu) => settings.launch_bounds = LaunchBounds::PerEu,
            Some(BoundsWord::RocmDocs) => settings.launch_bounds = LaunchBounds::RocmDocs,
            None => {}
        }
        match self.wave_policy {
            Some(WaveWord::Auto) => settings.wave_policy = WavePolicy::Auto,
            Some(WaveWord::Logical32) => settings.wave_policy = WavePolicy::Logical32,
            Some(WaveWord::Native) => settings.wave_policy = WavePolicy::Native,
            None => {}
        }
        match self.ext {
            Some(ExtensionWord::Keep) => settings.extension = ExtensionStyle::Keep,
            Some(ExtensionWord::Hip) => settings.extension = ExtensionStyle::Hip,
            Some(ExtensionWord::HipCpp) => settings.extension = ExtensionStyle::HipCpp,
            None => {}
        }
        match self.build_mode {
            Some(BuildWord::Replace) => settings.build_mode = BuildMode::Replace,
            Some(BuildWord::Option) => settings.build_mode = BuildMode::Option,
            None => {}
        }
        match self.unsafe_fixes {
            Some(true) => settings.applicability = Applicability::Unsafe,
            Some(false) => settings.applicability = Applicability::Safe,
            None => {}
        }
        self.apply_rules(settings)
    }

    fn apply_rules(&self, settings: &mut Settings) -> Result<(), ConfigError> {
        settings.strings = self.strings.unwrap_or(settings.strings);
        check_rules("select", self.select.iter().flatten())?;
        check_rules("ignore", self.ignore.iter().flatten())?;
        check_rules("severity", self.severity.keys())?;
        settings.rules.select.extend(self.select.iter().flatten().cloned());
        settings.rules.ignore.extend(self.ignore.iter().flatten().cloned());
        settings.rules.severities.extend(self.severity.iter().map(|(rule, word)| (rule.clone(), (*word).into())));
        check_libraries(&self.libraries)?;
        for (library, word) in &self.libraries {
            if *word == LibraryWord::Roc {
                settings.libraries.prefer_roc(library);
            }
        }
        Ok(())
    }
}

impl From<SeverityWord> for Severity {
    fn from(word: SeverityWord) -> Severity {
        match word {
            SeverityWord::Hint => Severity::Hint,
            SeverityWord::Info => Severity::Info,
            SeverityWord::Warning => Severity::Warning,
            SeverityWord::Error => Severity::Error,
        }
    }
}

/// A release that hipshift can convert for.
pub fn parse_rocm(text: &str) -> Result<RocmVersion, ConfigError> {
    let error = |message: String| ConfigError::Value { key: "rocm", message };
    let version: RocmVersion = text.parse().map_err(|e: crate::mapping::VersionError| error(e.to_string()))?;
    if version < RocmVersion::OLDEST || version > RocmVersion::NEWEST {
        let (oldest, newest) = (RocmVersion::OLDEST, RocmVersion::NEWEST);
        return Err(error(format!("ROCm {version} is not supported; choose {oldest} to {newest}")));
    }
    Ok(version)
}

/// The name of a header: that of a file, without a folder, that an include can spell.
pub fn check_header_name(name: &str) -> Result<(), ConfigError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let has_extension =
        [".h", ".hpp", ".hh", ".hxx", ".cuh"].iter().any(|end| name.len() > end.len() && name.ends_with(end));
    if has_extension && !name.starts_with(['.', '-']) && name.chars().all(is_plain) {
        return Ok(());
    }
    let message = format!("`{name}` is no name for a header; write a file's name such as `warp.h`, without a folder");
    Err(ConfigError::Value { key: "helpers-header", message })
}

/// Known targets.
pub fn parse_targets(names: &[String]) -> Result<Vec<&'static Target>, ConfigError> {
    if names.is_empty() {
        return Err(ConfigError::Value { key: "arch", message: "name at least one target".to_owned() });
    }
    let found = names.iter().map(|name| Target::find(name)).collect::<Result<Vec<_>, _>>();
    found.map_err(|error| ConfigError::Value { key: "arch", message: error.to_string() })
}

/// Names that must select at least one rule.
pub fn check_rules<'n>(key: &'static str, names: impl Iterator<Item = &'n String>) -> Result<(), ConfigError> {
    for name in names {
        if !crate::settings::selects_any(name, crate::engine::rules()) {
            let message = format!("no rule is called `{name}`; `hipshift explain` lists all rules");
            return Err(ConfigError::Value { key, message });
        }
    }
    Ok(())
}

/// Earlier versions wrote a choice for cuDNN, which goes to MIOpen now whatever is chosen.
const WITHOUT_CHOICE: (&str, LibraryWord) = ("cudnn", LibraryWord::Roc);

fn check_libraries(chosen: &BTreeMap<String, LibraryWord>) -> Result<(), ConfigError> {
    for (library, word) in chosen {
        if !CHOSEN.contains(&library.as_str()) && (library.as_str(), *word) != WITHOUT_CHOICE {
            let message = format!("there is no choice for `{library}`, only for {}", CHOSEN.join(", "));
            return Err(ConfigError::Value { key: "libraries", message });
        }
    }
    Ok(())
}

/// Those of `paths` that lie outside of the project of a configuration.
fn outside<'p>(file: &Utf8Path, paths: impl Iterator<Item = &'p Utf8PathBuf>) -> Vec<&'p Utf8PathBuf> {
    let Ok(file) = file.canonicalize_utf8() else { return Vec::new() };
    let Some(folder) = file.parent() else { return Vec::new() };
    let top = project_top(folder);
    paths.filter(|path| path.canonicalize_utf8().is_ok_and(|path| !path.starts_with(top))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::kernel_config::NumberConfig;
    use super::*;

    #[test]
    fn a_file_sets_what_it_says() {
        let text = "rocm = \"6.4\"\narch = [\"gfx942\"]\nlaunch = \"chevron\"\nlaunch-bounds = \"rocm-docs\"\next = \"hip.cpp\"\nunsafe-fixes = true\n\
                    ignore = [\"A006\"]\n[severity]\nunknown-name = \"error\"\n[libraries]\ncublas = \"roc\"\n";
        let mut settings = Settings::default();
        Config::parse(text).unwrap().apply(&mut settings).unwrap();
        assert_eq!(settings.rocm, RocmVersion::new(6, 4));
        assert_eq!(settings.targets.len(), 1);
        assert_eq!((settings.launch, settings.extension), (LaunchStyle::Chevron, ExtensionStyle::HipCpp));
        assert_eq!(settings.launch_bounds, LaunchBounds::RocmDocs);
        assert_eq!(settings.applicability, Applicability::Unsafe);
        assert_eq!(settings.rules.severities, [("unknown-name".to_owned(), Severity::Error)]);
        assert_eq!(settings.libraries.flavor("cublas"), crate::mapping::Flavor::Roc);
    }

    #[test]
    fn a_choice_that_does_not_exist_is_refused() {
        let apply = |text: &str| Config::parse(text).unwrap().apply(&mut Settings::default());
        for text in ["[libraries]\ncudnn = \"hip\"\n", "[libraries]\ncufft = \"roc\"\n"] {
            assert!(apply(text).unwrap_err().to_string().contains("cublas, cusparse, curand, cusolver"), "{text}");
        }
        // Earlier versions of `init` wrote it.
        apply("[libraries]\ncudnn = \"roc\"\n").unwrap();
    }

    #[test]
    fn kernels_are_read_with_all_that_they_are_given() {
        let text = "[[validate.kernel]]\nname = \"saxpy\"\nsource = \"a.cu\"\ngrid = 4\nblock = [64, 2]\n\
                    tolerance = { ulp = 2, nan = \"ignore\" }\n[[validate.kernel.argument]]\ntype = \"int\"\nvalue = 3\n\
                    [[validate.kernel.argument]]\ntype = \"float\"\nlength = 9\nramp = [0, 0.5]\nfile = \"x.npy\"\n";
        let mut config = Config::parse(text).unwrap();
        let kernel = &mut config.validate.kernel[0];
        kernel.resolve("sub".into());
        assert_eq!((kernel.source.as_str(), kernel.tolerance.ulp), ("sub/a.cu", Some(2)));
        assert_eq!(kernel.argument[0].value, Some(NumberConfig::Integer(3)));
        assert_eq!(kernel.argument[1].file.as_deref(), Some(Utf8Path::new("sub/x.npy")));
        assert_eq!(kernel.argument[1].ramp, Some([0.0, 0.5]));
        assert!(Config::parse(&text.replace("ulp", "ulps")).unwrap_err().contains("ulps"));
    }

    #[test]
    fn errors_name_line_and_column() {
        let error = Config::parse("rocm = \"7.2\"\nlunch = \"ggl\"\n").unwrap_err();
        assert!(error.contains("line 2, column 1") && error.contains("lunch"), "{error}");
    }

    #[test]
    fn unknown_values_are_refused() {
        for text in ["rocm = \"4.0\"", "arch = [\"sm_80\"]", "ignore = [\"nonsense\"]", "[severity]\nX999 = \"error\""]
        {
            assert!(Config::parse(text).unwrap().apply(&mut Settings::default()).is_err(), "{text}");
        }
    }
}
