//! Whether it is right that a false condition leaves its code out on AMD GPUs.

use super::false_branches::is_within_false_at;
use super::features::{is_within_feature, only_names_features};
use super::for_hip::first_for_hip;
use super::judgement::{Case, Truth, names};
use super::macros::ARCH;
use super::parts::is_return;
use super::parts::walk_joined;
use super::served::{why_with_other, why_without_other};
use crate::analysis::{Binary, Branch, Expression, Function, Node};
use crate::rules::context::Context;
use crate::source::TextRange;
use crate::syntax::{Document, TokenIdx, is_asm};

/// The version of NVIDIA's compiler.
const COMPILER_MAJOR: &str = "__CUDACC_VER_MAJOR__";

/// Instructions and functions that tell the GPU about launches and caches. Kernels compute the
/// same without them, and AMD GPUs cannot be told.
const ADVICE: &[&str] = &[
    "griddepcontrol",
    "prefetch",
    "setmaxnreg",
    "cudaGridDependencySynchronize",
    "cudaTriggerProgrammaticLaunchCompletion",
];

/// Why the condition needs no decision, if that can be seen: it is right as it is, or does not matter.
pub(super) fn why_right(case: &Case<'_>, converted: Truth, cx: &Context<'_>) -> Option<&'static str> {
    if is_within_feature(case, cx) {
        return Some("the `#if` around it is about features of NVIDIA's GPUs");
    }
    let first_for_hip = *case.of_chain.for_hip.get_or_init(|| first_for_hip(case.chain, cx));
    if first_for_hip.is_some_and(|first| first < case.branch) {
        return Some("a branch for HIP stands before this one");
    }
    if is_about_host(case, cx) {
        return Some("as in CUDA: host code, which never sees the macro");
    }
    if is_within_false_at(case.expression.tokens.start, cx) {
        return Some("the `#if` around it leaves it out");
    }
    if excludes_one_generation(case, cx.document) {
        return Some("that is right: one generation of NVIDIA's GPUs is left out");
    }
    if is_for_processors(case, cx.document) {
        return Some("the condition is about processors of the host");
    }
    if holds_only_comments(case, cx.document) {
        return Some("that is right: there are only comments");
    }
    if is_way_around_one_release(case, cx) {
        return Some("that is right: one series of releases of NVIDIA's compiler needs other code");
    }
    why_left_out(case, converted, cx)
}

/// Whether the condition is only about `__CUDA_ARCH__`, and all branches are host functions.
fn is_about_host(case: &Case<'_>, cx: &Context<'_>) -> bool {
    *case.of_chain.is_about_host.get_or_init(|| {
        let mut conditions = case.chain.branches.iter().filter_map(|branch| branch.condition.as_ref());
        conditions.all(|condition| names(cx.document, condition).all(|name| cx.document.name(name) == ARCH))
            && case.chain.branches.iter().all(|branch| holds_host_functions(branch, cx))
    })
}

/// Whether the branch consists of host functions.
fn holds_host_functions(branch: &Branch, cx: &Context<'_>) -> bool {
    let mut at = branch.body.start;
    while at < branch.body.end {
        match next_function(at..branch.body.end, cx).filter(|function| !function.runs_on_device()) {
            Some(function) => at = function.body.end,
            None => return false,
        }
    }
    !branch.body.is_empty()
}

/// The function with which `tokens` start.
fn next_function<'d>(tokens: std::ops::Range<TokenIdx>, cx: &Context<'d>) -> Option<&'d Function> {
    let function = cx.facts.functions.starting_at(tokens.start)?;
    (function.body.end <= tokens.end).then_some(function)
}

/// Why it is right that the branch is left out on AMD GPUs, if it is and that can be seen.
pub(super) fn why_left_out(case: &Case<'_>, converted: Truth, cx: &Context<'_>) -> Option<&'static str> {
    let document = cx.document;
    if chooses_one_generation(case, document) {
        return Some("that is right: the code is for one generation of NVIDIA's GPUs");
    }
    let own = case.chain.branches.get(case.branch).filter(|_| converted.device == Some(false))?;
    match case.chain.branches.get(case.branch + 1) {
        None if only_advises(own, document) => Some("that is right: kernels compute the same without this code"),
        None if only_names_features(own, document) => Some("that is right: it names a feature of NVIDIA's GPUs"),
        None => why_without_other(own, cx),
        Some(other) if only_fails(own, document) && other.condition.is_none() => {
            Some("that is right: the code left out only reports a failure")
        }
        Some(other) if replaces_assembly(own, other, cx) => {
            Some("that is right: inline PTX is left out, and the other branch is written in C++")
        }
        Some(other) => why_with_other(own, other, cx),
    }
}

/// `#if __CUDA_ARCH__ == 700`, alone or with an `#else` that all others take.
fn chooses_one_generation(case: &Case<'_>, document: &Document) -> bool {
    let has_rest = || {
        case.chain.branches.len() == 1
            || case.chain.branches.last().is_some_and(|last| last.condition.is_none() && !fails(last, document))
    };
    let is_arch = |part: &Expression| matches!(part.node, Node::Name(name) if document.name(name) == ARCH);
    let mut equal = 0;
    let mut comparisons = |part: &Expression| {
        if let Node::Binary(Binary::Equal, sides) = &part.node {
            let bound = sides.iter().find(|side| !is_arch(side)).map(|side| &side.node);
            let is_number = matches!(bound, Some(Node::Name(_) | Node::Number(1..)));
            equal += usize::from(is_number && sides.iter().any(is_arch));
        }
    };
    walk_joined(case.expression, &mut comparisons);
    let all = names(document, case.expression).filter(|&name| document.name(name) == ARCH).count();
    all == equal && equal > 0 && has_rest()
}

