//! How wide the type of a lane mask is.

use std::ops::Range;

use crate::syntax::{Document, TokenIdx, TokenKind};

/// How wide the type of a lane mask is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MaskWidth {
    /// 32 bits; the tokens that say so.
    Narrow(Range<TokenIdx>),
    /// 64 bits, or whatever its value has.
    Wide,
    /// A type that is declared elsewhere.
    Unknown,
}

/// How wide the type is that the tokens name.
pub(super) fn width_of(document: &Document, kind: Range<TokenIdx>) -> MaskWidth {
    let is_narrow = |idx: TokenIdx| {
        matches!(document.token_text(idx), "unsigned" | "int" | "uint" | "uint32_t" | "int32_t" | "signed")
    };
    let is_wide = |idx: TokenIdx| {
        let word = document.token_text(idx);
        matches!(word, "long" | "auto" | "uint64_t" | "int64_t" | "size_t") || word.ends_with("lane_mask_t")
    };
    let words = |idx: &TokenIdx| document.kind(*idx) == Some(TokenKind::Ident);
    if kind.clone().filter(words).any(is_wide) {
        return MaskWidth::Wide;
    }
    let Some(first) = kind.clone().find(|&idx| is_narrow(idx)) else { return MaskWidth::Unknown };
    let last = (first..kind.end).take_while(|&idx| is_narrow(idx)).last().unwrap_or(first);
    MaskWidth::Narrow(first..last + 1)
}
