//! Code that only HIP compilers read, because somebody ported it already.

use super::for_hip::requires_hip;
use std::ops::Range;

use super::branches::served_after;
use super::features::is_feature;
use super::judgement::{Case, Truth, names};
use super::left_out::why_left_out;
use super::macros::{Macro, Reading, classify};
use super::missing_header::needs_missing_header;
use super::served::{missing_feature, undefined_switch};
use crate::analysis::{Branch, Chain, Expression, Node};
use crate::rules::context::Context;
use crate::source::TextRange;
use crate::syntax::{DirectiveKind, TokenIdx};

impl Context<'_> {
    /// The tokens that a build for HIP leaves out, found on the first call.
    pub(in crate::rules) fn blocks_for_cuda(&self) -> &[Range<TokenIdx>] {
        self.cuda_blocks.get_or_init(|| {
            let blocks = blocks_for_cuda(self);
            let tokens = |range: TextRange| self.document.tokens_in(range);
            blocks.into_iter().map(|(range, _)| tokens(range)).collect()
        })
    }

    /// Whether a build for HIP leaves out the token at `idx`.
    pub(in crate::rules) fn is_for_cuda_alone(&self, idx: TokenIdx) -> bool {
        self.blocks_for_cuda().iter().any(|block| block.contains(&idx))
    }
}

/// The blocks in which findings concern nobody, with the reason: a build for HIP skips them, because
/// somebody wrote others for HIP beside them, or because they are for NVIDIA's GPUs alone. The macro
/// of a port, `USE_HIP` and the like, is taken to be defined.
pub(crate) fn blocks_for_cuda(cx: &Context<'_>) -> Vec<(TextRange, &'static str)> {
    let mut blocks = Vec::new();
    for chain in cx.facts.conditions.chains() {
        let left = left_to_cuda(chain, cx);
        let served = served_after(chain, cx);
        for (number, branch) in chain.branches.iter().enumerate() {
            if left[number] {
                let block = cx.document.range_of(branch.body.clone());
                blocks.push((block, "this `#if` has a branch for HIP beside this one"));
            } else if is_for_another_vendor(branch, cx) {
                blocks.push((cx.document.range_of(branch.body.clone()), "this code is for GPUs of another vendor"));
            } else if needs_missing_header(branch, cx) {
                let why = "the header that its condition asks for does not exist for AMD GPUs";
                blocks.push((cx.document.range_of(branch.body.clone()), why));
            } else if served[number] && undefined_switch(branch, cx) {
                let why = "the macro that switches this code on is undefined on AMD GPUs, and the file does without it";
                blocks.push((cx.document.range_of(branch.body.clone()), why));
            } else if served[number] && missing_feature(chain, number, cx) {
                let why = "the macro around it names a feature of NVIDIA's GPUs, and the other branch does without it";
                blocks.push((cx.document.range_of(branch.body.clone()), why));
            }
        }
    }
    for case in Case::all(cx) {
        let is_about_cuda =
            case.names_of(cx, |found| matches!(found, Macro::Arch | Macro::Version(_))).next().is_some();
        let why = if is_about_cuda { why_left_out(&case, case.as_converted(cx), cx) } else { None };
        if why.is_some()
            && let Some(branch) = case.chain.branches.get(case.branch)
        {
            let block = cx.document.range_of(branch.body.clone());
            blocks.push((block, "the condition leaves this code out on AMD GPUs"));
        }
    }
    blocks
}

/// For each branch of a chain whether a build for HIP skips it, because there is one for HIP beside it.
fn left_to_cuda(chain: &Chain, cx: &Context<'_>) -> Vec<bool> {
    let truth = |branch: &Branch| {
        let condition = branch
            .condition
            .as_ref()
            .filter(|condition| names_macro(condition, cx, |name| classify(name, cx) == Macro::Hip))?;
        Truth::of(condition, Reading::Unchanged, cx).constant()
    };
    let has_one_for_hip = chain.branches.iter().any(|branch| requires_hip(branch, cx));
    let mut is_taken_before = false;
    let left = chain.branches.iter().map(|own| {
        let truth = truth(own);
        let is_skipped = is_taken_before || truth == Some(false);
        is_taken_before |= truth == Some(true);
        is_skipped || (has_one_for_hip && tells_cuda(own, cx) && !requires_hip(own, cx))
    });
    left.collect()
}

/// `#if defined(OWN_CUDA_ARCH)`, with `#elif defined(OWN_HIP_DEVICE)` after it.
fn tells_cuda(branch: &Branch, cx: &Context<'_>) -> bool {
    let names_cuda = |condition| names_macro(condition, cx, |name| name.contains("CUDA") || is_feature(name));
    branch.condition.as_ref().is_some_and(names_cuda)
}

fn names_macro(condition: &Expression, cx: &Context<'_>, wanted: impl Fn(&str) -> bool) -> bool {
    names(cx.document, condition).any(|name| wanted(&cx.document.name(name)))
}

/// `#ifdef USE_MUSA`: the GPUs of Moore Threads, whose compiler reads CUDA.
fn is_for_another_vendor(branch: &Branch, cx: &Context<'_>) -> bool {
    let Some(Node::Defined(name)) = branch.condition.as_ref().map(|condition| &condition.node) else { return false };
    let directive = cx.document.directive_of(branch.opened_by).map(|found| found.kind);
    directive != Some(DirectiveKind::Ifndef) && cx.document.name(*name).split('_').any(|word| word == "MUSA")
}
