//! What the rules about conditions share: words for findings, and names outside of conditions.

use super::parts::{Place, asking, branch_of, place_of};

use super::false_branches::is_within_false_at;
use super::judgement::Case;
use super::macros::{Macro, classify};
use crate::analysis::{Binary, Expression, Node};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::Name;
use crate::syntax::{Document, TokenIdx};

/// How a macro that counts as 0 decides a condition, as the end of a sentence about the macro.
pub(super) fn outcome(case: &Case<'_>, subject: TokenIdx, names: Naming, cx: &Context<'_>) -> String {
    let converted = case.as_converted(cx);
    let Some(truth) = converted.device else {
        return "and counts as 0 in this condition".to_owned();
    };
    if converted.host == Some(!truth) {
        let side = if truth { "in device code" } else { "on the host side" };
        return format!("so this condition is true {side} only");
    }
    let code = code_of(case.expression, subject, names, cx);
    let fate = if truth { "compiled" } else { "left out" };
    format!("so this condition is {truth} on AMD GPUs: {code} is {fate}")
}

/// How a rule calls what a number stands for: `sm_70`, `CUDA 11.2`.
pub(super) type Naming = fn(i64, Macro<'_>) -> Option<String>;

/// The code that a condition selects, in words.
fn code_of(condition: &Expression, subject: TokenIdx, names: Naming, cx: &Context<'_>) -> String {
    let subject_name = cx.document.name(subject);
    let mut comparisons = Vec::new();
    comparisons_in(condition, &mut comparisons);
    let mut about = comparisons.iter().filter_map(|(operator, [left, right])| {
        let is_subject = |part: &Expression| matches!(part.node, Node::Name(n) if cx.document.name(n) == subject_name);
        match (is_subject(left), is_subject(right)) {
            (true, false) => Some((*operator, number(right, cx)?)),
            (false, true) => Some((operator.mirrored(), number(left, cx)?)),
            _ => None,
        }
    });
    let generic = "its branch".to_owned();
    let (Some((operator, bound)), None) = (about.next(), about.next()) else { return generic };
    let Some(what) = names(bound, classify(&subject_name, cx)) else { return generic };
    match operator {
        Binary::GreaterOrEqual => format!("the code for {what} and later"),
        Binary::Greater => format!("the code for what is later than {what}"),
        Binary::Less => format!("the code for what is older than {what}"),
        Binary::LessOrEqual => format!("the code for {what} and older"),
        Binary::Equal => format!("the code for {what}"),
        _ => generic,
    }
}

/// The comparisons that `&&` and `||` join; those under a `!` would read the wrong way round.
fn comparisons_in<'e>(part: &'e Expression, found: &mut Vec<(Binary, &'e [Expression; 2])>) {
    match &part.node {
        Node::Binary(Binary::And | Binary::Or, parts) => parts.iter().for_each(|part| comparisons_in(part, found)),
        Node::Binary(operator, parts) if operator.compares() => found.push((*operator, parts)),
        _ => {}
    }
}

fn number(part: &Expression, cx: &Context<'_>) -> Option<i64> {
    match part.node {
        Node::Number(number) => Some(number),
        Node::Name(name) => cx.facts.conditions.constant(&cx.document.name(name)),
        _ => None,
    }
}

/// The macros of CUDA's that stand outside of conditions.
pub(super) fn outside_conditions<'d>(cx: &Context<'d>) -> Vec<(Name<'d>, Place)> {
    let of_interest = |name: &Name<'d>| matches!(name.meaning, Meaning::Toolchain | Meaning::Tested);
    let names = cx.names.iter().filter(of_interest);
    names.filter_map(|name| place_of(cx.document, name.token).map(|place| (name, place))).collect()
}

/// Whether a condition around a macro's value is false on AMD GPUs, or asks whether the macro is defined.
/// Such code is left out in HIP, and the condition has a finding of its own.
pub(super) fn is_guarded(value: TokenIdx, cx: &Context<'_>) -> bool {
    if is_within_false_at(value, cx) {
        return true;
    }
    let asking = asking(cx).get(&*cx.document.name(value)).map_or(&[][..], Vec::as_slice);
    asking.iter().any(|found| branch_of(*found, cx).is_some_and(|branch| branch.body.contains(&value)))
}

/// Whether a branch holds an `#error` and nothing else.
pub(super) fn only_fails(case: &Case<'_>, document: &Document) -> bool {
    let body = case.chain.branches[case.branch].body.clone();
    let [found] = document.directives_in(body.clone()) else { return false };
    found.tokens == body && document.token_text(found.tokens.start + 1) == "error"
}
