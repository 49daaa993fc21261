//! Code that defines functions of CUDA's for old GPUs or old releases, and that HIP's headers
//! define as well.

use super::judgement::Case;
use super::macros::COMPILER;
use crate::analysis::{Branch, Function};
use crate::diagnostic::Fix;
use crate::mapping::{Resolution, Support};
use crate::rules::context::Context;
use crate::syntax::{DirectiveKind, Document, TokenIdx};

/// A fix that keeps functions of HIP's from being defined again. In both passes: clang reads
/// device functions on the host side too. `taken` is what the converted condition is, `meant` what
/// it should be, as far as they are known for the passes that matter.
pub(super) fn without_repetition(
    case: &Case<'_>,
    (taken, meant): (Option<bool>, Option<bool>),
    cx: &Context<'_>,
) -> Option<Fix> {
    let truth = match (taken, meant) {
        (Some(taken), Some(meant)) if taken != meant => meant,
        (Some(_), Some(_)) | (Some(false), None) => return None,
        // Whatever the condition says, this code and HIP's headers cannot both be compiled.
        _ => false,
    };
    let compiled = case.wrongly_compiled(truth);
    let functions: Vec<_> = compiled.iter().flat_map(|branch| functions_of(branch, cx)).collect();
    let only_functions = compiled.iter().all(|branch| !defines_macros(branch, cx));
    if functions.is_empty() || !only_functions || !functions.iter().all(|function| is_provided(function, cx)) {
        return None;
    }
    let edits = case.forced(case.expression, truth, COMPILER, cx.document);
    Some(Fix::safe("leave this function to HIP's headers", edits))
}

fn functions_of<'d>(branch: &Branch, cx: &Context<'d>) -> impl Iterator<Item = &'d Function> {
    let body = branch.body.clone();
    cx.facts.functions.iter().filter(move |function| body.contains(&function.body.start))
}

fn defines_macros(branch: &Branch, cx: &Context<'_>) -> bool {
    let mut directives = cx.document.directives().iter();
    directives.any(|found| found.kind == DirectiveKind::Define && branch.body.contains(&found.tokens.start))
}

/// Whether HIP's headers define the same function for the same types.
fn is_provided(function: &Function, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let Some(name) = function.name.filter(|_| function.runs_on_device()) else { return false };
    let text = document.name(name);
    let Some(Resolution::Name(to, entry)) = cx.resolve(&text) else { return false };
    let words = || function.head.clone().map(|idx| document.token_text(idx));
    let takes_bfloat = words().any(|word| word.contains("bfloat16"));
    let takes_half = words().any(|word| word.contains("half") && word != &*text);
    let is_known = match entry.library {
        // Atomic functions and the like, which HIP has for the types of the language only.
        "device" => !takes_half && !takes_bfloat,
        // HIP has most of these for halves only.
        "fp16" => takes_bfloat == text.contains("bfloat16"),
        _ => false,
    };
    let is_template = words().any(|word| word == "template");
    to == text && entry.support > Support::Partial && is_known && !is_template && is_at_file_scope(document, name)
}

/// Whether no namespace and no class holds the token at `idx`.
fn is_at_file_scope(document: &Document, idx: TokenIdx) -> bool {
    let mut at = idx;
    while let Some(before) = at.checked_sub(1) {
        at = match document.partner(before) {
            Some(open) if document.is(before, b'}') && open < before => open,
            Some(_) if document.is(before, b'{') => return false,
            _ => before,
        };
    }
    true
}
