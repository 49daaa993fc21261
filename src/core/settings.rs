//! What a run is to do: the meaning of command line and configuration together.
//!
//! Plain data. Nobody below `cli` and `project::config` sees a flag, the environment or a file name.

use rustc_hash::FxHashSet;

use crate::diagnostic::{Applicability, RuleInfo, Severity};
use crate::mapping::{Libraries, RocmVersion, Target};

/// How kernel launches are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LaunchStyle {
    /// `hipLaunchKernelGGL(k, dim3(g), dim3(b), shared, stream, …)`
    #[default]
    Ggl,
    /// The same as hipify-clang writes it: all names of templates in `HIP_KERNEL_NAME`, one blank after each comma.
    Hipify,
    /// `k<<<g, b>>>(…)`, which HIP compilers accept as well.
    Chevron,
}

/// What the second argument of `__launch_bounds__` becomes: CUDA counts blocks per multiprocessor
/// there, HIP waves per execution unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LaunchBounds {
    /// The waves per execution unit of so many blocks, by the wave size and the execution units of
    /// each target.
    #[default]
    PerEu,
    /// What ROCm's documents say: `blocks * threads / warpSize`, `/ 32` up to ROCm 6.3.
    RocmDocs,
}

/// How many lanes the warps of a project have after conversion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WavePolicy {
    /// 32, as CUDA's have by definition (CUDA C++ Programming Guide, "SIMT Architecture"). That nothing in the text is seen
    /// to count on 32 lanes proves nothing, so whole waves are made on request only.
    #[default]
    Auto,
    /// 32, on every target: what CUDA computes.
    Logical32,
    /// As many as a wave of the target has.
    Native,
}

impl WavePolicy {
    /// The width that the policy gives warps.
    pub fn width(self) -> WaveWidth {
        match self {
            WavePolicy::Auto | WavePolicy::Logical32 => WaveWidth::Logical32,
            WavePolicy::Native => WaveWidth::Native,
        }
    }
}

/// How many lanes a warp has after conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaveWidth {
    /// 32 on every target, as in CUDA.
    Logical32,
    /// As many as a wave of the target has.
    Native,
}

/// How output files are named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ExtensionStyle {
    /// `.cu` and `.cuh` stay.
    #[default]
    Keep,
    /// `.cu` becomes `.hip`, `.cuh` becomes `.hip.h`.
    Hip,
    /// `.cu` becomes `.hip.cpp`, `.cuh` becomes `.hip.hpp`.
    HipCpp,
}

impl ExtensionStyle {
    /// The new name of the file `name`, if it gets one.
    pub fn rename(self, name: &str) -> Option<String> {
        let (source, header) = match self {
            ExtensionStyle::Keep => return None,
            ExtensionStyle::Hip => (".hip", ".hip.h"),
            ExtensionStyle::HipCpp => (".hip.cpp", ".hip.hpp"),
        };
        let renamed = name.strip_suffix(".cuh").map(|stem| format!("{stem}{header}"));
        renamed.or_else(|| Some(format!("{}{source}", name.strip_suffix(".cu")?)))
    }
}

/// Which rules run, and how grave their findings are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleSelection {
    /// Only these run, if there are any: codes, names, or a group's letter.
    pub select: Vec<String>,
    /// These do not run.
    pub ignore: Vec<String>,
    /// Severities set by the user.
    pub severities: Vec<(String, Severity)>,
}

impl RuleSelection {
    /// Whether findings of `rule` are wanted.
    pub fn is_enabled(&self, rule: &RuleInfo) -> bool {
        let selected = self.select.is_empty() || self.select.iter().any(|name| matches(rule, name));
        selected && !self.ignore.iter().any(|name| matches(rule, name))
    }

    /// Whether the user asks for this rule by its code or name, and not for a group of rules.
    pub fn asks_for(&self, rule: &RuleInfo) -> bool {
        self.select.iter().any(|name| name == rule.code || name == rule.name)
    }

    /// The severity that the user set for `rule`.
    pub fn severity_of(&self, rule: &RuleInfo) -> Option<Severity> {
        self.severities.iter().rev().find(|(name, _)| matches(rule, name)).map(|(_, severity)| *severity)
    }
}

/// Whether `selector` means at least one of `rules`.
pub fn selects_any(selector: &str, mut rules: impl Iterator<Item = &'static RuleInfo>) -> bool {
    rules.any(|rule| matches(rule, selector))
}

/// Whether `selector`, a code, name, code prefix or `all`, means `rule`.
fn matches(rule: &RuleInfo, selector: &str) -> bool {
    let is_prefix = !selector.is_empty() && rule.code.starts_with(selector);
    selector == "all" || rule.name == selector || is_prefix
}

/// What stands in a file where its forms for CUDA and HIP differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Emit {
    /// The form for HIP.
    #[default]
    Hip,
    /// Both, each under a condition.
    Guarded,
}

/// What becomes of build files of CMake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BuildMode {
    /// What speaks of CUDA speaks of HIP.
    #[default]
    Replace,
    /// Both stay, and the variable `USE_HIP` chooses. Other build files are not changed.
    Option,
}

/// What a run is to do.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The ROCm release to emit names for.
    pub rocm: RocmVersion,
    /// The GPUs that the result must run on.
    pub targets: Vec<&'static Target>,
    /// How launches are written.
    pub launch: LaunchStyle,
    /// What the second argument of `__launch_bounds__` becomes.
    pub launch_bounds: LaunchBounds,
    /// How many lanes warps have.
    pub wave_policy: WavePolicy,
    /// How output files are named; includes follow.
    pub extension: ExtensionStyle,
    /// `hip` or `roc` names, library by library.
    pub libraries: Libraries,
    /// The least sure fix that is applied.
    pub applicability: Applicability,
    /// Which rules run.
    pub rules: RuleSelection,
    /// Rename inside string literals that hold program text for run-time compilation.
    pub strings: bool,
    /// Names that stay as they are, whatever the tables say.
    pub ignored_names: FxHashSet<String>,
    /// Leave blocks alone that no condition ever lets through, such as `#if 0`.
    pub skip_excluded: bool,
    /// What is written where the forms differ.
    pub emit: Emit,
    /// What becomes of build files.
    pub build_mode: BuildMode,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            rocm: RocmVersion::NEWEST,
            targets: default_targets(),
            launch: LaunchStyle::default(),
            launch_bounds: LaunchBounds::default(),
            wave_policy: WavePolicy::default(),
            extension: ExtensionStyle::default(),
            libraries: Libraries::default(),
            applicability: Applicability::Safe,
            rules: RuleSelection::default(),
            strings: false,
            ignored_names: FxHashSet::default(),
            skip_excluded: false,
            emit: Emit::default(),
            build_mode: BuildMode::default(),
        }
    }
}

/// One wave64 and one wave32 target, so that nothing is taken for granted.
fn default_targets() -> Vec<&'static Target> {
    ["gfx90a", "gfx942", "gfx1100"].iter().filter_map(|name| Target::find(name).ok()).collect()
}
