//! `[[validate.kernel]]` in `hipshift.toml`: kernels that are started without a program of the user.

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

/// One kernel.
#[derive(Debug, Clone, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct KernelConfig {
    /// What reports call it, and the function if `function` does not say otherwise.
    pub name: String,
    /// The function as C++ names it, such as `ns::kernel`.
    pub function: Option<String>,
    /// The file that defines it.
    pub source: Utf8PathBuf,
    /// Template arguments, such as `["float", "256"]`.
    #[serde(default)]
    pub template: Vec<String>,
    /// Blocks: one number, or up to three.
    pub grid: Size,
    /// Threads of a block: one number, or up to three.
    pub block: Size,
    /// Bytes of dynamic shared memory.
    #[serde(default)]
    pub shared: u32,
    /// Widths of blocks for `--vary block`; none if the kernel stands no other block than its own.
    pub vary: Option<Vec<u32>>,
    /// What counts as equal, for all its arrays that do not say otherwise.
    #[serde(default)]
    pub tolerance: ToleranceConfig,
    /// Arguments, in order.
    #[serde(default)]
    pub argument: Vec<ArgumentConfig>,
}

/// A number, or up to three of them.
#[derive(Debug, Clone, Deserialize, PartialEq, Eq)]
#[serde(untagged)]
pub enum Size {
    /// In one direction.
    One(u32),
    /// In several.
    Several(Vec<u32>),
}

/// One argument. It is an array if it has a `length` or a `file`, and else a value.
#[derive(Debug, Clone, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ArgumentConfig {
    /// What reports and files call an array.
    pub name: Option<String>,
    /// The type of the value or of the elements.
    #[serde(rename = "type")]
    pub element: String,
    /// What the parameter points to, if that is another type, such as `float4`.
    #[serde(rename = "as")]
    pub pointee: Option<String>,
    /// The value.
    pub value: Option<NumberConfig>,
    /// Number of elements.
    pub length: Option<usize>,
    /// All elements have this value.
    pub constant: Option<NumberConfig>,
    /// The first element, and what each has more than the one before.
    pub ramp: Option<[f64; 2]>,
    /// Elements are drawn.
    pub random: Option<RandomConfig>,
    /// Elements are those of a file: `.npy`, or plain bytes.
    pub file: Option<Utf8PathBuf>,
    /// Whether the array is compared at the end.
    #[serde(default)]
    pub output: bool,
    /// The file with what it should hold then: `.npy`, or plain bytes.
    pub expected: Option<Utf8PathBuf>,
    /// What counts as equal.
    #[serde(default)]
    pub tolerance: ToleranceConfig,
}

/// A number with a point or without.
#[derive(Debug, Clone, Copy, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum NumberConfig {
    /// Without.
    Integer(i64),
    /// With.
    Real(f64),
}

/// Numbers that are drawn.
#[derive(Debug, Clone, Copy, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct RandomConfig {
    /// Another seed gives other numbers.
    #[serde(default)]
    pub seed: u32,
    /// The least.
    #[serde(default)]
    pub low: f64,
    /// What all are below.
    #[serde(default = "one")]
    pub high: f64,
}

/// What counts as equal.
#[derive(Debug, Clone, Copy, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ToleranceConfig {
    /// Share of the expected value.
    pub relative: Option<f64>,
    /// Amount.
    pub absolute: Option<f64>,
    /// Steps from one value of the type to the next.
    pub ulp: Option<u64>,
    /// What becomes of NaN.
    pub nan: Option<NanWord>,
}

/// `nan` in the file.
#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum NanWord {
    /// NaN has to be where it is expected.
    Equal,
    /// NaN is always wrong.
    Differ,
    /// NaN is not compared.
    Ignore,
}

impl KernelConfig {
    /// The files that arrays are read from, at first and to be compared.
    pub(super) fn arrays(&self) -> impl Iterator<Item = &Utf8PathBuf> {
        self.argument.iter().flat_map(|argument| argument.file.iter().chain(&argument.expected))
    }

    /// Leads relative paths from the folder of the configuration file.
    pub(super) fn resolve(&mut self, directory: &Utf8Path) {
        let files = self.argument.iter_mut().flat_map(|argument| [&mut argument.file, &mut argument.expected]);
        for path in files.flatten().chain([&mut self.source]) {
            *path = directory.join(&path);
        }
    }
}

fn one() -> f64 {
    1.0
}
