//! What the macros are that CUDA code tests, and what they are under HIP.
//!
//! Checked with clang in HIP mode (host and device pass) against HIP's headers of 5.7, 6.4
//! and 7.2: clang itself defines `__HIPCC__` and `__HIP__` in both passes, before any header, and
//! `__HIP_DEVICE_COMPILE__` as 1 in the device pass only. `__HIP_PLATFORM_AMD__` comes from the
//! HIP headers or from the build. Nothing defines `__CUDACC__`, `__NVCC__`, `__CUDA_ARCH__` or a
//! version macro of CUDA.

use crate::analysis::{Declaration, Definition, Value};
use crate::mapping::{Entry, Kind, Resolution};
use crate::rules::context::Context;

/// The macro that is defined in the device pass only.
pub(super) const DEVICE_PASS: &str = "__HIP_DEVICE_COMPILE__";
/// The macro that is defined wherever clang compiles HIP.
pub(super) const COMPILER: &str = "__HIPCC__";
/// The macro that is defined wherever HIP's headers for AMD GPUs are included.
const PLATFORM: &str = "__HIP_PLATFORM_AMD__";

/// CUDA's number for the GPU of the device pass.
pub(crate) const ARCH: &str = "__CUDA_ARCH__";

/// What AMD GPUs from gfx9 on amount to: all have what `sm_60` brought (atomic addition of doubles,
/// arithmetic on halves). Of what came later they have some under its CUDA name (lane exchange
/// with masks) and some not (`dp4a`, tensor cores, `cp.async`), so that a person has to decide.
const ARCH_LEVEL: Value = Value::Between { low: 600, high: i64::MAX };

/// What a macro is to a rule about conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Macro<'d> {
    /// Tells the compiler; HIP's counterpart is defined under the same circumstances.
    Compiler(&'d str),
    /// `__CUDA_ARCH__`
    Arch,
    /// A version number of CUDA's, undefined under HIP.
    Version(Version),
    /// Another macro that HIP spells otherwise.
    Renamed(&'d str, &'d Entry),
    /// A macro that nothing defines under HIP.
    Lost(&'d Entry),
    /// One that is defined for HIP.
    Hip,
    /// None of CUDA's.
    Foreign,
}

/// A version macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Version {
    name: &'static str,
    /// Its value in the CUDA release whose interface HIP follows.
    level: Value,
    /// Whether the compiler defines it, rather than a header.
    by_compiler: bool,
}

impl Version {
    /// The macro of HIP that is defined where this one would be.
    pub(super) fn guard(self) -> &'static str {
        if self.by_compiler { COMPILER } else { PLATFORM }
    }

    /// The CUDA release that the value `number` stands for.
    pub(super) fn release(self, number: i64) -> Option<String> {
        match self.name {
            "CUDART_VERSION" | "CUDA_VERSION" => Some(format!("CUDA {}.{}", number / 1000, number % 1000 / 10)),
            "__CUDACC_VER_MAJOR__" | "__CUDA_API_VER_MAJOR__" => Some(format!("CUDA {number}")),
            _ => None,
        }
    }
}

const fn range(name: &'static str, low: i64, high: i64) -> Version {
    Version { name, level: Value::Between { low, high }, by_compiler: false }
}

const fn open(name: &'static str) -> Version {
    Version { name, level: Value::Unknown, by_compiler: false }
}

const fn by_compiler(name: &'static str, level: Value) -> Version {
    Version { name, level, by_compiler: true }
}

