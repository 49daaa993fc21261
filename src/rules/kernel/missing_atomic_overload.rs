//! Atomics on types that HIP has no overload for.

use super::places::pointee;
use crate::diagnostic::{RuleInfo, Severity};
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::Call;

declare_rule! {
    /// ## What it does
    /// Finds `atomicAdd` on half precision and bfloat16 numbers and, for releases before ROCm 7.0,
    /// `atomicCAS` on `unsigned short`, where a cast or a declaration in the function tells the type.
    ///
    /// ## Why is this bad?
    /// The headers of HIP have no such overload, so the call does not compile. In a file that includes
    /// headers of the project, one of these may bring an overload, so that is for information.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_fp16.h>
    /// __global__ void add(__half* sum, __half x) { atomicAdd(sum, x); }
    /// ```
    ///
    /// ## What to do
    /// Use `unsafeAtomicAdd` on `__half2` or `__hip_bfloat162`, which HIP has, or a loop with
    /// `atomicCAS` on the 32 bits around the number.
    MissingAtomicOverload { code: "K037", name: "missing-atomic-overload", severity: Error, fix: None, since: "0.1.0" }
}

const HALVES: &[&str] =
    &["half", "__half", "half2", "__half2", "__nv_bfloat16", "__nv_bfloat162", "nv_bfloat16", "nv_bfloat162"];

impl Rule for MissingAtomicOverload {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let lacks: fn(&str) -> bool = match &*name.text {
            "atomicAdd" => |word| HALVES.contains(&word),
            "atomicCAS" if cx.settings.rocm < RocmVersion::new(7, 0) => {
                |word| matches!(word, "short" | "uint16_t" | "ushort")
            }
            _ => return,
        };
        let document = cx.document;
        let Some(function) = cx.facts.functions.around(name.token).filter(|_| matches!(name.meaning, Meaning::Same(_)))
        else {
            return;
        };
        let Some(call) = Call::at(document, name.token) else { return };
        let first =
            call.arguments.first().map(|range| document.token_at(range.start())..document.token_at(range.end()));
        let Some(word) = first.and_then(|tokens| pointee(document, function, tokens)).filter(|word| lacks(word)) else {
            return;
        };
        let message = format!("HIP has no `{}` for `{word}`", name.text);
        let may_bring_one = document.includes().any(|include| include.quoted);
        let finding = cx.report(name.range, message);
        if may_bring_one {
            finding.severity(Severity::Info).note("the call compiles if a header of the project brings an overload");
        }
    }
}
