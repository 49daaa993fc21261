//! `__launch_bounds__` as written: its arguments, and what it is attached to.

use std::ops::Range;

use super::constants::Constants;
use super::functions::function_name;
use crate::source::TextRange;
use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind, has_bare_comma, split_arguments};

/// What CUDA and HIP call the attribute.
pub const LAUNCH_BOUNDS: &str = "__launch_bounds__";

/// A `__launch_bounds__` of CUDA's or HIP's.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// The token of the name.
    pub name: TokenIdx,
    /// Its arguments, if all of them can be seen.
    pub arguments: Option<Vec<Range<TokenIdx>>>,
    /// From the name to the closing parenthesis.
    pub range: TextRange,
    /// What it is attached to.
    pub owner: Owner,
}

/// What an attribute is attached to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A kernel; its name.
    Kernel(TokenIdx),
    /// A function or lambda that is none.
    Function,
    /// The tokens do not tell, as in the body of a macro.
    Unknown,
}

impl Bounds {
    /// The one whose name is the token `name`.
    pub fn at(document: &Document, name: TokenIdx) -> Bounds {
        let open = name + 1;
        let close = document.partner(open).filter(|_| document.is(open, b'('));
        let parts = close.map(|close| split_arguments(document, open + 1..close));
        let range = document.range_of(name..close.map_or(open, |close| close + 1));
        let arguments = parts.filter(|parts| are_visible(document, parts));
        Bounds { name, arguments, range, owner: owner(document, name) }
    }

    /// The threads of the largest block, if the number is known.
    pub fn threads(&self, constants: &Constants, document: &Document) -> Option<i64> {
        let first = self.arguments.as_ref().and_then(|arguments| arguments.first())?;
        constants.value(document, first.clone())
    }
}

/// Whether each argument stands for one, and no directive stands among them.
fn are_visible(document: &Document, parts: &[Range<TokenIdx>]) -> bool {
    !parts.is_empty() && parts.iter().all(|part| !part.is_empty() && is_one_argument(document, part))
}

fn is_one_argument(document: &Document, tokens: &Range<TokenIdx>) -> bool {
    let hides = |idx: TokenIdx| matches!(document.token_text(idx), "__VA_ARGS__" | "__VA_OPT__" | "#");
    let is_pack = document.is(tokens.end - 1, b'.');
    // `#define BOUNDS 256, 2`
    let is_list = tokens.len() == 1 && {
        let mut macros = document.directives().iter().filter(|directive| directive.kind == DirectiveKind::Define);
        macros.any(|directive| {
            let name = directive.tokens.start + 2;
            document.name(name) == document.name(tokens.start)
                && !document.is(name + 1, b'(')
                && has_bare_comma(document, name + 1..directive.tokens.end)
        })
    };
    !tokens.clone().any(hides) && !is_pack && !is_list
}

/// What the attribute at `idx` is attached to.
fn owner(document: &Document, idx: TokenIdx) -> Owner {
    if document.directive_of(idx).is_some() {
        return Owner::Unknown;
    }
    let declaration = declaration_around(document, idx);
    let words: Vec<&str> = top_level(document, declaration.clone()).map(|idx| document.token_text(idx)).collect();
    if words.contains(&"__global__") {
        return function_name(document, declaration).map_or(Owner::Unknown, Owner::Kernel);
    }
    let is_function = words.iter().any(|word| matches!(*word, "__device__" | "__host__"));
    if is_function || is_in_lambda_head(document, idx) { Owner::Function } else { Owner::Unknown }
}

/// The declaration that the token at `idx` is a part of, up to its body or semicolon.
fn declaration_around(document: &Document, idx: TokenIdx) -> Range<TokenIdx> {
    let mut start = idx;
    while let Some(before) = document.before(start) {
        start = match document.token(before).map(|token| token.kind) {
            Some(TokenKind::Punct(b';' | b'{' | b'}' | b':' | b'(')) => break,
            Some(TokenKind::Punct(b')' | b']')) => document.partner(before).unwrap_or(before).min(before),
            _ => before,
        };
    }
    let ends = |idx: &TokenIdx| document.is(*idx, b';') || document.is(*idx, b'{') || document.is(*idx, b'}');
    let count = document.tokens().len();
    let end = top_level(document, start..count).find(ends).unwrap_or(count);
    start..end
}

/// The tokens outside of parentheses, brackets and directives; the opening ones are among them.
fn top_level(document: &Document, tokens: Range<TokenIdx>) -> impl Iterator<Item = TokenIdx> {
    let mut at = tokens.start;
    std::iter::from_fn(move || {
        while let Some(directive) = document.directive_of(at) {
            at = directive.tokens.end;
        }
        let idx = at;
        let closes = document.is(idx, b'(') || document.is(idx, b'[');
        at = document.partner(idx).filter(|&close| closes && close > idx).map_or(idx, |close| close) + 1;
        tokens.contains(&idx).then_some(idx)
    })
}

/// `[=] __device__ ATTRIBUTE () { … }`, `[=](int i) ATTRIBUTE { … }`
fn is_in_lambda_head(document: &Document, idx: TokenIdx) -> bool {
    let mut at = idx;
    while let Some(before) = document.before(at) {
        at = match document.token(before).map(|token| token.kind) {
            Some(TokenKind::Ident) => before,
            Some(TokenKind::Punct(b')')) => match document.partner(before) {
                Some(open) if open < before => open,
                _ => return false,
            },
            Some(TokenKind::Punct(b']')) => return !closes_attribute(document, before),
            _ => return false,
        };
    }
    false
}

/// `[[nodiscard]]`
fn closes_attribute(document: &Document, close: TokenIdx) -> bool {
    document.is(close.saturating_sub(1), b']')
}
