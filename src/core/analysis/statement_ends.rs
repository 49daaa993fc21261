//! Where statements end. One may start thousands of others, none with braces, so that all are read once, from the last to the first.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::syntax::{Document, TokenIdx};

/// Where the statements among some tokens end.
#[derive(Debug)]
pub(super) struct StatementEnds<'d> {
    document: &'d Document,
    tokens: Range<TokenIdx>,
    /// For each of the tokens the place after the next `;` that no brackets hold which open behind it.
    simple: Vec<TokenIdx>,
    /// Where the statements end that hold others, by their keywords.
    compound: FxHashMap<TokenIdx, TokenIdx>,
}

impl<'d> StatementEnds<'d> {
    /// Reads those that start at any of the tokens.
    pub(super) fn of(document: &'d Document, tokens: Range<TokenIdx>) -> StatementEnds<'d> {
        let mut ends = StatementEnds {
            document,
            simple: vec![tokens.end; tokens.len()],
            tokens: tokens.clone(),
            compound: FxHashMap::default(),
        };
        for at in tokens.clone().rev() {
            let next = document.after_brackets(at);
            ends.simple[at - tokens.start] = if document.is(at, b';') { next } else { ends.simple_end(next) };
            if let Some(end) = ends.compound_end(at) {
                ends.compound.insert(at, end);
            }
        }
        ends
    }

    /// The token after the statement that starts at a token, or the end of all tokens.
    pub(super) fn of_statement(&self, start: TokenIdx) -> TokenIdx {
        if let Some(&end) = self.compound.get(&start) {
            return end;
        }
        let is_block = self.document.is(start, b'{');
        if is_block { self.document.after_brackets(start).min(self.tokens.end) } else { self.simple_end(start) }
    }

    fn simple_end(&self, start: TokenIdx) -> TokenIdx {
        let number = start.checked_sub(self.tokens.start);
        number.and_then(|number| self.simple.get(number)).copied().unwrap_or(self.tokens.end)
    }

    /// Where a statement ends that holds others, whose ends are known.
    fn compound_end(&self, keyword: TokenIdx) -> Option<TokenIdx> {
        let document = self.document;
        let end = match document.token_text(keyword) {
            word @ ("if" | "while" | "for" | "switch") => {
                let start = keyword + 1 + usize::from(document.token_text(keyword + 1) == "constexpr");
                let end = self.of_statement(document.after_brackets(start));
                let has_other = word == "if" && end < self.tokens.end && document.token_text(end) == "else";
                if has_other { self.of_statement(end + 1) } else { end }
            }
            "do" => {
                let end = self.of_statement(keyword + 1);
                head(document, end).map_or(end, |head| head.end + 2)
            }
            _ => return None,
        };
        Some(end.min(self.tokens.end))
    }
}

/// The tokens between the parentheses behind a word.
pub(super) fn head(document: &Document, keyword: TokenIdx) -> Option<Range<TokenIdx>> {
    let open = keyword + 1;
    document.partner(open).filter(|&close| document.is(open, b'(') && close > open).map(|close| open + 1..close)
}

/// The token after the statement that `tokens` start with, or their end. For one statement: what asks for many reads all of them.
pub(super) fn statement_end(document: &Document, tokens: Range<TokenIdx>) -> TokenIdx {
    StatementEnds::of(document, tokens.clone()).of_statement(tokens.start)
}
