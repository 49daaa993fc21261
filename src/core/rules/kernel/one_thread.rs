//! Conditions that let one thread through, of a block or of each 32.

use crate::analysis::{Function, ThreadNumber};
use crate::rules::context::Context;
use crate::syntax::{BinaryOperator, Operand, OperandKind, OperatorKind, TokenIdx};

use super::places::statement;

/// Which threads come to a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comers {
    /// Any number.
    Many,
    /// One of each 32: two of a wave of 64.
    OneOf32,
    /// One of each block, as far as can be told.
    One,
}

/// Which threads come to the token `idx`: an `if` around it may let one through, or those of another index have
/// returned before. A comparison with a constant in a condition tells, as far as tokens can.
pub(super) fn comers(cx: &Context<'_>, function: &Function, idx: TokenIdx) -> Comers {
    let document = cx.document;
    let mut comers = Comers::Many;
    let tests = (function.body.start..idx).filter(|&at| document.token_text(at) == "if" && document.is(at + 1, b'('));
    for keyword in tests {
        let Some(close) = document.partner(keyword + 1) else { continue };
        let holds_place = match document.token_text(close + 1) {
            "{" => document.partner(close + 1).is_some_and(|end| end > idx),
            _ => statement(document, close + 1).contains(&idx),
        };
        let returns = (close + 1..close + 3).any(|at| document.token_text(at) == "return");
        let picks_one = (keyword + 2..close).any(|at| {
            document.is(at, b'!') || document.is(at, b'=') && document.is(at + 1, b'=') || document.is(at, b'<')
        });
        if !picks_one || !(holds_place || returns) {
            continue;
        }
        match picked(cx, function, &Operand::read(document, keyword + 2..close)) {
            Comers::One => return Comers::One,
            other => comers = other,
        }
    }
    comers
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
