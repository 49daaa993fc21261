//! Calls of nvcc.

use super::plan::Topic;
use super::report::report;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{BuildFiles, WholeFile};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds nvcc as a compiler in makefiles and scripts.
    ///
    /// ## Why is this bad?
    /// nvcc compiles no HIP for AMD GPUs.
    ///
    /// ## Example
    /// In a makefile:
    /// ```make
    /// NVCC ?= nvcc
    /// ```
    /// Use instead:
    /// ```make
    /// NVCC ?= hipcc
    /// ```
    ///
    /// ## Fix safety
    /// Safe. Variables keep their names, so that what is set from outside still arrives. Source: HIP documentation, "HIP porting guide".
    CudaCompiler { code: "B005", name: "cuda-compiler", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for CudaCompiler {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = BuildFiles;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        report(Topic::Compiler, cx);
    }
}
