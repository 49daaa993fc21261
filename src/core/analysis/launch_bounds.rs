//! `__launch_bounds__` as written: its arguments, and what it is attached to.

use std::ops::Range;

use super::constants::Constants;
use super::function_name::function_name;
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
        Bounds::behind(document, name, &mut None)
    }

    /// Those of some names, in the order of the text. A declaration may have thousands, and is read once.
    pub fn all(document: &Document, names: impl Iterator<Item = TokenIdx>) -> Vec<Bounds> {
        let mut last = None;
        names.map(|name| Bounds::behind(document, name, &mut last)).collect()
    }

    fn behind(document: &Document, name: TokenIdx, last: &mut Option<Attached>) -> Bounds {
        let open = name + 1;
        let close = document.partner(open).filter(|_| document.is(open, b'('));
        let parts = close.map(|close| split_arguments(document, open + 1..close));
        let range = document.range_of(name..close.map_or(open, |close| close + 1));
        let arguments = parts.filter(|parts| are_visible(document, parts));
        Bounds { name, arguments, range, owner: owner(document, name, last) }
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

/// What was found of an attribute, which counts for those behind it in the same declaration.
#[derive(Debug, Clone, Copy)]
struct Attached {
    name: TokenIdx,
    /// What the declaration tells, if it does.
    of_declaration: Option<Owner>,
    /// Whether it stands in the head of a lambda, if that was asked.
    in_lambda: Option<bool>,
}

/// What the attribute at `idx` is attached to; `last` is the one before it, and becomes this.
fn owner(document: &Document, idx: TokenIdx, last: &mut Option<Attached>) -> Owner {
    if document.directive_of(idx).is_some() {
        return Owner::Unknown;
    }
    let of_declaration = match declaration_start(document, idx, *last) {
        Ok(start) => owner_by_words(document, start),
        Err(known) => known.of_declaration,
    };
    let in_lambda = of_declaration.is_none().then(|| is_in_lambda_head(document, idx, *last));
    *last = Some(Attached { name: idx, of_declaration, in_lambda });
    let of_lambda = if in_lambda == Some(true) { Owner::Function } else { Owner::Unknown };
    of_declaration.unwrap_or(of_lambda)
}

/// What the words of the declaration tell that starts at `start`.
fn owner_by_words(document: &Document, start: TokenIdx) -> Option<Owner> {
    let ends = |idx: &TokenIdx| document.is(*idx, b';') || document.is(*idx, b'{') || document.is(*idx, b'}');
    let count = document.tokens().len();
    let end = top_level(document, start..count).find(ends).unwrap_or(count);
    let words: Vec<&str> = top_level(document, start..end).map(|idx| document.token_text(idx)).collect();
    if words.contains(&"__global__") {
        return Some(function_name(document, start..end).map_or(Owner::Unknown, Owner::Kernel));
    }
    let is_function = words.iter().any(|word| matches!(*word, "__device__" | "__host__"));
    is_function.then_some(Owner::Function)
}

/// Where the declaration starts that the token at `idx` is a part of, or the attribute before it in the same one.
fn declaration_start(document: &Document, idx: TokenIdx, last: Option<Attached>) -> Result<TokenIdx, Attached> {
    let mut start = idx;
    while let Some(before) = document.before(start) {
        if let Some(last) = last.filter(|last| last.name == before) {
            return Err(last);
        }
        start = match document.token(before).map(|token| token.kind) {
            Some(TokenKind::Punct(b';' | b'{' | b'}' | b':' | b'(')) => break,
            Some(TokenKind::Punct(b')' | b']')) => document.partner(before).unwrap_or(before).min(before),
            _ => before,
        };
    }
    Ok(start)
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
fn is_in_lambda_head(document: &Document, idx: TokenIdx, last: Option<Attached>) -> bool {
    let mut at = idx;
    while let Some(before) = document.before(at) {
        if let Some(known) = last.filter(|last| last.name == before).and_then(|last| last.in_lambda) {
            return known;
        }
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
