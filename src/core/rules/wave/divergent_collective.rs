//! Functions of a warp whose lanes come together from two branches.

use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::lane_function::{LaneFunction, keeps_32_lanes, takes_mask};
use crate::analysis::{Function, If, ThreadNumber};
use crate::diagnostic::RuleInfo;
use crate::rules::api::visible_call;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{BinaryOperator, Operand, OperandKind, TokenIdx, TokenKind, among};

declare_rule! {
    /// ## What it does
    /// Finds shuffles, votes, matches and reductions with the same mask in both branches of an `if` that parts the lanes of a
    /// warp, such as `if (lane % 2)`.
    ///
    /// ## Why is this bad?
    /// From Volta on, NVIDIA GPUs let the lanes of a mask come together from different places of the program (CUDA C++ Programming
    /// Guide, "Independent Thread Scheduling"). A wave of an AMD GPU takes the branches one after the other: in each of them
    /// the lanes of the other take no part, so that their values are missing, whatever the mask names.
    ///
    /// ## Example
    /// ```cuda
    /// __device__ int swap(int value, int lane) {
    ///     lane = threadIdx.x & 31;
    ///     if (threadIdx.x & 1) return __shfl_sync(0xffffffff, value, 0);
    ///     else return __shfl_sync(0xffffffff, value, 1);
    /// }
    /// ```
    ///
    /// ## What to do
    /// Call the function once, in front of the branches: `int source = lane & 1 ? 0 : 1; value = __shfl_sync(0xffffffff, value, source);`
    DivergentCollective { code: "W037", name: "divergent-collective", severity: Warning, fix: None, since: "0.2.0" }
}

impl Rule for DivergentCollective {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let collectives = collectives(cx);
        let functions = &cx.facts.functions;
        for function in functions.iter().filter(|function| function.runs_on_device()) {
            if within(&collectives, &function.body).len() < 2 {
                continue;
            }
            for found in &cx.control_flow(function).ifs {
                check_branches(cx, function, found, &collectives);
            }
        }
    }
}

/// A call of a function that wants the lanes of a mask.
struct Collective<'d> {
    name: TokenIdx,
    text: String,
    mask: Range<TokenIdx>,
    mask_text: &'d str,
}

/// Those of a file, in the order of the text.
fn collectives<'d>(cx: &Context<'d>) -> Vec<Collective<'d>> {
    let document = cx.document;
    let names = Rc::clone(&cx.names);
    let calls = names.iter().filter(|name| takes_mask(&name.text)).filter_map(|name| {
        let kind = LaneFunction::of(&name)?;
        let mask = *visible_call(document, name.token)?.arguments.first()?;
        let counts = kind != LaneFunction::Barrier;
        counts.then(|| Collective {
            name: name.token,
            text: name.text.to_string(),
            mask: document.tokens_in(mask),
            mask_text: document.slice(mask),
        })
    });
    calls.collect()
}

fn within<'c, 'd>(all: &'c [Collective<'d>], tokens: &Range<TokenIdx>) -> &'c [Collective<'d>] {
    among(all, tokens.clone(), |collective| collective.name)
}

fn check_branches(cx: &mut Context<'_>, function: &Function, found: &If, all: &[Collective<'_>]) {
    let (then, other) = (within(all, &found.then), within(all, &found.other));
    if then.is_empty()
        || other.is_empty()
        || !parts_lanes(cx, function, &Operand::read(cx.document, found.condition.clone()))
    {
        return;
    }
    let of_then: FxHashMap<(&str, &str), TokenIdx> =
        then.iter().map(|one| ((one.text.as_str(), one.mask_text), one.name)).collect();
    let meets = |one: &&Collective<'_>| {
        let has_own_mask = one.mask.clone().any(|idx| is_of_branch(cx, function, found, idx));
        of_then.contains_key(&(one.text.as_str(), one.mask_text)) && !has_own_mask
    };
    let Some(second) = other.iter().find(meets) else { return };
    let range = cx.document.range_of(second.name..second.name + 1);
    if !(cx.facts.is_hip || keeps_32_lanes(range.start(), cx)) {
        return;
    }
    let first = of_then.get(&(second.text.as_str(), second.mask_text)).map(|&idx| cx.document.range_of(idx..idx + 1));
    let finding = cx.report(range, "lanes come to this function in two branches, and a wave takes one after the other");
    if let Some(first) = first {
        finding.label(first, "the other lanes of the mask come here");
    }
    finding.note("call it once in front of the branches, with what differs in variables");
}

/// Whether a mask depends on which lanes are in the branch, by a name that is declared there or a call.
fn is_of_branch(cx: &Context<'_>, function: &Function, found: &If, idx: TokenIdx) -> bool {
    let document = cx.document;
    if document.kind(idx) != Some(TokenKind::Ident) {
        return false;
    }
    let value = cx.thread_numbers().first_value(idx, function);
    document.is(idx + 1, b'(') || value.is_some_and(|value| found.condition.end < value.tokens.start)
}

/// Whether a condition may differ among the lanes of a warp: it asks for a thread or a lane, and not for its warp only.
pub(super) fn parts_lanes(cx: &Context<'_>, function: &Function, condition: &Operand) -> bool {
    match cx.thread_numbers().number(condition.tokens.clone(), function) {
        Some(ThreadNumber::Warp | ThreadNumber::Count) => return false,
        Some(ThreadNumber::Lane | ThreadNumber::Thread) => return true,
        None => {}
    }
    let parts = |part: &Operand| parts_lanes(cx, function, part);
    match &condition.kind {
        OperandKind::Binary(operator, sides) => {
            !compares_with_warps(cx, operator, &sides[1]) && sides.iter().any(parts)
        }
        OperandKind::Unary(_, inner) | OperandKind::Cast(inner) => parts(inner),
        OperandKind::Choice(choice) => choice.iter().any(parts),
        OperandKind::Call(_, arguments) => arguments.iter().any(parts),
        _ => false,
    }
}

/// Whether a comparison has its bound between two warps, such as `threadIdx.x < 64`.
fn compares_with_warps(cx: &Context<'_>, operator: &BinaryOperator, bound: &Operand) -> bool {
    let sign = operator.text(cx.document);
    let bound = cx.thread_numbers().constant(bound.tokens.clone());
    matches!(sign, "<" | ">=") && bound.is_some_and(|bound| bound % 32 == 0)
}