/// The values are those of CUDA 12: HIP follows its interface. Where a library counts on its own
/// and HIP's counterpart does not follow it number by number, the value is unknown.
const VERSIONS: &[Version] = &[
    range("CUDART_VERSION", 12000, 12999),
    range("CUDA_VERSION", 12000, 12999),
    range("CUBLAS_VERSION", 120_000, 129_999),
    range("CUBLAS_VER_MAJOR", 12, 12),
    range("CUSPARSE_VERSION", 12000, 12999),
    range("CUSPARSE_VER_MAJOR", 12, 12),
    range("CUSOLVER_VERSION", 11000, 11999),
    range("CUSOLVER_VER_MAJOR", 11, 11),
    range("CUFFT_VERSION", 11000, 11999),
    range("CUFFT_VER_MAJOR", 11, 11),
    range("CURAND_VERSION", 10300, 10399),
    range("CURAND_VER_MAJOR", 10, 10),
    range("__CUDA_API_VER_MAJOR__", 12, 12),
    by_compiler("__CUDACC_VER_MAJOR__", Value::Between { low: 12, high: 12 }),
    by_compiler("__CUDACC_VER_MINOR__", Value::Unknown),
    by_compiler("__CUDACC_VER_BUILD__", Value::Unknown),
    by_compiler("__CUDACC_VER__", Value::Unknown),
    open("__CUDA_API_VER_MINOR__"),
    open("CUBLAS_VER_MINOR"),
    open("CUBLAS_VER_PATCH"),
    open("CUSPARSE_VER_MINOR"),
    open("CUSPARSE_VER_PATCH"),
    open("CUSOLVER_VER_MINOR"),
    open("CUSOLVER_VER_PATCH"),
    open("CUFFT_VER_MINOR"),
    open("CUFFT_VER_PATCH"),
    open("CURAND_VER_MINOR"),
    open("CURAND_VER_PATCH"),
    open("CUDNN_VERSION"),
    open("CUDNN_MAJOR"),
    open("CUDNN_MINOR"),
    open("CUDNN_PATCHLEVEL"),
    open("CCCL_VERSION"),
    open("CCCL_MAJOR_VERSION"),
    open("CCCL_MINOR_VERSION"),
    open("CUB_VERSION"),
    open("CUB_MAJOR_VERSION"),
    open("CUB_MINOR_VERSION"),
];

/// Whether `name` is a macro by which CUDA code tells compiler, pass or GPU, or one that switches
/// something off in CUDA's headers. A `#define` of it makes no name of the project's own.
pub(crate) fn is_reserved(name: &str) -> bool {
    let prefixes = ["__CUDACC", "__CUDA_ARCH"];
    is_switch(name) || matches!(name, "__NVCC__" | "__CUDA__") || prefixes.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether `name` is a macro by which a program tells CUDA's headers something: whoever defines it means these.
fn is_switch(name: &str) -> bool {
    name.starts_with("__CUDA_NO_")
        || matches!(name, "CUDA_API_PER_THREAD_DEFAULT_STREAM" | "__CUDA_API_PER_THREAD_DEFAULT_STREAM")
}

/// Whether `name` is a version macro of CUDA's.
pub(crate) fn is_version(name: &str) -> bool {
    VERSIONS.iter().any(|version| version.name == name)
}

/// What the macro `name` is.
pub(super) fn classify<'d>(name: &str, cx: &Context<'d>) -> Macro<'d> {
    match name {
        ARCH => return Macro::Arch,
        // nvcc defines the one for every file, the other for device code only; clang has one macro.
        // The last two say that nvcc got an option for what HIP always does.
        "__CUDACC__" | "__NVCC__" | "__CUDACC_EXTENDED_LAMBDA__" | "__CUDACC_RELAXED_CONSTEXPR__" => {
            return Macro::Compiler(COMPILER);
        }
        _ => {}
    }
    if names_hip(name) {
        return Macro::Hip;
    }
    let others = || cx.project.own_names.get(name).into_iter().flatten();
    let is_shared = || others().any(|own| own.is_macro_of(&cx.document.file().path));
    let is_own = !is_reserved(name) && cx.facts.declared.get(name) == Some(Declaration::Macro);
    if is_own || !is_switch(name) && is_shared() {
        return Macro::Foreign;
    }
    if let Some(version) = VERSIONS.iter().find(|version| version.name == name) {
        return Macro::Version(*version);
    }
    match cx.resolve(name) {
        Some(Resolution::Name(to, entry)) if to != name && entry.kind != Kind::Namespace => Macro::Renamed(to, entry),
        Some(Resolution::Missing(entry)) => Macro::Lost(entry),
        _ => Macro::Foreign,
    }
}

