//! Sources that `CMake` takes for CUDA, and names of files that change.

use super::plan::Topic;
use super::report::report;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{BuildFiles, WholeFile};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds sources in lists and patterns of build files. Those that keep the name `.cu` are told to be HIP; with `--ext` their
    /// new names stand in the lists.
    ///
    /// ## Why is this bad?
    /// `CMake` knows the language of a source by its extension. It takes `.cu` for CUDA, and without that for no source at all.
    ///
    /// ## Example
    /// In `CMakeLists.txt`:
    /// ```cmake
    /// add_executable(app main.cpp kernels.cu)
    /// ```
    /// Use instead:
    /// ```cmake
    /// add_executable(app main.cpp kernels.cu)
    /// set_source_files_properties(kernels.cu PROPERTIES LANGUAGE HIP)
    /// ```
    ///
    /// ## Fix safety
    /// Safe. Source: `CMake` documentation, source file property "LANGUAGE".
    CudaSource { code: "B006", name: "cuda-source", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for CudaSource {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = BuildFiles;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        report(Topic::Source, cx);
    }
}
