//! What this group tells the others.

use std::ops::Range;

use super::{emulated, foreign_attribute, unreliable_clock};
use crate::analysis::Function;
use crate::rules::context::Context;
use crate::rules::query::Name;
use crate::syntax::{Document, TokenIdx};

/// Whether a rule of this group reports `name`, so that the rules about names need not.
pub(in crate::rules) fn reports(name: &Name<'_>, cx: &Context<'_>) -> bool {
    foreign_attribute::is_foreign(&name.text) || emulated(name).is_some() || unreliable_clock::is_unreliable(name, cx)
}

/// The tokens of the statement around the token `idx`, or of the head of the block it opens.
pub(super) fn statement(document: &Document, idx: TokenIdx) -> Range<TokenIdx> {
    let ends = |at: TokenIdx| matches!(document.token_text(at), ";" | "{" | "}") || document.directive_of(at).is_some();
    let start = (0..idx).rev().find(|&at| ends(at)).map_or(0, |at| at + 1);
    let end = (idx..document.tokens().len()).find(|&at| ends(at)).unwrap_or(document.tokens().len());
    start..end
}

/// Whether an `if` around the token `idx` lets one thread through, or those of another index have
/// returned before: a comparison with a constant in a condition tells, as far as tokens can.
pub(super) fn is_for_one_thread(document: &Document, function: &Function, idx: TokenIdx) -> bool {
    let tests = function.body.start..idx;
    tests.into_iter().filter(|&at| document.token_text(at) == "if" && document.is(at + 1, b'(')).any(|keyword| {
        let Some(close) = document.partner(keyword + 1) else { return false };
        let condition = keyword + 2..close;
        let holds_place = match document.token_text(close + 1) {
            "{" => document.partner(close + 1).is_some_and(|end| end > idx),
            _ => statement(document, close + 1).contains(&idx),
        };
        let returns = (close + 1..close + 3).any(|at| document.token_text(at) == "return");
        let picks_one = condition.clone().any(|at| {
            document.is(at, b'!') || document.is(at, b'=') && document.is(at + 1, b'=') || document.is(at, b'<')
        });
        picks_one && (holds_place || returns)
    })
}
