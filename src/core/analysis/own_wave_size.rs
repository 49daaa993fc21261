//! Where a file calls something of its own by CUDA's name for the size of a warp.

use std::cell::LazyCell;
use std::ops::Range;

use super::blocks::Blocks;
use super::functions::Functions;
use crate::source::Spans;
use crate::syntax::{Document, TokenIdx, TokenKind};

/// CUDA's name for the size of a warp in device code.
pub(super) const WAVE_SIZE: &str = "warpSize";

/// Where a declaration of `warpSize` by the file itself holds: `int warpSize = 16;`,
/// `#define warpSize 32`, and in one function as its parameter or variable. A member of a class
/// is used behind a `.`, so only the declaration itself matters.
pub(super) fn scopes_of_own_wave_size(document: &Document, functions: &Functions) -> Spans<TokenIdx> {
    let all = 0..document.tokens().len();
    // The name of a macro is no type of what the macro stands for.
    let is_macro =
        |idx: TokenIdx| document.directive_of(idx).is_some_and(|directive| idx == directive.tokens.start + 2);
    let is_type = |idx: TokenIdx| {
        document.token(idx).is_some_and(|token| token.kind == TokenKind::Ident)
            && !matches!(document.token_text(idx), "return" | "else" | "case")
            && !is_macro(idx)
    };
    let blocks = LazyCell::new(|| Blocks::of(document));
    let enumerators = |idx: TokenIdx| enumerators(document, &blocks, idx).filter(|_| document.is(idx + 1, b'='));
    let is_enumerator = |idx: TokenIdx| enumerators(idx).is_some();
    let is_declared = |idx: TokenIdx| is_type(idx - 1) || is_enumerator(idx);
    let declared = (1..all.end).filter(|&idx| document.token_text(idx) == WAVE_SIZE && is_declared(idx));
    let scope = |idx: TokenIdx| match functions.holding(idx) {
        _ if is_enumerator(idx) => enumerators(idx).unwrap_or(idx..idx + 1),
        Some(function) if function.body.contains(&idx) => idx..local_end(document, &blocks, idx).min(function.body.end),
        Some(function) => function.head.start..function.body.end,
        None if document.is(idx + 1, b'=') || document.directive_of(idx).is_some() => all.clone(),
        None => idx..idx + 1,
    };
    declared.map(scope).collect()
}

/// Where a local name goes out of scope: at the end of its block, or of what follows the parentheses that it is declared in.
fn local_end(document: &Document, blocks: &Blocks, idx: TokenIdx) -> TokenIdx {
    let all = document.tokens().len();
    let head = (0..idx).rev().find(|&at| matches!(document.token_text(at), "(" | ")" | ";" | "{" | "}"));
    let close = head.filter(|&open| document.is(open, b'(')).and_then(|open| document.partner(open));
    let Some(close) = close else {
        return blocks.around(idx).and_then(|open| document.partner(open)).unwrap_or(all);
    };
    let body = (close..all).find(|&at| document.is(at, b'{') || document.is(at, b';')).unwrap_or(all);
    document.partner(body).unwrap_or(body)
}

/// The tokens of the braces around the list of enumerators that a token stands in, or of the whole file around that.
fn enumerators(document: &Document, blocks: &Blocks, idx: TokenIdx) -> Option<Range<TokenIdx>> {
    let open = blocks.around(idx)?;
    let ends = |at: &TokenIdx| document.is(*at, b';') || document.is(*at, b'{') || document.is(*at, b'}');
    let is_enum = (0..open).rev().take_while(|at| !ends(at)).any(|at| document.token_text(at) == "enum");
    let outer = blocks.around(open).and_then(|outer| Some(outer..document.partner(outer)?));
    is_enum.then(|| outer.unwrap_or(0..document.tokens().len()))
}
