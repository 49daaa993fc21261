//! Code of NVIDIA's as a product of a build.

use super::plan::Topic;
use super::report::report;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{BuildFiles, WholeFile};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds steps of a build that make PTX, cubins or fat binaries as files.
    ///
    /// ## Why is this bad?
    /// Programs load these files at run time. AMD GPUs run code objects, which another command makes.
    ///
    /// ## Example
    /// In a makefile:
    /// ```make
    /// kernel.ptx: kernel.cu
    /// 	nvcc -ptx -arch=sm_80 $< -o $@
    /// ```
    ///
    /// ## What to do
    /// Make a code object with `hipcc --genco --offload-arch=…`, and load it with `hipModuleLoad`. Source: HIP documentation,
    /// "hipcc", "--genco".
    NvidiaCode { code: "B008", name: "nvidia-code", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for NvidiaCode {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = BuildFiles;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        report(Topic::Product, cx);
    }
}
