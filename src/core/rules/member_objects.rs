//! Whose members are meant: the classes of objects, as far as the text of the file tells.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::rules::context::Context;
use crate::syntax::{Directive, Document, MacroDefinition, TokenIdx, TokenKind, is_keyword, less_of, words_in};

/// Tokens of the type in front of a name, and of what `auto` gets.
const FAR: usize = 16;

/// Templates whose objects hold objects of the class that they are given, or point to one.
const HOLDING: &[&str] =
    &["array", "deque", "list", "map", "optional", "shared_ptr", "span", "unique_ptr", "unordered_map", "vector"];

/// The names of the class whose member a token declares, and of the variables and types that stand behind its brace; none of a token
/// outside of classes.
pub(super) fn class_names<'d>(cx: &Context<'d>, member: TokenIdx) -> Vec<&'d str> {
    let document = cx.document;
    let blocks = cx.facts.blocks(document);
    let Some(open) = blocks.around(member).filter(|_| blocks.is_in_class(member)) else { return Vec::new() };
    let is_name = |idx: &TokenIdx| document.kind(*idx) == Some(TokenKind::Ident);
    let is_class = |idx: &TokenIdx| matches!(document.token_text(*idx), "struct" | "class" | "union");
    let keyword = (open.saturating_sub(FAR)..open).rev().find(is_class);
    let front = keyword.map(|keyword| keyword + 1).filter(is_name);
    let close = document.partner(open).unwrap_or(open);
    let behind = (close + 1..close + FAR).take_while(|&idx| !document.is(idx, b';') && !document.is(idx, b'('));
    front.into_iter().chain(behind.filter(is_name)).map(|idx| document.token_text(idx)).collect()
}

/// The objects of some classes, by their names in each function.
pub(super) struct Objects<'c, 'd> {
    cx: &'c Context<'d>,
    classes: Vec<&'d str>,
    known: FxHashMap<(&'d str, TokenIdx), bool>,
}

impl<'c, 'd> Objects<'c, 'd> {
    pub(super) fn new(cx: &'c Context<'d>, classes: Vec<&'d str>) -> Objects<'c, 'd> {
        Objects { cx, classes, known: FxHashMap::default() }
    }

    /// Whether the object that ends with the token `last` is surely one of the classes.
    pub(super) fn holds(&mut self, last: TokenIdx) -> bool {
        let Some(name) = named(self.cx.document, last) else { return false };
        // What a macro is given is not known.
        let macros = self.cx.document.directive_of(name);
        if macros.is_some_and(|directive| is_parameter(self.cx.document, directive, name)) {
            return false;
        }
        let function = self.cx.facts.functions.around(last);
        let body = function.map_or(0..0, |function| function.head.start..function.body.end);
        self.is_named(self.cx.document.token_text(name), body)
    }

    fn is_named(&mut self, name: &'d str, body: Range<TokenIdx>) -> bool {
        if name == "this" || self.classes.contains(&name) {
            return true;
        }
        if let Some(&known) = self.known.get(&(name, body.start)) {
            return known;
        }
        // What is declared by way of itself says nothing.
        self.known.insert((name, body.start), false);
        let document = self.cx.document;
        let within: Vec<TokenIdx> =
            words_in(document, name, body.clone()).filter(|&idx| declares(document, idx)).collect();
        let everywhere = 0..document.tokens().len();
        let declared = if within.is_empty() {
            words_in(document, name, everywhere).filter(|&idx| declares(document, idx)).collect()
        } else {
            within
        };
        let is_object = !declared.is_empty() && declared.into_iter().all(|idx| self.is_declared(idx, &body));
        self.known.insert((name, body.start), is_object);
        is_object
    }

