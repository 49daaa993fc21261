//! The names of a file as numbers, which are compared and copied at no cost.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use crate::syntax::{Document, TokenKind};

/// A name, as its number in [`Names`].
pub(super) type NameId = u32;

/// All names of a file, each with a number.
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: FxHashMap<String, NameId>,
    texts: Vec<String>,
    /// The name of each token that is one.
    pub(super) of_tokens: Vec<NameId>,
    /// The tokens of each name, once they were asked for.
    tokens: OnceCell<FxHashMap<NameId, Vec<u32>>>,
}

impl Names {
    pub(super) fn of(document: &Document) -> Names {
        let mut names = Names::default();
        let none = names.number("");
        for (idx, token) in document.tokens().iter().enumerate() {
            let number = if token.kind == TokenKind::Ident { names.number(&document.name(idx)) } else { none };
            names.of_tokens.push(number);
        }
        names
    }

    pub(super) fn number(&mut self, name: &str) -> NameId {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = NameId::try_from(self.texts.len()).unwrap_or(NameId::MAX);
        self.numbers.insert(name.to_owned(), number);
        self.texts.push(name.to_owned());
        number
    }

    /// The tokens that are a name.
    pub(super) fn tokens_of(&self, name: NameId) -> &[u32] {
        let tokens = self.tokens.get_or_init(|| {
            let mut tokens: FxHashMap<NameId, Vec<u32>> = FxHashMap::default();
            for (token, name) in (0..).zip(&self.of_tokens) {
                tokens.entry(*name).or_default().push(token);
            }
            tokens
        });
        tokens.get(&name).map_or(&[][..], Vec::as_slice)
    }

    pub(super) fn text(&self, number: NameId) -> String {
        self.texts.get(number as usize).cloned().unwrap_or_default()
    }
}
