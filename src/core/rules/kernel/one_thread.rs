//! Conditions of a function that keep threads of a block away from parts of it.

use std::ops::Range;

use crate::analysis::{Condition, Function, If, Picked};
use crate::rules::context::Context;
use crate::syntax::{Document, Operand, TokenIdx};

/// A condition of a function, by which only some threads reach a part of it.
#[derive(Debug)]
pub(super) struct Guard {
    /// The tokens that they come to.
    tokens: Range<TokenIdx>,
    picked: Picked,
}

/// The conditions of a function: what is done if they hold, if they do not, and what comes behind those that lead away.
pub(super) fn guards(cx: &Context<'_>, function: &Function) -> Vec<Guard> {
    let condition = Condition::of(cx.document, cx.thread_numbers(), cx.facts.is_hip);
    let of_if = |found: &If| {
        let operand = Operand::read(cx.document, found.condition.clone());
        let picks = |holds| condition.picks(&operand, holds, function);
        let (holds, fails) = (picks(true), picks(false));
        let rest = rest(cx, function, found);
        let mut guards = vec![
            Guard { tokens: found.then.clone(), picked: holds },
            Guard { tokens: found.other.clone(), picked: fails },
        ];
        if leads_away(cx, &found.then) {
            guards.push(Guard { tokens: rest, picked: fails });
        } else if leads_away(cx, &found.other) {
            guards.push(Guard { tokens: rest, picked: holds });
        }
        guards
    };
    cx.control_flow(function).ifs.iter().flat_map(of_if).collect()
}

/// What is known of the threads that come to a token.
pub(super) fn picked(guards: &[Guard], idx: TokenIdx) -> Picked {
    let around = guards.iter().filter(|guard| guard.tokens.contains(&idx));
    around.fold(Picked::default(), |known, guard| known.and(guard.picked))
}

/// What stands behind an `if` in the same block.
fn rest(cx: &Context<'_>, function: &Function, found: &If) -> Range<TokenIdx> {
    let document = cx.document;
    let start = found.other.end;
    // It is part of another statement without braces.
    let is_part =
        document.before(found.keyword).is_some_and(|idx| matches!(document.token_text(idx), ")" | "else" | "do"));
    let block = cx.facts.blocks(document).around(found.keyword).and_then(|open| document.partner(open));
    let end = block.unwrap_or(start).min(function.body.end);
    if is_part { start..start } else { start..end.max(start) }
}

/// Whether the last thing that a statement does is to lead away from what stands behind it.
fn leads_away(cx: &Context<'_>, tokens: &Range<TokenIdx>) -> bool {
    let document = cx.document;
    let leads = |word: &str| matches!(word, "return" | "break" | "continue");
    let Some(last) = tokens.clone().rev().find(|&idx| leads(document.token_text(idx))) else { return false };
    let is_alone = last == tokens.start;
    let is_in_block = cx.facts.blocks(document).around(last) == Some(tokens.start) && starts_statement(document, last);
    let ends = (last..tokens.end).filter(|&idx| document.is(idx, b';')).count();
    (is_alone || is_in_block) && ends == 1
}

fn starts_statement(document: &Document, idx: TokenIdx) -> bool {
    document.before(idx).is_some_and(|before| matches!(document.token_text(before), ";" | "{" | "}"))
}
