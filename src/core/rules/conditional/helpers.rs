//! What the rules about conditions share: words for findings, and names outside of conditions.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::judgement::Case;
use super::left_out::is_within_false_at;
use super::macros::{Macro, classify};
use crate::analysis::{Binary, Branch, Expression, Node};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::Name;
use crate::syntax::{DirectiveKind, Document, TokenIdx};

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

/// Where a name stands that is in no condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A `#define` defines it.
    Defined,
    /// An `#undef` undefines it.
    Undefined,
    /// After `defined` in the body of a macro.
    Presence,
    /// Elsewhere in the body of a macro.
    MacroBody,
    /// In code.
    Code,
}

/// The macros of CUDA's that stand outside of conditions.
pub(super) fn outside_conditions<'d>(cx: &Context<'d>) -> Vec<(Name<'d>, Place)> {
    let of_interest = |name: &Name<'d>| matches!(name.meaning, Meaning::Toolchain | Meaning::Tested);
    let names = cx.names.iter().filter(of_interest);
    names.filter_map(|name| place_of(cx.document, name.token).map(|place| (name, place))).collect()
}

pub(super) fn place_of(document: &Document, name: TokenIdx) -> Option<Place> {
    let Some(directive) = document.directive_of(name) else { return Some(Place::Code) };
    match directive.kind {
        DirectiveKind::Define if name == directive.tokens.start + 2 => Some(Place::Defined),
        DirectiveKind::Define if follows_defined(document, name) => Some(Place::Presence),
        DirectiveKind::Define => Some(Place::MacroBody),
        DirectiveKind::Undef => Some(Place::Undefined),
        _ => None,
    }
}

fn follows_defined(document: &Document, name: TokenIdx) -> bool {
    let text = |back: usize| name.checked_sub(back).map_or("", |idx| document.token_text(idx));
    text(1) == "defined" || (text(1) == "(" && text(2) == "defined")
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

/// The branches whose conditions ask for macros, by the names of these.
pub(super) fn asking<'c>(cx: &'c Context<'_>) -> &'c FxHashMap<String, Vec<(usize, usize)>> {
    cx.branches.asking.get_or_init(|| {
        let mut asking: FxHashMap<String, Vec<(usize, usize)>> = FxHashMap::default();
        for (at, chain) in cx.facts.conditions.chains().iter().enumerate() {
            for (number, branch) in chain.branches.iter().enumerate() {
                let names = branch.condition.iter().flat_map(|condition| asked_in(condition, cx));
                names.for_each(|name| asking.entry(name.into_owned()).or_default().push((at, number)));
            }
        }
        asking
    })
}

/// The macros that `&&` and `||` join `defined(NAME)` to in a condition.
pub(super) fn asked_in<'d>(condition: &Expression, cx: &Context<'d>) -> Vec<Cow<'d, str>> {
    let mut names = Vec::new();
    walk_joined(condition, &mut |part| {
        if let Node::Defined(name) = part.node {
            names.push(cx.document.name(name));
        }
    });
    names
}

/// The branch of a chain and of a number.
pub(super) fn branch_of<'d>((chain, number): (usize, usize), cx: &Context<'d>) -> Option<&'d Branch> {
    cx.facts.conditions.chains().get(chain)?.branches.get(number)
}

/// Visits the parts that `&&` and `||` join.
pub(super) fn walk_joined(part: &Expression, visit: &mut dyn FnMut(&Expression)) {
    match &part.node {
        Node::Binary(Binary::And | Binary::Or, sides) => sides.iter().for_each(|side| walk_joined(side, visit)),
        _ => visit(part),
    }
}
