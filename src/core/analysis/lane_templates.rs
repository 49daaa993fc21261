//! Lane masks that are arguments of templates.

use super::lanes::Flow;
use crate::syntax::{Document, TokenIdx, split_arguments};

impl Flow<'_> {
    /// Arguments of one token each, of templates whose parameter is a lane mask.
    pub(super) fn template_masks(&self) -> Vec<TokenIdx> {
        let mut found = Vec::new();
        for scope in &self.scopes {
            for (number, &parameter) in scope.template.iter().enumerate() {
                if let Some(name) = scope.name.filter(|_| self.local_is_mask(scope, parameter)) {
                    let uses = (0..self.document.tokens().len()).filter(|&idx| self.id(idx) == name);
                    found.extend(uses.filter_map(|idx| single_argument(self.document, idx, number)));
                }
            }
        }
        found
    }
}

/// The argument `number`, from 0, of the template that is named at `name`, if it is one token.
fn single_argument(document: &Document, name: TokenIdx, number: usize) -> Option<TokenIdx> {
    let is_end = |&idx: &TokenIdx| matches!(document.token_text(idx), ">" | ";" | "{" | "(");
    let close = (name + 1..document.tokens().len()).find(is_end)?;
    if !document.is(name + 1, b'<') || !document.is(close, b'>') {
        return None;
    }
    let argument = split_arguments(document, name + 2..close).into_iter().nth(number)?;
    (argument.len() == 1).then_some(argument.start)
}
