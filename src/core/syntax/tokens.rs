//! The tokens of a text, in four bytes each.

use super::token::{Token, TokenIdx, TokenKind};

/// So many tokens count their place from the first of them.
const BLOCK: usize = 64;

/// Tokens in the order of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tokens {
    short: Vec<Short>,
    /// Where each block starts.
    blocks: Vec<u32>,
    /// Tokens that are too long, or too far from where their block starts, with their index.
    long: Vec<(u32, Token)>,
}

/// A token, by its distance from the start of its block and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Short {
    distance: u16,
    len: u8,
    tag: Tag,
}

/// What a token is, or that it is one of the long ones. Only ASCII is punctuation, so that other bytes are free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tag(u8);

const LONG: Tag = Tag(0xff);

/// The kinds that are no punctuation, by their tags from the first free byte on.
const KINDS: [TokenKind; 9] = [
    TokenKind::Ident,
    TokenKind::Number,
    TokenKind::Str,
    TokenKind::RawStr,
    TokenKind::Char,
    TokenKind::HeaderName,
    TokenKind::Hash,
    TokenKind::PathSep,
    TokenKind::Arrow,
];

const FIRST_KIND: u8 = 0x80;

impl Tag {
    fn of(kind: TokenKind) -> Option<Tag> {
        let number = match kind {
            TokenKind::Punct(byte) => return byte.is_ascii().then_some(Tag(byte)),
            TokenKind::Ident => 0,
            TokenKind::Number => 1,
            TokenKind::Str => 2,
            TokenKind::RawStr => 3,
            TokenKind::Char => 4,
            TokenKind::HeaderName => 5,
            TokenKind::Hash => 6,
            TokenKind::PathSep => 7,
            TokenKind::Arrow => 8,
        };
        Some(Tag(FIRST_KIND + number))
    }

    fn kind(self) -> TokenKind {
        match self.0.checked_sub(FIRST_KIND) {
            Some(number) => KINDS.get(usize::from(number)).copied().unwrap_or(TokenKind::Ident),
            None => TokenKind::Punct(self.0),
        }
    }
}

impl Tokens {
    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.short.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.short.is_empty()
    }

    /// The token at `idx`.
    #[inline]
    pub fn get(&self, idx: TokenIdx) -> Option<Token> {
        let short = *self.short.get(idx)?;
        if short.tag == LONG {
            return self.long(idx);
        }
        let start = self.blocks.get(idx / BLOCK)? + u32::from(short.distance);
        Some(Token { start, end: start + u32::from(short.len), kind: short.tag.kind() })
    }

    /// Where the token at `idx` starts and ends.
    #[inline]
    pub(super) fn bounds(&self, idx: TokenIdx) -> Option<(u32, u32)> {
        let short = *self.short.get(idx)?;
        if short.tag == LONG {
            return self.long(idx).map(|token| (token.start, token.end));
        }
        let start = self.blocks.get(idx / BLOCK)? + u32::from(short.distance);
        Some((start, start + u32::from(short.len)))
    }

    /// What the token at `idx` is.
    #[inline]
    pub fn kind(&self, idx: TokenIdx) -> Option<TokenKind> {
        let tag = self.short.get(idx)?.tag;
        if tag == LONG { self.long(idx).map(|token| token.kind) } else { Some(tag.kind()) }
    }

    /// The last token.
    pub fn last(&self) -> Option<Token> {
        self.get(self.len().checked_sub(1)?)
    }

    /// All tokens.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Token> + ExactSizeIterator {
        (0..self.len()).map(|idx| self.get(idx).unwrap_or(Token { start: 0, end: 0, kind: TokenKind::Ident }))
    }

    /// What all tokens are.
    pub fn kinds(&self) -> impl Iterator<Item = TokenKind> {
        (0..self.len()).filter_map(|idx| self.kind(idx))
    }

    /// The tokens of some kinds, in the order of the text.
    pub fn of_kind(&self, is_wanted: impl Fn(TokenKind) -> bool) -> impl Iterator<Item = TokenIdx> {
        (0..self.len()).filter(move |&idx| self.kind(idx).is_some_and(&is_wanted))
    }

    /// How many tokens start before `offset`.
    pub fn count_before(&self, offset: u32) -> TokenIdx {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.get(middle).is_some_and(|token| token.start < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    pub(super) fn reserve(&mut self, count: usize) {
        self.short.reserve(count);
        self.blocks.reserve(count / BLOCK);
    }

    /// Adds a token behind all others.
    pub(super) fn push(&mut self, token: Token) {
        let idx = self.len();
        if idx.is_multiple_of(BLOCK) {
            self.blocks.push(token.start);
        }
        let block = self.blocks.last().copied().unwrap_or_default();
        let (distance, len) = (u16::try_from(token.start - block), u8::try_from(token.end - token.start));
        if let (Ok(distance), Ok(len), Some(tag)) = (distance, len, Tag::of(token.kind)) {
            self.short.push(Short { distance, len, tag });
        } else {
            self.short.push(Short { distance: 0, len: 0, tag: LONG });
            self.long.push((u32::try_from(idx).unwrap_or(u32::MAX), token));
        }
    }

    #[cold]
    fn long(&self, idx: TokenIdx) -> Option<Token> {
        let at = self.long.binary_search_by_key(&idx, |(idx, _)| *idx as TokenIdx).ok()?;
        self.long.get(at).map(|(_, token)| *token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back_however_long_and_far_apart() {
        let mut tokens = Tokens::default();
        let mut expected = Vec::new();
        let mut at = 0;
        let kinds = KINDS.into_iter().chain([TokenKind::Punct(b'+'), TokenKind::Punct(0x7f)]);
        let lens = [1, 254, 255, 256, 70_000];
        let gaps = [0, 1, 65_534, 65_535, 65_536, 200_000];
        for (number, kind) in kinds.cycle().take(1000).enumerate() {
            at += if number % 7 == 0 { gaps[number / 7 % gaps.len()] } else { 1 };
            let len = if number % 5 == 0 { lens[number / 5 % lens.len()] } else { 3 };
            expected.push(Token { start: at, end: at + len, kind });
            at += len;
        }
        for token in &expected {
            tokens.push(*token);
        }
        assert!(tokens.iter().eq(expected.iter().copied()));
        for (idx, token) in expected.iter().enumerate() {
            assert_eq!(tokens.get(idx), Some(*token));
            assert_eq!(tokens.kind(idx), Some(token.kind));
            assert_eq!(tokens.count_before(token.start), idx);
            assert_eq!(tokens.count_before(token.start + 1), idx + 1);
        }
        assert_eq!(tokens.get(expected.len()), None);
    }

    #[test]
    fn a_token_takes_four_bytes() {
        assert_eq!(size_of::<Short>(), 4);
    }
}
