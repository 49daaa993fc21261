//! Launches with more threads in a block than the kernel allows.

use rustc_hash::FxHashMap;

use super::bounds::all_bounds;
use crate::analysis::{Bounds, Constants, KernelBound, Owner, threads_of};
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;

declare_rule! {
    /// ## What it does
    /// Finds launches whose block has more threads than `__launch_bounds__` of the kernel allows,
    /// where the numbers are known in the files of the launch and of the kernel. Kernels of other files
    /// are known by their name; where one of that name has no bound, nothing is reported.
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
        if document.launches().is_empty() {
            return;
        }
        let constants = cx.constants();
        let limits = limits(&all_bounds(cx), &constants, cx);
        for launch in document.launches() {
            let Some((name, block)) = launch.kernel_name(document).zip(launch.config.get(1)) else { continue };
            let limit = limits.get(name).cloned().unwrap_or_else(|| cx.project.kernels.bound(name).map(Limit::of));
            let Some(limit) = limit else { continue };
            let threads = threads_of(launch, &constants, document).filter(|threads| *threads > limit.threads);
            let Some(threads) = threads else { continue };
            let message = format!("the block has {threads} threads, but the kernel is bound to {}", limit.threads);
            let finding = cx.report(document.range_of(block.clone()), message);
            match limit.place {
                Place::Here(range) => finding.label(range, "the bound"),
                Place::There(place) => finding.note(format!("the bound stands at {place}")),
            };
            finding.note("HIP refuses the launch with an error");
        }
    }
}

/// The largest block that a kernel allows.
#[derive(Clone)]
struct Limit {
    threads: i64,
    place: Place,
}

/// Where a bound stands.
#[derive(Clone)]
enum Place {
    /// In this file.
    Here(TextRange),
    /// In another file: its path and line.
    There(String),
}

impl Limit {
    fn of(bound: &KernelBound) -> Limit {
        Limit { threads: bound.threads, place: Place::There(format!("{}:{}", bound.path, bound.line)) }
    }
}

/// The largest bound of each kernel of this file by its name; `None` where one of its bounds is not
/// known, or where a function of that name has none.
fn limits<'d>(all: &[Bounds], constants: &Constants, cx: &Context<'d>) -> FxHashMap<&'d str, Option<Limit>> {
    let document = cx.document;
    let mut limits: FxHashMap<&str, Option<Limit>> = FxHashMap::default();
    let mut bound_names = Vec::new();
    for bounds in all {
        let Owner::Kernel(name) = bounds.owner else { continue };
        bound_names.push(name);
        let own = bounds.threads(constants, document);
        let own = own.map(|threads| Limit { threads, place: Place::Here(bounds.range) });
        let known = limits.entry(document.token_text(name)).or_insert_with(|| own.clone());
        *known = known.take().zip(own).map(|(known, own)| if own.threads > known.threads { own } else { known });
    }
    let unbound = cx.facts.functions.iter().filter_map(|function| function.name);
    for name in unbound.filter(|name| !bound_names.contains(name)) {
        limits.insert(document.token_text(name), None);
    }
    limits
}
