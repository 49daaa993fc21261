//! Options of nvcc that the AMD compiler has no counterpart of.

use super::plan::Topic;
use super::report::report;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{BuildFiles, WholeFile};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds options in build files that the AMD compiler has no counterpart of, such as `-maxrregcount` and
    /// `-mwavefrontsize64`.
    ///
    /// ## Why is this bad?
    /// The AMD compiler has no limit of registers for a whole file: it stops at the option, or the
    /// limit is lost. `-mwavefrontsize64` is accepted for GPUs whose waves HIP runs with 32 lanes
    /// only, and the program fails there.
    ///
    /// ## Example
    /// In `CMakeLists.txt`:
    /// ```cmake
    /// target_compile_options(app PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-maxrregcount=64>)
    /// ```
    ///
    /// ## What to do
    /// `-maxrregcount` is removed. Give the kernels that need fewer registers `__launch_bounds__`, whose
    /// second argument is in waves per execution unit. Source: HIP documentation, "HIP porting
    /// guide", "maxregcount"; "C++ language extensions", "warpSize".
    UnsupportedOption { code: "B001", name: "unsupported-option", severity: Warning, fix: Sometimes, since: "0.1.0" }
}

impl Rule for UnsupportedOption {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = BuildFiles;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        report(Topic::Unsupported, cx);
    }
}
