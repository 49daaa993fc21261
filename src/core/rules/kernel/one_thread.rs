//! Conditions that let one thread through, of a block or of each 32.

use std::ops::Range;

use crate::analysis::{Function, If, ThreadNumber};
use crate::rules::context::Context;
use crate::syntax::{BinaryOperator, Operand, OperandKind, OperatorKind, TokenIdx};

/// Which threads come to a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Comers {
    /// Any number.
    Many,
    /// One of each 32: two of a wave of 64.
    OneOf32,
    /// One of each block, as far as can be told.
    One,
}

/// A condition of a function that lets few threads through.
#[derive(Debug)]
pub(super) struct Guard {
    /// The tokens that they come to.
    tokens: Range<TokenIdx>,
    comers: Comers,
}

/// The conditions of a function that let one thread through, or from which those of another index return. A comparison
/// with a constant tells, as far as tokens can.
pub(super) fn guards(cx: &Context<'_>, function: &Function) -> Vec<Guard> {
    let document = cx.document;
    let guard = |found: &If| {
        let picks_one = found.condition.clone().any(|at| {
            document.is(at, b'!') || document.is(at, b'=') && document.is(at + 1, b'=') || document.is(at, b'<')
        });
        let mut first = found.then.start..found.then.start + 2;
        let returns = first.any(|at| document.token_text(at) == "return");
        let end = if returns { function.body.end } else { found.then.end };
        let condition = || Operand::read(document, found.condition.clone());
        picks_one.then(|| Guard { tokens: found.then.start..end, comers: picked(cx, function, &condition()) })
    };
    cx.control_flow(function).ifs.iter().filter_map(guard).collect()
}

/// Which threads come to a token.
pub(super) fn comers(guards: &[Guard], idx: TokenIdx) -> Comers {
    let around = guards.iter().filter(|guard| guard.tokens.contains(&idx)).map(|guard| guard.comers);
    around.max().unwrap_or(Comers::Many)
}

/// Which threads a condition lets through that compares something.
fn picked(cx: &Context<'_>, function: &Function, condition: &Operand) -> Comers {
    let document = cx.document;
    let mut kinds = Vec::new();
    condition.walk(&mut |part| {
        let sides: &[Operand] = match &part.kind {
            OperandKind::Binary(BinaryOperator { kind: OperatorKind::Logic, .. }, sides) => sides.as_slice(),
            OperandKind::Unary(sign, one) if document.is(*sign, b'!') => std::slice::from_ref(one),
            _ => &[],
        };
        kinds.extend(sides.iter().filter_map(|side| number(cx, function, side)));
    });
    let counts = |kind| kinds.contains(&kind);
    let is_lane = counts(ThreadNumber::Lane) && !counts(ThreadNumber::Warp) && !counts(ThreadNumber::Thread);
    if is_lane { Comers::OneOf32 } else { Comers::One }
}

/// What an expression counts, ranks in tiles of 32 lanes and among those that are together included.
fn number(cx: &Context<'_>, function: &Function, operand: &Operand) -> Option<ThreadNumber> {
    let document = cx.document;
    let numbers = cx.thread_numbers();
    let is_rank = |operand: &Operand| {
        let OperandKind::Call(name, _) = operand.kind else { return None };
        let object = name.checked_sub(2).filter(|_| document.token_text(name) == "thread_rank")?;
        let group = numbers.first_value(object, function)?;
        let makes_warps = |idx: TokenIdx| {
            let makes_tiles = document.token_text(idx) == "tiled_partition" && document.token_text(idx + 2) == "32";
            makes_tiles || document.token_text(idx) == "coalesced_threads"
        };
        group.tokens.into_iter().any(makes_warps).then_some(ThreadNumber::Lane)
    };
    let variable = match operand.kind {
        OperandKind::Name(name) => numbers.only_value(document.token_text(name), function),
        _ => None,
    };
    let rank = || is_rank(operand).or_else(|| is_rank(variable.as_ref()?));
    numbers.number(operand.tokens.clone(), function).or_else(rank)
}