    /// Whether the declaration of the name at `idx` says one of the classes, itself or by what `auto` gets.
    fn is_declared(&mut self, idx: TokenIdx, body: &Range<TokenIdx>) -> bool {
        let document = self.cx.document;
        let kind = kind_before(document, idx);
        let words = |mut tokens: Range<TokenIdx>, word: &str| tokens.any(|at| document.token_text(at) == word);
        if self.classes.iter().any(|class| words(kind.clone(), class)) {
            // An object of a class that is made of one may be anything.
            let mut templates = kind.filter(|&at| document.is(at + 1, b'<')).map(|at| document.token_text(at));
            return templates.all(|template| HOLDING.contains(&template));
        }
        let gets = document.is(idx + 1, b'=') || document.is(idx + 1, b':');
        if !gets || !words(kind, "auto") {
            return false;
        }
        let last = end_of_value(document, idx + 2).and_then(|end| named(document, end - 1));
        last.is_some_and(|last| self.is_named(document.token_text(last), body.clone()))
    }
}

/// Whether a name is a parameter of the macro that a directive defines.
fn is_parameter(document: &Document, directive: &Directive, name: TokenIdx) -> bool {
    let mut parameters = MacroDefinition::of(document, directive).map(|define| define.parameters).unwrap_or_default();
    parameters.any(|parameter| document.token_text(parameter) == document.token_text(name))
}

/// The end of the value that starts at `start`, if it is short.
fn end_of_value(document: &Document, start: TokenIdx) -> Option<TokenIdx> {
    let mut at = start;
    for _ in 0..FAR {
        if matches!(document.token_text(at), ";" | ")" | "") {
            return Some(at);
        }
        at = document.after_brackets(at);
    }
    None
}

/// The name that an object ends with: `a` of `a`, `b.a`, `a[i]`, `a(1)` and `(*a)`.
fn named(document: &Document, last: TokenIdx) -> Option<TokenIdx> {
    let mut at = last;
    loop {
        match document.kind(at)? {
            TokenKind::Ident => return Some(at),
            TokenKind::Punct(b']') => at = document.partner(at)?.checked_sub(1)?,
            TokenKind::Punct(b')') => {
                let before = document.partner(at)?.checked_sub(1)?;
                if document.is(before, b'>') {
                    let less = less_of(document, before)?;
                    let function = less.checked_sub(1)?;
                    // A cast says what it gives, any other function has a name.
                    let mut names = (less..before).rev().filter(|&at| document.kind(at) == Some(TokenKind::Ident));
                    let is_cast = document.token_text(function).ends_with("_cast");
                    return if is_cast { names.next() } else { Some(function) };
                }
                let is_called =
                    document.kind(before) == Some(TokenKind::Ident) && !is_keyword(document.token_text(before));
                at = if is_called { before } else { at - 1 };
            }
            _ => return None,
        }
    }
}

/// Whether a name stands behind a type, at the start of a statement or parameter.
fn declares(document: &Document, idx: TokenIdx) -> bool {
    // `struct { … } name;`
    if idx.checked_sub(1).is_some_and(|before| document.is(before, b'}')) && document.is(idx + 1, b';') {
        return true;
    }
    let kind = kind_before(document, idx);
    let text = |idx: TokenIdx| document.token_text(idx);
    let is_type =
        |at: TokenIdx| document.kind(at) == Some(TokenKind::Ident) && (!is_keyword(text(at)) || text(at) == "auto");
    let starts =
        kind.start.checked_sub(1).is_none_or(|before| matches!(text(before), ";" | "{" | "}" | "(" | "," | ":" | ")"));
    let is_behind = match kind.clone().last().map(text) {
        Some("::" | "<") | None => false,
        Some(">") => less_of(document, idx - 1).is_some(),
        Some(_) => true,
    };
    // `(count * object.member)` is a product.
    let is_used = matches!(document.kind(idx + 1), Some(TokenKind::Arrow | TokenKind::Punct(b'.')));
    starts && is_behind && !is_used && kind.clone().any(is_type)
}

/// The tokens that may be the type in front of a name.
fn kind_before(document: &Document, idx: TokenIdx) -> Range<TokenIdx> {
    let belongs = |at: &TokenIdx| {
        let text = document.token_text(*at);
        matches!(document.kind(*at), Some(TokenKind::Ident | TokenKind::PathSep))
            && !matches!(text, "return" | "else" | "case" | "goto" | "new" | "delete" | "throw")
            || matches!(text, "*" | "&" | "<" | ">")
    };
    let start = (idx.saturating_sub(FAR)..idx).rev().take_while(belongs).last().unwrap_or(idx);
    start..idx
}
