//! What the lexer yields.

use std::ops::Range;

use crate::source::{TextRange, TextSize};

/// A token's place in [`super::Document::tokens`].
pub type TokenIdx = usize;

/// Of things in the order of the text, those whose place is among some tokens.
pub fn among<T>(ordered: &[T], tokens: Range<TokenIdx>, place: impl Fn(&T) -> TokenIdx) -> &[T] {
    let first = |idx: TokenIdx| ordered.partition_point(|one| place(one) < idx);
    ordered.get(first(tokens.start)..first(tokens.end)).unwrap_or_default()
}

/// What a token is. Operators are single characters, except the two that decide what a name
/// belongs to; so `<<<` and `>>>` need no guess here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or keyword.
    Ident,
    /// A preprocessing number.
    Number,
    /// An ordinary string literal with its prefix.
    Str,
    /// A raw string literal with its prefix.
    RawStr,
    /// A character literal.
    Char,
    /// `<name>` of an include.
    HeaderName,
    /// `#` that starts a directive.
    Hash,
    /// `::`
    PathSep,
    /// `->`
    Arrow,
    /// Any other single character.
    Punct(u8),
}

/// A token of the text. Comments and white space are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// First byte.
    pub start: u32,
    /// Byte after the last.
    pub end: u32,
    /// What it is.
    pub kind: TokenKind,
}

impl Token {
    /// The bytes of the token.
    pub fn range(self) -> TextRange {
        TextRange::new(TextSize::new(self.start), TextSize::new(self.end))
    }

    /// Whether it is the single character `punct`.
    pub fn is(self, punct: u8) -> bool {
        self.kind == TokenKind::Punct(punct)
    }
}
