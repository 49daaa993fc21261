//! Launches from device code.

use super::helpers::{Keep, keeps_chevrons};
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::Launches;
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::Launch;

declare_rule! {
    /// ## What it does
    /// Finds kernel launches in `__global__` and `__device__` functions.
    ///
    /// ## Why is this bad?
    /// HIP has no dynamic parallelism: a kernel can be started from the host only (HIP C++
    /// language extensions, "`__global__`").
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void parent(int* x) { child<<<1, 32>>>(x); }
    /// ```
    ///
    /// ## What to do
    /// Start the child from the host, in a loop or a graph, or give its work to a persistent kernel.
    DeviceLaunch { code: "L003", name: "device-launch", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for DeviceLaunch {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Launches;

    fn check<'d>(launch: &'d Launch, cx: &mut Context<'d>) {
        if keeps_chevrons(launch, cx) == Some(Keep::OnDevice) {
            let finding = cx.report(launch.range(cx.document), "a kernel is launched from device code");
            finding.note("HIP has no dynamic parallelism; start the kernel from the host");
        }
    }
}
