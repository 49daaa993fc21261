//! What speaks of CUDA in a build file, and stays.

use super::plan::Topic;
use super::report::report;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{BuildFiles, WholeFile};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds what speaks of CUDA in a build file and is not converted, word by word: names that HIP has no counterpart of,
    /// programs of CUDA's, versions of CUDA that a condition compares or that are read from what nvcc prints. Words that may
    /// be the project's own are told as information. Under `--build-mode option` it tells where `USE_HIP` chooses wrongly: in files
    /// that users of an installed package read, and where a parameter, a loop or a late command sets it.
    ///
    /// Of files that are not converted it tells the lines: Python's `setup.py`, Meson, Bazel, xmake, Cargo, `SCons`, qmake,
    /// Visual Studio, autotools, presets of `CMake`, Ninja, Premake, pkg-config, scripts of Windows, of csh and of fish, runners of
    /// tasks, packages, containers and workflows, and other Python that compiles CUDA while it runs, or writes it.
    ///
    /// ## Why is this bad?
    /// The build may ask for CUDA there, or leave out what HIP needs. A variable with CUDA's version is empty in a build for HIP,
    /// so that a condition leads to the wrong branch or stops the build: that is an error, unless CUDA 12 decides it, whose
    /// interface HIP follows.
    ///
    /// ## Example
    /// In `CMakeLists.txt`:
    /// ```cmake
    /// if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.4)
    /// ```
    ///
    /// ## Fix safety
    /// Safe. A comparison that CUDA 12 decides becomes `TRUE` or `FALSE`; a check that refuses an old CUDA, `FALSE`.
    ///
    /// ## What to do
    /// Say it for HIP. Source: `CMake` documentation, modules "FindCUDAToolkit" and "FindCUDA"; ROCm documentation, "Using `CMake`".
    UnconvertedBuild { code: "B007", name: "unconverted-build", severity: Warning, fix: Sometimes, since: "0.1.0" }
}

impl Rule for UnconvertedBuild {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = BuildFiles;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        report(Topic::Left, cx);
    }
}
