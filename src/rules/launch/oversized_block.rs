//! Launches with more threads in a block than the kernel allows.

use rustc_hash::FxHashMap;

use super::block::threads_of;
use super::bounds::{Bounds, Owner};
use crate::analysis::Constants;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;

declare_rule! {
    /// ## What it does
    /// Finds launches whose block has more threads than `__launch_bounds__` of the kernel allows,
    /// where both numbers are known in the same file.
    ///
    /// ## Why is this bad?
    /// HIP checks the size at the launch and refuses it with an error; the kernel does not run.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void __launch_bounds__(128) step(float* x) { x[threadIdx.x] *= 2; }
    /// void run(float* x) { step<<<1, dim3(16, 16)>>>(x); }
    /// ```
    ///
    /// ## What to do
    /// Make the bound as large as the largest block, or the block smaller.
    OversizedBlock { code: "L009", name: "oversized-block", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for OversizedBlock {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document = cx.document;
        let all = Bounds::all(cx);
        if all.is_empty() || document.launches().is_empty() {
            return;
        }
        let constants = cx.constants();
        let limits = limits(&all, &constants, cx);
        for launch in document.launches() {
            let limit = launch.kernel_name(document).and_then(|name| limits.get(name).copied().flatten());
            let Some(((most, bound), block)) = limit.zip(launch.config.get(1)) else { continue };
            let Some(threads) = threads_of(launch, &constants, document).filter(|t| *t > most) else { continue };
            let message = format!("the block has {threads} threads, but the kernel is bound to {most}");
            let finding = cx.report(document.range_of(block.clone()), message);
            finding.label(bound, "the bound").note("HIP refuses the launch with an error");
        }
    }
}

/// The largest bound of each kernel by its name, and where it stands; `None` where one of its
/// bounds is not known, or where a function of that name has none.
fn limits<'d>(all: &[Bounds], constants: &Constants, cx: &Context<'d>) -> FxHashMap<&'d str, Option<(i64, TextRange)>> {
    let document = cx.document;
    let mut limits: FxHashMap<&str, Option<(i64, TextRange)>> = FxHashMap::default();
    let mut bound_names = Vec::new();
    for bounds in all {
        let Owner::Kernel(name) = bounds.owner else { continue };
        bound_names.push(name);
        let first = bounds.arguments.as_ref().and_then(|arguments| arguments.first());
        let value = first.and_then(|tokens| constants.value(document, tokens.clone()));
        let own = value.map(|value| (value, bounds.range));
        let known = limits.entry(document.token_text(name)).or_insert(own);
        *known = known.zip(own).map(|(known, own)| if own.0 > known.0 { own } else { known });
    }
    let unbound = cx.facts.functions.iter().filter_map(|function| function.name);
    for name in unbound.filter(|name| !bound_names.contains(name)) {
        limits.insert(document.token_text(name), None);
    }
    limits
}
