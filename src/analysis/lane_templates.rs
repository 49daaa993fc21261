//! What templates are given as arguments.

use crate::syntax::{Document, TokenIdx, split_arguments};

/// Arguments `number` (from 0) of the uses of a template, as far as they are one token each.
pub(super) fn single_arguments(document: &Document, template: &str, number: usize) -> Vec<TokenIdx> {
    let uses = (0..document.tokens().len()).filter(|&idx| document.token_text(idx) == template);
    uses.filter_map(|name| argument(document, name, number)).collect()
}

fn argument(document: &Document, name: TokenIdx, number: usize) -> Option<TokenIdx> {
    let is_end = |&idx: &TokenIdx| matches!(document.token_text(idx), ">" | ";" | "{" | "(");
    let close = (name + 1..document.tokens().len()).find(is_end)?;
    if !document.is(name + 1, b'<') || !document.is(close, b'>') {
        return None;
    }
    let argument = split_arguments(document, name + 2..close).into_iter().nth(number)?;
    (argument.len() == 1).then_some(argument.start)
}
