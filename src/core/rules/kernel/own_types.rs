//! Types of the file that a kernel cannot take as a parameter.

use rustc_hash::FxHashMap;

use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind, words};

/// What is wrong with a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// It is another name of a reference.
    Reference,
    /// It is another name of `long double`, or a structure with one.
    LongDouble,
    /// A structure with members that exist in one pass of the compiler only.
    OfPass,
}

impl Layout {
    pub(super) fn message(self) -> &'static str {
        match self {
            Layout::Reference => "a kernel cannot take a reference, which this type is",
            Layout::LongDouble => "a kernel cannot take a `long double`, whose size differs between host and device",
            Layout::OfPass => "a kernel cannot take this: the pass of the compiler decides on its members",
        }
    }
}

/// The types of a file that kernels cannot take, with the tokens of their names.
pub(super) struct OwnTypes<'d> {
    types: FxHashMap<&'d str, Option<(Layout, TokenIdx)>>,
}

impl<'d> OwnTypes<'d> {
    pub(super) fn of(document: &'d Document) -> OwnTypes<'d> {
        let mut own = OwnTypes { types: FxHashMap::default() };
        for keyword in ["struct", "class", "union"] {
            for idx in words(document, keyword) {
                own.add_structure(document, idx);
            }
        }
        for idx in words(document, "typedef") {
            own.add_typedef(document, idx);
        }
        for idx in words(document, "using").filter(|&idx| document.is(idx + 2, b'=')) {
            let end = (idx + 3..document.tokens().len()).find(|&at| document.is(at, b';')).unwrap_or(idx + 3);
            own.add(document, idx + 1, alias(document, idx + 3, end));
        }
        own
    }

    /// What is wrong with a parameter of these tokens, and where its type is declared.
    pub(super) fn problem(&self, document: &Document, tokens: &[TokenIdx]) -> Option<(Layout, TokenIdx)> {
        let is_plain = |idx: &TokenIdx| matches!(document.kind(*idx), Some(TokenKind::Ident));
        // A pointer to it may be passed; a qualified name is another's.
        if !tokens.iter().all(is_plain) {
            return None;
        }
        let name_ends = if tokens.len() > 1 { tokens.len() - 1 } else { tokens.len() };
        tokens[..name_ends].iter().find_map(|&idx| *self.types.get(document.token_text(idx))?)
    }

    /// A name that is declared twice, as in two branches or scopes, tells nothing.
    fn add(&mut self, document: &'d Document, name: TokenIdx, layout: Option<Layout>) {
        let found = layout.map(|layout| (layout, name));
        self.types.entry(document.token_text(name)).and_modify(|known| *known = None).or_insert(found);
    }

    fn add_structure(&mut self, document: &'d Document, keyword: TokenIdx) {
        let name = keyword + 1;
        let is_template =
            keyword.checked_sub(1).is_some_and(|before| matches!(document.token_text(before), ">" | "<" | ","));
        if is_template || document.kind(name) != Some(TokenKind::Ident) || !document.is(name + 1, b'{') {
            return;
        }
        let Some(close) = document.partner(name + 1).filter(|&close| close > name) else { return };
        self.add(document, name, layout_of(document, name + 2, close));
    }

    fn add_typedef(&mut self, document: &'d Document, keyword: TokenIdx) {
        let ends = |idx: &TokenIdx| matches!(document.token_text(*idx), ";" | "(" | "{" | "[");
        let Some(end) = (keyword + 1..document.tokens().len()).find(ends) else { return };
        if document.is(end, b';') && document.kind(end - 1) == Some(TokenKind::Ident) {
            self.add(document, end - 1, alias(document, keyword + 1, end - 1));
        }
    }
}

/// What the type between two tokens is another name of.
fn alias(document: &Document, start: TokenIdx, end: TokenIdx) -> Option<Layout> {
    let last = end.checked_sub(1).filter(|&last| last >= start)?;
    let is_long_double = |idx: TokenIdx| document.token_text(idx) == "long" && document.token_text(idx + 1) == "double";
    if document.is(last, b'&') {
        return Some(Layout::Reference);
    }
    (last == start + 1 && is_long_double(start)).then_some(Layout::LongDouble)
}

/// What is wrong with a structure whose members stand between two tokens.
fn layout_of(document: &Document, start: TokenIdx, end: TokenIdx) -> Option<Layout> {
    let mut idx = start;
    while idx < end {
        if let Some(directive) = document.directive_of(idx) {
            if directive.kind.has_condition() && decides_by_pass(document, idx, end) {
                return Some(Layout::OfPass);
            }
            idx = directive.tokens.end;
            continue;
        }
        match document.token_text(idx) {
            "{" | "(" => idx = document.partner(idx).filter(|&close| close > idx).unwrap_or(idx),
            "long" if document.token_text(idx + 1) == "double" && declares_value(document, idx + 2) => {
                return Some(Layout::LongDouble);
            }
            _ => {}
        }
        idx += 1;
    }
    None
}

/// `long double x;` and not `long double* x;`, `static long double f();`
fn declares_value(document: &Document, name: TokenIdx) -> bool {
    document.kind(name) == Some(TokenKind::Ident) && matches!(document.token_text(name + 1), ";" | "," | "=" | "[")
}

/// Whether the condition at `start` tells the passes apart and a member, which no function is, stands in its branches.
fn decides_by_pass(document: &Document, start: TokenIdx, end: TokenIdx) -> bool {
    const PASSES: [&str; 2] = ["__CUDA_ARCH__", "__HIP_DEVICE_COMPILE__"];
    let Some(condition) = document.directive_of(start) else { return false };
    if !condition.tokens.clone().any(|idx| PASSES.contains(&document.token_text(idx))) {
        return false;
    }
    let mut idx = condition.tokens.end;
    let mut declares = false;
    while idx < end {
        if let Some(directive) = document.directive_of(idx) {
            if directive.kind == DirectiveKind::Endif {
                return declares;
            }
            idx = directive.tokens.end;
            continue;
        }
        match document.token_text(idx) {
            // A function, with or without a body, or what takes no place in an object.
            "{" | "(" | "static" | "using" | "typedef" | "friend" | "static_assert" => return false,
            ";" => declares = true,
            _ => {}
        }
        idx += 1;
    }
    false
}
