//! The shared memory of kernels.

use std::ops::Range;

use crate::analysis::{Constants, Function, size_of_type};
use crate::rules::context::Context;
use crate::syntax::{Document, TokenIdx, TokenKind, split_arguments, words_in};

/// What the kernels of one name declare in shared memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SharedMemory {
    /// Bytes of the arrays and variables whose size is known.
    pub(super) known: i64,
    /// Whether there is an array whose size the launch gives.
    pub(super) dynamic: bool,
}

/// What a function declares in shared memory, outside of `#if`.
pub(super) fn of_function(function: &Function, constants: &Constants, cx: &Context<'_>) -> SharedMemory {
    let document = cx.document;
    let mut memory = SharedMemory::default();
    for keyword in words_in(document, "__shared__", function.body.clone()) {
        let opener = cx.facts.conditions.opener_around(keyword);
        let is_conditional = opener.is_some_and(|opener| opener > function.body.start);
        if is_conditional || document.directive_of(keyword).is_some() {
            continue;
        }
        let Some(end) = (keyword..function.body.end).find(|&idx| document.is(idx, b';')) else { continue };
        let start = (function.body.start..keyword)
            .rev()
            .find(|&idx| !is_specifier(document, idx))
            .map_or(keyword, |idx| idx + 1);
        if (start..end).any(|idx| document.token_text(idx) == "extern") {
            memory.dynamic = true;
        } else {
            memory.known = memory.known.saturating_add(bytes_of(document, keyword + 1..end, constants));
        }
    }
    memory
}

fn is_specifier(document: &Document, idx: TokenIdx) -> bool {
    document.token(idx).is_some_and(|token| matches!(token.kind, TokenKind::Ident | TokenKind::Str))
}

/// The bytes of the declaration `float a[16], b[4]`; what is not known counts as none.
fn bytes_of(document: &Document, declaration: Range<TokenIdx>, constants: &Constants) -> i64 {
    let mut declarators = split_arguments(document, declaration).into_iter();
    let Some(first) = declarators.next() else { return 0 };
    let Some(name) = declarator_name(document, &first) else { return 0 };
    let Some(size) = size_of_type(document, first.start..name) else { return 0 };
    let rest = declarators.filter_map(|tokens| elements(document, tokens, constants));
    let total: i64 = elements(document, name..first.end, constants).into_iter().chain(rest).sum();
    total.saturating_mul(size)
}

fn declarator_name(document: &Document, tokens: &Range<TokenIdx>) -> Option<TokenIdx> {
    let end = tokens.clone().find(|&idx| document.is(idx, b'[')).unwrap_or(tokens.end);
    let name = end.checked_sub(1).filter(|name| *name > tokens.start)?;
    (document.token(name)?.kind == TokenKind::Ident).then_some(name)
}

/// The product of the bounds behind the name that `tokens` start with.
fn elements(document: &Document, tokens: Range<TokenIdx>, constants: &Constants) -> Option<i64> {
    let mut product = 1_i64;
    let mut idx = tokens.start + 1;
    while idx < tokens.end {
        let close = document.partner(idx).filter(|_| document.is(idx, b'['))?;
        product = product.checked_mul(constants.value(document, idx + 1..close)?)?;
        idx = close + 1;
    }
    Some(product)
}
