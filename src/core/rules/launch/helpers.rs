//! What the rules about launches share.

use std::ops::Range;

use crate::analysis::Function;
use crate::rules::context::Context;
use crate::syntax::{DirectiveKind, Document, Launch, TokenIdx, TokenKind};

/// Why a launch keeps its chevrons, which HIP compilers accept as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// Its value or its place in an expression is used; the macro is a statement.
    InExpression,
    /// A directive inside would end up in a macro argument, which C++ leaves undefined.
    HoldsDirective,
    /// It starts within device code.
    OnDevice,
    /// Its configuration has an unusual number of arguments.
    OddConfiguration,
}

/// Whether a launch keeps its chevrons, and why.
pub(super) fn keeps_chevrons(launch: &Launch, cx: &Context<'_>) -> Option<Keep> {
    let document = cx.document;
    if cx.facts.functions.around(launch.callee.start).is_some_and(Function::is_device_only) {
        return Some(Keep::OnDevice);
    }
    if !(2..=4).contains(&launch.config.len()) || launch.config.iter().any(Range::is_empty) {
        return Some(Keep::OddConfiguration);
    }
    if !document.directives_in(launch.tokens()).is_empty() {
        return Some(Keep::HoldsDirective);
    }
    (!is_statement(document, launch)).then_some(Keep::InExpression)
}

/// Whether a launch stands alone as a statement, as far as the tokens around it tell.
fn is_statement(document: &Document, launch: &Launch) -> bool {
    let tokens = launch.tokens();
    ends_statement(document, tokens.end) && starts_statement(document, tokens.start)
}

fn ends_statement(document: &Document, idx: TokenIdx) -> bool {
    let macro_end = document.directive_of(idx - 1).is_some_and(|directive| directive.tokens.end == idx);
    macro_end || document.is(idx, b';')
}

fn starts_statement(document: &Document, start: TokenIdx) -> bool {
    let Some(before) = start.checked_sub(1) else { return true };
    if let Some(directive) = document.directive_of(start).filter(|d| d.kind == DirectiveKind::Define) {
        if starts_macro_body(document, directive.tokens.start, before) {
            return true;
        }
    } else if document.directive_of(before).is_some() {
        return true;
    }
    match document.token(before).map(|token| token.kind) {
        Some(TokenKind::Punct(b';' | b'{' | b'}')) => true,
        Some(TokenKind::Punct(b':')) => ends_label(document, before),
        Some(TokenKind::Punct(b')')) => closes_condition(document, before),
        Some(TokenKind::Ident) => matches!(document.token_text(before), "else" | "do"),
        _ => false,
    }
}

/// `#define NAME` or `#define NAME(parameters)` ends at `before`.
fn starts_macro_body(document: &Document, hash: TokenIdx, before: TokenIdx) -> bool {
    let name = hash + 2;
    let parameters_end =
        document.partner(name + 1).filter(|_| document.touches_next(name) && document.is(name + 1, b'('));
    before == parameters_end.unwrap_or(name)
}

/// `label:`, `case x:` and `default:`, but not `a ? b : k<<<…>>>()`.
fn ends_label(document: &Document, colon: TokenIdx) -> bool {
    for idx in (0..colon).rev() {
        match document.token_text(idx) {
            "case" | "default" => return true,
            "?" => return false,
            ";" | "{" | "}" => return colon - idx == 2,
            _ => {}
        }
    }
    false
}

/// The parenthesis of `if (…)`, `for (…)`, `while (…)` or `switch (…)`.
fn closes_condition(document: &Document, close: TokenIdx) -> bool {
    let Some(keyword) = document.partner(close).and_then(|open| open.checked_sub(1)) else { return false };
    let is_if_constexpr = document.token_text(keyword) == "constexpr";
    matches!(document.token_text(keyword), "if" | "for" | "while" | "switch") || is_if_constexpr
}
