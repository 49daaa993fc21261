//! CUDA text as C++ text of the same width, for the C++ grammar.
//!
//! `k<<<g, b>>>(x)` becomes `k(  g, b)  (x)`; execution and memory space specifiers become blanks.
//! Every byte keeps its place, and line ends stay, so ranges of the tree are ranges of the text.

use std::ops::Range;

use super::document::Document;
use super::token::TokenIdx;
use crate::source::TextRange;

/// Specifiers that the C++ grammar does not know, without arguments.
pub(super) const SPECIFIERS: &[&str] = &[
    "__global__",
    "__device__",
    "__host__",
    "__shared__",
    "__constant__",
    "__managed__",
    "__forceinline__",
    "__noinline__",
    "__restrict__",
    "__restrict",
    "__grid_constant__",
    "__inline__",
];

/// Specifiers with an argument list, which is blanked with them.
const SPECIFIERS_WITH_ARGUMENTS: &[&str] = &[
    "__launch_bounds__",
    "__cluster_dims__",
    "__block_size__",
    "__maxnreg__",
    "__align__",
    "__attribute__",
    "__declspec",
];

/// The text of `range` with everything masked that the C++ grammar does not know.
pub fn mask(document: &Document, range: TextRange) -> String {
    let mut bytes = document.slice(range).as_bytes().to_vec();
    let mut masker = Masker { document, base: usize::from(range.start()), bytes: &mut bytes };
    let tokens = document.tokens_in(range);
    let mut idx = tokens.start;
    while idx < tokens.end {
        idx = masker.token(idx, tokens.end);
    }
    let launches = document.launches();
    let first = launches.partition_point(|launch| launch.open.start < tokens.start);
    for launch in launches[first..].iter().take_while(|launch| launch.open.start < tokens.end) {
        if launch.has_chevrons() && launch.close.end <= tokens.end {
            masker.bracket(&launch.open, b'(');
            masker.bracket(&launch.close, b')');
        }
    }
    // Blanking replaces whole tokens by ASCII, so the bytes stay valid UTF-8.
    String::from_utf8(bytes).unwrap_or_default()
}

struct Masker<'d, 'b> {
    document: &'d Document,
    base: usize,
    bytes: &'b mut [u8],
}

impl Masker<'_, '_> {
    /// Masks what starts at `idx` and returns the token after it.
    fn token(&mut self, idx: TokenIdx, end: TokenIdx) -> TokenIdx {
        let text = self.document.token_text(idx);
        let may_be_specifier = text.starts_with("__") || is_all_caps(text);
        if !may_be_specifier {
            return idx + 1;
        }
        if SPECIFIERS.contains(&text) || self.is_decoration(idx, text) {
            self.blank(idx..idx + 1);
        } else if SPECIFIERS_WITH_ARGUMENTS.contains(&text) && self.document.is(idx + 1, b'(') {
            let close = self.document.partner(idx + 1).filter(|&close| close < end).unwrap_or(idx + 1);
            self.blank(idx..close + 1);
            return close + 1;
        }
        idx + 1
    }

    /// A macro such as `MYLIB_INLINE` in front of a declaration.
    fn is_decoration(&self, idx: TokenIdx, text: &str) -> bool {
        if !is_all_caps(text) || text.len() < 4 {
            return false;
        }
        let starts_declaration = match idx.checked_sub(1) {
            None => true,
            Some(before) => {
                let word = self.document.token_text(before);
                matches!(word, ";" | "}" | "{" | "static" | "inline" | "template" | ">") || SPECIFIERS.contains(&word)
            }
        };
        let next = self.document.token_text(idx + 1);
        let before_type = next.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        starts_declaration && before_type && self.document.directive_of(idx).is_none()
    }

    fn blank(&mut self, tokens: Range<TokenIdx>) {
        let range = self.document.range_of(tokens);
        for byte in &mut self.bytes[usize::from(range.start()) - self.base..usize::from(range.end()) - self.base] {
            if !matches!(*byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }

    fn bracket(&mut self, chevrons: &Range<TokenIdx>, bracket: u8) {
        self.blank(chevrons.clone());
        let start = usize::from(self.document.range_of(chevrons.clone()).start()) - self.base;
        self.bytes[start] = bracket;
    }
}

fn is_all_caps(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}
