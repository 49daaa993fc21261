//! Loops that wait for another thread and are written in macros: `#define LOCK(m) while (atomicCAS(m, 0, 1) != 0)`.

use std::ops::Range;

use crate::analysis::{Function, is_pause};
use crate::rules::context::Context;
use crate::syntax::{Call, Document, MacroDefinition, TokenIdx, TokenKind, words, words_in};

/// The use of such a macro in device code.
pub(super) struct MacroWait<'d> {
    /// The name where it is used.
    pub(super) name: TokenIdx,
    pub(super) function: &'d Function,
    /// Whether it is for a lock, or for a value that is read.
    pub(super) is_lock: bool,
}

/// All such uses of a file, in the order of the text.
pub(super) fn macro_waits<'d>(cx: &Context<'d>) -> Vec<MacroWait<'d>> {
    let document: &'d Document = cx.document;
    let functions = &cx.facts.functions;
    let mut found = Vec::new();
    for (define, condition) in MacroDefinition::all(document).filter_map(|define| waiting(document, define)) {
        let is_lock = condition.clone().any(|idx| takes_lock(document.token_text(idx)));
        for name in words(document, document.token_text(define.name)) {
            let Some(function) = functions.around(name).filter(|function| function.runs_on_device()) else { continue };
            // `FOR_EACH(node) { … }` is a loop with something to do.
            let behind = Call::at(document, name).map_or(name + 1, |call| call.close + 1);
            let is_head = condition.end + 1 == define.body.end && !document.is(behind, b';');
            let waits = is_lock || asks_for_memory(document, &define, &condition, name);
            if waits && (!is_head || document.is(behind, b'{') && document.is(behind + 1, b'}')) {
                found.push(MacroWait { name, function, is_lock });
            }
        }
    }
    found.sort_by_key(|wait| wait.name);
    found
}

/// The condition of the loop that a macro is, if that does nothing but wait.
fn waiting(document: &Document, define: MacroDefinition) -> Option<(MacroDefinition, Range<TokenIdx>)> {
    let keyword = words_in(document, "while", define.body.clone()).next()?;
    let close = document.partner(keyword + 1).filter(|&close| document.is(keyword + 1, b'(') && close > keyword)?;
    let before = define.body.start..keyword;
    let first = words_in(document, "do", before.clone()).next();
    let rounds = first.map_or(close + 1..define.body.end, |first| first + 1..keyword);
    let is_idle = |idx: TokenIdx| match document.kind(idx) {
        Some(TokenKind::Ident) => is_pause(document.token_text(idx)),
        Some(TokenKind::Punct(sign)) => b"{}();".contains(&sign),
        kind => kind == Some(TokenKind::Number),
    };
    rounds.clone().all(is_idle).then_some((define, keyword + 2..close))
}

/// Whether an atomic function takes locks in loops.
fn takes_lock(word: &str) -> bool {
    matches!(word, "atomicCAS" | "atomicExch")
}

/// Whether the condition reads memory, by itself or by what the macro is given at `name`.
fn asks_for_memory(document: &Document, define: &MacroDefinition, condition: &Range<TokenIdx>, name: TokenIdx) -> bool {
    let reads = |mut tokens: Range<TokenIdx>| {
        tokens.any(|idx| {
            let text = document.token_text(idx);
            matches!(text, "[" | "->" | "volatile" | "load")
                || text.starts_with("atomic")
                || starts_with_star(document, idx)
        })
    };
    let call = Call::at(document, name);
    let given = |idx: TokenIdx| {
        let number = define.parameter(document, document.token_text(idx))?;
        call.as_ref().and_then(|call| call.arguments.get(number)).map(|&argument| document.tokens_in(argument))
    };
    reads(condition.clone()) || condition.clone().filter_map(given).any(reads)
}

/// `*flag` where a value starts, which is no product.
fn starts_with_star(document: &Document, idx: TokenIdx) -> bool {
    let ends_value = |before: TokenIdx| matches!(document.kind(before), Some(TokenKind::Ident | TokenKind::Number));
    document.is(idx, b'*') && !idx.checked_sub(1).is_some_and(ends_value)
}
