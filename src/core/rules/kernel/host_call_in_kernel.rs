//! Calls of the runtime from device code.

use crate::analysis::{Function, looks_like_cuda};
use crate::diagnostic::RuleInfo;
use crate::mapping::Kind;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::Call;

declare_rule! {
    /// ## What it does
    /// Finds calls of the CUDA runtime in `__global__` and `__device__` functions, such as
    /// `cudaDeviceSynchronize` or `cudaMalloc` of CUDA's dynamic parallelism.
    ///
    /// ## Why is this bad?
    /// HIP's runtime is a library for the host; device code that calls it does not compile.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void parent() { cudaDeviceSynchronize(); }
    /// ```
    ///
    /// ## What to do
    /// Move the call to the host, between two kernels; use `malloc` and `free` for memory in
    /// device code.
    HostCallInKernel { code: "K003", name: "host-call-in-kernel", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for HostCallInKernel {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        // What HIP does not have at all is reported as such.
        let (Meaning::Renamed(_, entry) | Meaning::Same(entry)) = name.meaning else { return };
        // The tables of the runtime list `make_float4` and the like as well, which device code may call.
        let is_runtime = entry.kind == Kind::Function && matches!(entry.library, "runtime" | "driver");
        if !is_runtime || !looks_like_cuda(&name.text) || Call::at(cx.document, name.token).is_none() {
            return;
        }
        let on_device = cx.facts.functions.around(name.token).is_some_and(Function::is_device_only);
        if on_device {
            let finding = cx.report(name.range, format!("`{}` is called from device code", name.text));
            finding.note("HIP has no runtime on the device; move the call to the host");
        }
    }
}
