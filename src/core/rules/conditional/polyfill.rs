//! Code that defines functions of CUDA's for old GPUs or old releases, and that HIP's headers
//! define as well.

use super::judgement::{Case, names};
use super::macros::{ARCH, COMPILER, is_version};
use crate::analysis::{Branch, Function};
use crate::diagnostic::Fix;
use crate::mapping::{Resolution, Support};
use crate::rules::context::Context;
use crate::source::Spans;
use crate::syntax::{DirectiveKind, TokenIdx};

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
    let (first, last) = (compiled.first()?, compiled.last()?);
    let all = first.body.start..last.body.end;
    let others = cx.branches.not_of_headers.get_or_init(|| not_of_headers(cx));
    if cx.facts.functions.within(all.clone()).is_empty() || others.meets(&all) {
        return None;
    }
    let edits = case.forced(case.expression, truth, COMPILER, cx.document);
    Some(Fix::safe("leave this function to HIP's headers", edits))
}

/// Whether the definition at `idx` is left to HIP's headers: it stands with others like it in a branch for old GPUs or old
/// releases.
pub(in crate::rules) fn is_left_to_headers(idx: TokenIdx, cx: &Context<'_>) -> bool {
    cx.branches.of_headers.get_or_init(|| of_headers(cx)).contains(idx)
}

fn of_headers(cx: &Context<'_>) -> Spans<TokenIdx> {
    let document = cx.document;
    let is_old = |branch: &&Branch| {
        let names = branch.condition.iter().flat_map(|condition| names(document, condition));
        names.map(|name| document.name(name)).any(|name| name == ARCH || is_version(&name))
    };
    let others = cx.branches.not_of_headers.get_or_init(|| not_of_headers(cx));
    let has_functions = |branch: &&Branch| !cx.facts.functions.within(branch.body.clone()).is_empty();
    let branches = cx.facts.conditions.chains().iter().flat_map(|chain| &chain.branches).filter(is_old);
    let left = branches.filter(has_functions).filter(|branch| !others.meets(&branch.body));
    left.map(|branch| branch.body.clone()).collect()
}

/// Functions that HIP's headers do not define, and definitions of macros.
fn not_of_headers(cx: &Context<'_>) -> Spans<TokenIdx> {
    let functions = cx.facts.functions.iter().filter(|function| !is_provided(function, cx));
    let defines = cx.document.directives().iter().filter(|found| found.kind == DirectiveKind::Define);
    let starts = functions.map(|function| function.body.start).chain(defines.map(|found| found.tokens.start));
    starts.map(|start| start..start + 1).collect()
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
    to == text
        && entry.support > Support::Partial
        && is_known
        && !is_template
        && cx.facts.blocks(document).around(name).is_none()
}
