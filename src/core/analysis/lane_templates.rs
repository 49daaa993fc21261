//! Lane masks that are arguments of templates.

use rustc_hash::FxHashSet;

use super::lanes::{Flow, Scope};
use super::name_ids::NameId;
use crate::syntax::{Document, TokenIdx, split_arguments};

impl Flow<'_> {
    /// Arguments of one token each, of templates whose parameter is a lane mask.
    pub(super) fn template_masks(&self) -> Vec<TokenIdx> {
        let masks: FxHashSet<_> = self.scopes.iter().flat_map(|scope| self.masks_of_template(scope)).collect();
        masks.into_iter().flat_map(|(name, number)| self.arguments_of(name, number)).collect()
    }

    /// The parameters of a template that are lane masks: its name, and their numbers.
    pub(super) fn masks_of_template(&self, scope: &Scope) -> Vec<(NameId, usize)> {
        let is_mask = |parameter: &NameId| self.local_is_mask(scope, *parameter);
        let parameters = scope.template.iter().enumerate().filter(|(_, parameter)| is_mask(parameter));
        parameters.filter_map(|(number, _)| Some((scope.name?, number))).collect()
    }

    /// The arguments `number`, from 0, of the templates of a name, that are one token each.
    pub(super) fn arguments_of(&self, name: NameId, number: usize) -> Vec<TokenIdx> {
        let uses = self.names.tokens_of(name).iter();
        uses.filter_map(|&idx| single_argument(self.document, idx as TokenIdx, number)).collect()
    }
}

/// The argument `number`, from 0, of the template that is named at `name`, if it is one token.
fn single_argument(document: &Document, name: TokenIdx, number: usize) -> Option<TokenIdx> {
    let is_end = |&idx: &TokenIdx| matches!(document.token_text(idx), ">" | ";" | "{" | "(");
    if !document.is(name + 1, b'<') {
        return None;
    }
    let close = (name + 1..document.tokens().len()).find(is_end).filter(|&close| document.is(close, b'>'))?;
    let argument = split_arguments(document, name + 2..close).into_iter().nth(number)?;
    (argument.len() == 1).then_some(argument.start)
}
