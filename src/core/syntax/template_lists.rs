//! Where lists of template arguments end that are very long, or that a text without end only seems to open: found for all of a
//! file at once, from the last token to the first, as each may hold thousands of others.

use super::brackets::Brackets;
use super::token::{TokenIdx, TokenKind};
use super::tokens::Tokens;

/// What a token means for the list that it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It may open another list.
    Opens,
    /// It closes a list.
    Closes,
    /// There is no list around it.
    Ends,
    /// There is no list directly around it, but one may be around that which seems to be.
    EndsInner,
    /// Nothing; what is next is the token here.
    GoesOn(TokenIdx),
}

impl Step {
    /// That of the token at `at`.
    pub(super) fn of(tokens: &Tokens, brackets: &Brackets, at: TokenIdx) -> Step {
        match tokens.kind(at) {
            Some(TokenKind::Punct(b'<')) => Step::Opens,
            Some(TokenKind::Punct(b'>')) => Step::Closes,
            Some(TokenKind::Punct(b'(' | b'[' | b'{')) => match brackets.partner(at).filter(|&close| close > at) {
                Some(close) => Step::GoesOn(close + 1),
                None => Step::Ends,
            },
            Some(TokenKind::Punct(b';' | b')' | b']' | b'}' | b'?' | b'=' | b'|' | b'^') | TokenKind::Hash) | None => {
                Step::Ends
            }
            Some(TokenKind::Punct(b'&')) if tokens.kind(at + 1) == Some(TokenKind::Punct(b'&')) => Step::EndsInner,
            Some(_) => Step::GoesOn(at + 1),
        }
    }
}

/// The `>` that belongs to each `<` of a file, by their numbers.
#[derive(Debug)]
pub(super) struct TemplateLists {
    /// Sorted by the first.
    pairs: Vec<(TokenIdx, TokenIdx)>,
}

impl TemplateLists {
    /// Those of a file.
    pub(super) fn of(tokens: &Tokens, brackets: &Brackets) -> TemplateLists {
        // The first `>` from each token on that closes more than opens behind the token; without an `&&` before it, and with.
        let mut next: Vec<[Option<TokenIdx>; 2]> = vec![[None, None]; tokens.len() + 1];
        let mut pairs = Vec::new();
        for at in (0..tokens.len()).rev() {
            next[at] = match Step::of(tokens, brackets, at) {
                Step::Ends => [None, None],
                Step::Closes => [Some(at), Some(at)],
                Step::GoesOn(to) => next.get(to).copied().unwrap_or_default(),
                Step::EndsInner => [None, next[at + 1][1]],
                Step::Opens => {
                    pairs.extend(next[at + 1][0].map(|close| (at, close)));
                    next[at + 1][1].and_then(|close| next.get(close + 1)).copied().unwrap_or_default()
                }
            };
        }
        pairs.reverse();
        TemplateLists { pairs }
    }

    /// The partner of the `<` at `open`.
    pub(super) fn close_of(&self, open: TokenIdx) -> Option<TokenIdx> {
        let at = self.pairs.binary_search_by_key(&open, |&(open, _)| open).ok()?;
        self.pairs.get(at).map(|&(_, close)| close)
    }
}

#[cfg(test)]
mod tests {
    use crate::source::SourceFile;
    use crate::syntax::Document;

    /// The texts from each `<` that has a partner to this, in the order of the text.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let tokens = 0..document.tokens().len();
        let found = tokens.filter_map(|open| Some(open..document.template_lists().close_of(open)? + 1));
        let found: Vec<&str> = found.map(|tokens| document.slice(document.range_of(tokens))).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn all_lists_have_their_ends() {
        check("a<b<c>, d> e;", &["<b<c>, d>", "<c>"]);
        check("a<b<c; d>;", &[]);
        check("a<(b > c)> d; a<b ( c> );", &["<(b > c)>"]);
        check("a<b && c>;", &[]);
        check("a<b<c && d> >; a<b && c<d> >;", &["<b<c && d> >", "<d>"]);
    }

    #[test]
    fn ends_that_are_far_away_are_found() {
        let long = format!("f<{}int>(1, 2)", "int, ".repeat(100));
        for (text, count) in [(long.as_str(), 2), (&long.replace("int, int>", "int, a && b>"), 0)] {
            let document = Document::new(SourceFile::from_text("a.cu", text));
            let call = crate::syntax::Call::at(&document, 0);
            assert_eq!(call.map_or(0, |call| call.arguments.len()), count, "{text}");
        }
    }
}
