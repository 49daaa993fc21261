//! Launches with more threads in a block than the kernel allows.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::bounds::{Bounds, Owner};
use crate::analysis::Constants;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;
use crate::syntax::{Document, Launch, TokenIdx, split_arguments};

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
        let constants = Constants::of(document);
        let limits = limits(&all, &constants, cx);
        for launch in document.launches() {
            let limit = launch.kernel_name(document).and_then(|name| limits.get(name).copied().flatten());
            let Some(((most, bound), block)) = limit.zip(launch.config.get(1)) else { continue };
            let Some(threads) = threads_of(launch, block, &constants, document).filter(|t| *t > most) else { continue };
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

/// The threads of a block, if they are known: a number, or the product of the sizes of a `dim3`.
fn threads_of(launch: &Launch, block: &Range<TokenIdx>, constants: &Constants, document: &Document) -> Option<i64> {
    // In a macro, names mean what stands around its use.
    let nothing = Constants::default();
    let constants = if document.directive_of(launch.callee.start).is_some() { &nothing } else { constants };
    let first = block.start;
    if let Some(sizes) = sizes_of_dim3(document, block) {
        return product(sizes, constants, document);
    }
    let named = constants.get(document, first).filter(|_| block.len() == 1);
    let is_dim3 = |word: TokenIdx| document.token_text(word) == "dim3";
    match named {
        Some(constant) if constant.type_word.is_some_and(is_dim3) => {
            let initialiser = &constant.initialiser;
            let sizes = sizes_of_dim3(document, initialiser).unwrap_or_else(|| initialiser.clone());
            product(sizes, constants, document)
        }
        _ => constants.value(document, block.clone()),
    }
}

/// What stands in `dim3(…)` or `dim3{…}`.
fn sizes_of_dim3(document: &Document, tokens: &Range<TokenIdx>) -> Option<Range<TokenIdx>> {
    let open = tokens.start + 1;
    let close = document.partner(open).filter(|close| close + 1 == tokens.end)?;
    (document.token_text(tokens.start) == "dim3").then_some(open + 1..close)
}

fn product(sizes: Range<TokenIdx>, constants: &Constants, document: &Document) -> Option<i64> {
    let sizes = split_arguments(document, sizes);
    sizes.into_iter().try_fold(1_i64, |product, size| product.checked_mul(constants.value(document, size)?))
}
