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
    /// ## Fix safety
    /// Safe: with `--offload-device-only` the command makes a code object for all GPUs that it names, in the same file. Programs load it
    /// with `hipModuleLoad` or `hipModuleLoadData`. One that reads PTX as text has to be changed, so that there is a warning. A command that
    /// does not name its result is not changed, as clang gives it another name. Source: clang documentation, "HIP Support"; HIP
    /// documentation, "Modules".
    NvidiaCode { code: "B008", name: "nvidia-code", severity: Warning, fix: Sometimes, since: "0.1.0" }
}

impl Rule for NvidiaCode {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = BuildFiles;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        report(Topic::Product, cx);
    }
}
