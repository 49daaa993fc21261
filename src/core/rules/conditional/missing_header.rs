//! Conditions that ask whether a header is there.

use crate::analysis::{Binary, Branch, Node};
use crate::mapping::Resolution;
use crate::rules::context::Context;
use crate::source::{TextRange, range};
use crate::syntax::{Document, TokenIdx, TokenKind};

/// The path in `__has_include(<path>)`, if the token is its keyword.
pub(super) fn tested_header(document: &Document, keyword: TokenIdx) -> Option<TextRange> {
    if !matches!(document.token_text(keyword), "__has_include" | "__has_include_next")
        || !document.is(keyword + 1, b'(')
    {
        return None;
    }
    let close = document.partner(keyword + 1).filter(|&close| close > keyword + 2)?;
    let (first, last) = (document.token(keyword + 2)?, document.token(close - 1)?);
    let is_quoted = first.kind == TokenKind::Str && keyword + 3 == close;
    let is_bracketed = document.is(keyword + 2, b'<') && document.is(close - 1, b'>');
    let path = range(first.start as usize + 1, last.end as usize - 1);
    (is_quoted || is_bracketed).then_some(path)
}

/// Whether a branch is compiled only where a header is that HIP has no counterpart of.
pub(super) fn needs_missing_header(branch: &Branch, cx: &Context<'_>) -> bool {
    let Some(condition) = &branch.condition else { return false };
    let mut conjuncts = vec![condition];
    let mut is_missing = false;
    while let Some(part) = conjuncts.pop() {
        if let Node::Binary(Binary::And, sides) = &part.node {
            conjuncts.extend(sides.iter());
        } else if part.node == Node::Other {
            let path = tested_header(cx.document, part.tokens.start);
            let resolution = path.and_then(|path| cx.resolve_header(cx.document.slice(path)));
            is_missing |= matches!(resolution, Some(Resolution::Missing(_)));
        }
    }
    is_missing
}