/// Whether a macro is about HIP or AMD: `__HIPCC__`, `USE_ROCM`, `GGML_USE_HIP`, `__gfx90a__`.
fn names_hip(name: &str) -> bool {
    name.split('_')
        .any(|word| matches!(word, "HIP" | "HIPCC" | "ROCM" | "AMD" | "AMDGCN" | "AMDGPU" | "HCC") || is_target(word))
        || is_family(name)
}

/// AMD's families of GPUs, as ports name their macros: `CDNA3`, `RDNA2`, `RDNA3_5`, `GCN`.
fn is_family(name: &str) -> bool {
    ["CDNA", "RDNA", "GCN"].into_iter().any(|family| is_of_series(name, family))
}

/// Whether a macro names a family of GPUs, or a number of it.
pub(super) fn is_of_series(name: &str, family: &str) -> bool {
    let rest = name.strip_prefix(family);
    rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_'))
}

/// `gfx90a`, `GFX9`
fn is_target(word: &str) -> bool {
    let rest = word.strip_prefix("gfx").or_else(|| word.strip_prefix("GFX"));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// One of the two passes in which clang compiles a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// For the CPU.
    Host,
    /// For a GPU.
    Device,
}

impl Pass {
    fn device_macro(self) -> Definition {
        match self {
            Pass::Host => Definition::Undefined,
            Pass::Device => ONE,
        }
    }
}

const ONE: Definition = Definition::Defined(Value::Known(1));
const SOME_VALUE: Definition = Definition::Defined(Value::Unknown);

/// What the text means to the compiler for AMD GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// As it is: nothing of CUDA's is defined.
    Unchanged,
    /// With compiler macros renamed.
    Renamed,
    /// With compiler macros and `__CUDA_ARCH__` renamed.
    RenamedWithArch,
    /// As it was meant: an AMD GPU stands in for one of NVIDIA's.
    Meant,
}

/// What is known about the macro `name` in `pass`.
pub(super) fn definition(name: &str, pass: Pass, reading: Reading, cx: &Context<'_>) -> Definition {
    match classify(name, cx) {
        Macro::Compiler(_) | Macro::Renamed(..) if reading == Reading::Unchanged => Definition::Undefined,
        Macro::Compiler(_) => ONE,
        Macro::Arch => match (reading, pass) {
            (Reading::RenamedWithArch, pass) => pass.device_macro(),
            (Reading::Meant, Pass::Device) => Definition::Defined(ARCH_LEVEL),
            _ => Definition::Undefined,
        },
        Macro::Version(version) if reading == Reading::Meant => Definition::Defined(version.level),
        Macro::Version(_) | Macro::Lost(_) => Definition::Undefined,
        Macro::Renamed(..) => Definition::Unknown,
        Macro::Hip => hip_definition(name, pass),
        Macro::Foreign => foreign_definition(name, cx),
    }
}

fn hip_definition(name: &str, pass: Pass) -> Definition {
    match name {
        DEVICE_PASS => pass.device_macro(),
        COMPILER
        | PLATFORM
        | "__HIP__"
        | "__HIP_PLATFORM_HCC__"
        | "__HIP_PLATFORM_CLANG__"
        | "__AMDGCN__"
        | "USE_ROCM"
        | "USE_HIP" => ONE,
        "__HIP_PLATFORM_NVIDIA__" | "__HIP_PLATFORM_NVCC__" => Definition::Undefined,
        // `GGML_USE_HIP` and the like: the build of a HIP port sets them.
        _ if name.ends_with("USE_HIP") || name.ends_with("USE_ROCM") => ONE,
        // `EIGEN_HIPCC` and the like: projects set them where the compiler is HIP's.
        _ if name.ends_with("_HIPCC") => ONE,
        _ if name.starts_with("HIP_VERSION") => SOME_VALUE,
        _ => Definition::Unknown,
    }
}

fn foreign_definition(name: &str, cx: &Context<'_>) -> Definition {
    match name {
        "__clang__" => return ONE,
        "__cplusplus" | "__clang_major__" => return SOME_VALUE,
        _ => {}
    }
    cx.facts.conditions.constant(name).map_or(Definition::Unknown, |value| Definition::Defined(Value::Known(value)))
}