/// `__CUDA_ARCH__ != 610`, alone or with other conditions.
fn excludes_one_generation(case: &Case<'_>, document: &Document) -> bool {
    let is_arch = |part: &Expression| matches!(part.node, Node::Name(name) if document.name(name) == ARCH);
    let mut unequal = 0;
    walk_joined(case.expression, &mut |part| {
        if let Node::Binary(Binary::Unequal, sides) = &part.node {
            let is_number = sides.iter().any(|side| matches!(side.node, Node::Number(1..)));
            unequal += usize::from(is_number && sides.iter().any(is_arch));
        }
    });
    unequal > 0 && names(document, case.expression).filter(|&name| document.name(name) == ARCH).count() == unequal
}

/// Whether no branch holds code, and in that of the condition is a line of comment.
fn holds_only_comments(case: &Case<'_>, document: &Document) -> bool {
    let comment = || {
        let start = document.range_of(case.expression.tokens.clone()).end();
        let next = document.token(case.chain.branches.get(case.branch)?.body.end)?;
        let (_, lines) = document.slice(TextRange::new(start, next.range().start())).split_once('\n')?;
        Some(!lines.trim().is_empty())
    };
    let is_empty = || case.chain.branches.iter().all(|branch| branch.body.is_empty());
    *case.of_chain.is_empty.get_or_init(is_empty) && comment().unwrap_or_default()
}

/// `#if __CUDACC_VER_MAJOR__ == 12 && …` with an `#else` that serves all other releases of the compiler.
fn is_way_around_one_release(case: &Case<'_>, cx: &Context<'_>) -> bool {
    let is_major =
        |part: &Expression| matches!(part.node, Node::Name(name) if cx.document.name(name) == COMPILER_MAJOR);
    let mut is_one = false;
    walk_joined(case.expression, &mut |part| {
        if let Node::Binary(Binary::Equal, sides) = &part.node {
            is_one |= sides.iter().any(is_major) && sides.iter().any(|side| matches!(side.node, Node::Number(_)));
        }
    });
    let other = case.chain.branches.get(case.branch + 1);
    is_one && other.is_some_and(|other| other.condition.is_none() && cx.branches.serves(other, cx.document))
}

/// Whether the code is for processors that the condition names: `defined(__ARM_NEON) && …`
fn is_for_processors(case: &Case<'_>, document: &Document) -> bool {
    const PROCESSORS: &[&str] = &["__ARM_", "__arm", "__aarch64", "__AVX", "__SSE", "__x86_64", "__riscv", "__powerpc"];
    let mut parts = vec![case.expression];
    while let Some(part) = parts.pop() {
        match &part.node {
            Node::Binary(Binary::And, sides) => parts.extend(sides.iter()),
            Node::Defined(name) if PROCESSORS.iter().any(|start| document.name(*name).starts_with(start)) => {
                return true;
            }
            _ => {}
        }
    }
    false
}

/// Whether the branch holds an `#error`.
fn fails(branch: &Branch, document: &Document) -> bool {
    document
        .directives_in(branch.body.clone())
        .iter()
        .any(|found| document.token_text(found.tokens.start + 1) == "error")
}

/// Whether the branch holds statements of [`ADVICE`] alone.
fn only_advises(branch: &Branch, document: &Document) -> bool {
    let mut at = branch.body.start;
    while at < branch.body.end {
        let Some(end) = end_of_advice(at, document) else { return false };
        at = end;
    }
    !branch.body.is_empty()
}

/// `assert(false);`
fn only_fails(branch: &Branch, document: &Document) -> bool {
    let words: Vec<_> = branch.body.clone().take(6).map(|idx| document.token_text(idx)).collect();
    matches!(words.as_slice(), ["assert", "(", "false" | "0", ")", ";"])
}

/// The token after `asm volatile("griddepcontrol.wait;");` or `advice();`, if it stands at `at`.
fn end_of_advice(at: TokenIdx, document: &Document) -> Option<TokenIdx> {
    let is_assembly = is_asm(document.token_text(at));
    let mut open = at + 1;
    while is_assembly && matches!(document.token_text(open), "volatile" | "__volatile__") {
        open += 1;
    }
    let close = document.partner(open).filter(|_| document.is(open, b'('))?;
    let text =
        if is_assembly { document.token_text(open + 1).trim_start_matches('"') } else { document.token_text(at) };
    let is_advice = ADVICE.iter().any(|word| text.starts_with(word));
    (is_advice && document.is(close + 1, b';')).then_some(close + 2)
}

/// Whether one branch is inline assembly and the other is code without any.
fn replaces_assembly(own: &Branch, other: &Branch, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let holds_asm = |branch: &Branch| cx.branches.holds_assembly(branch, document);
    let mut computes = other.body.clone().filter(|&idx| document.is(idx, b'=') || is_return(document, idx));
    other.condition.is_none() && holds_asm(own) && !holds_asm(other) && computes.next().is_some()
}
