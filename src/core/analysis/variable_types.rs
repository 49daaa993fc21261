//! Of which type a variable of a function is, where its declaration says so.

use std::ops::Range;

use super::functions::Function;
use super::statements::{Declaration, Declarator, Statement, statements};
use crate::syntax::{Document, TokenIdx, TokenKind, split_arguments};

/// Words of a declaration that say nothing about the values of a variable.
const NO_TYPES: &[&str] =
    &["const", "volatile", "static", "constexpr", "register", "struct", "__shared__", "__restrict__", "__device__"];

/// The words of the type of the parameter or variable of `function` that the token `idx` names, without `const` and the
/// like; of its elements, if a `[` follows. `None` if there is none, if several disagree, and for `auto`, pointers to
/// pointers and arrays of arrays.
pub fn type_of_variable<'d>(document: &'d Document, function: &Function, idx: TokenIdx) -> Option<Vec<&'d str>> {
    let name = document.token_text(idx);
    let wanted = if document.is(idx + 1, b'[') { Shape::Elements } else { Shape::Value };
    let mut types = declarations(document, function).into_iter().flat_map(|found| {
        let named = found.declarators.iter().filter(|declarator| document.token_text(declarator.name) == name);
        let words = |declarator: &Declarator| {
            let fits = shape(document, declarator) == Some(wanted);
            fits.then(|| words_of(document, found.kind.clone())).flatten()
        };
        named.map(words).collect::<Vec<_>>()
    });
    let first = types.next()??;
    types.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A value of its type, or a reference to one.
    Value,
    /// A pointer to values, or an array of them.
    Elements,
}

fn shape(document: &Document, declarator: &Declarator) -> Option<Shape> {
    let is_qualifier = |idx: &TokenIdx| matches!(document.token_text(*idx), "const" | "__restrict__" | "__restrict");
    let mut before = (0..declarator.name).rev().filter(|idx| !is_qualifier(idx)).map(|idx| document.token_text(idx));
    let (last, second) = (before.next().unwrap_or_default(), before.next().unwrap_or_default());
    let is_sign = |word: &str| matches!(word, "*" | "&");
    let open = declarator.name + 1;
    let is_array = document.is(open, b'[');
    let is_matrix = is_array && document.partner(open).is_some_and(|close| document.is(close + 1, b'['));
    match (last, is_array) {
        (_, _) if is_matrix || is_sign(last) && (is_array || is_sign(second)) => None,
        ("*", false) | (_, true) => Some(Shape::Elements),
        (_, false) => Some(Shape::Value),
    }
}

/// The declarations of parameters and variables of a function.
fn declarations(document: &Document, function: &Function) -> Vec<Declaration> {
    let open = function.name.map_or(function.head.end, |name| name + 1);
    let close = document.partner(open).filter(|&close| document.is(open, b'(') && close < function.body.start);
    let parameters = close.map_or_else(Vec::new, |close| split_arguments(document, open + 1..close));
    let body = statements(document, function.body.clone()).into_iter().filter_map(|statement| match statement {
        Statement::Declaration(found) => Some(found),
        _ => None,
    });
    parameters.into_iter().filter_map(|tokens| parameter(document, tokens)).chain(body).collect()
}

/// `const float* __restrict__ name = nullptr`
fn parameter(document: &Document, tokens: Range<TokenIdx>) -> Option<Declaration> {
    let end = tokens.clone().find(|&idx| document.is(idx, b'=') || document.is(idx, b'['));
    let name = end.unwrap_or(tokens.end).checked_sub(1).filter(|&name| name > tokens.start)?;
    let is_sign = |idx: &TokenIdx| document.is(*idx, b'*') || document.is(*idx, b'&');
    let kind = tokens.start..(tokens.start..name).find(is_sign).unwrap_or(name);
    let declarator = Declarator { name, is_compound: kind.end < name, value: None };
    (document.kind(name) == Some(TokenKind::Ident)).then(|| Declaration { kind, declarators: vec![declarator] })
}

fn words_of(document: &Document, kind: Range<TokenIdx>) -> Option<Vec<&str>> {
    let mut words = Vec::new();
    for idx in kind {
        let word = document.token_text(idx);
        match document.kind(idx)? {
            TokenKind::Ident if word == "auto" => return None,
            TokenKind::Ident if !NO_TYPES.contains(&word) => words.push(word),
            TokenKind::Ident | TokenKind::PathSep => {}
            _ => return None,
        }
    }
    (!words.is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Functions;
    use crate::source::SourceFile;

    #[track_caller]
    fn check(text: &str, expected: Option<&[&str]>) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let functions = Functions::of(&document);
        let mark = (0..document.tokens().len()).rev().find(|&idx| document.token_text(idx) == "x").unwrap();
        let function = functions.around(mark).unwrap();
        assert_eq!(type_of_variable(&document, function, mark).as_deref(), expected, "{text}");
    }

    #[test]
    fn declarations_tell_types() {
        check("void f(const float x) { g(x); }", Some(&["float"]));
        check("void f() { unsigned long long a = 1, x = 2; g(x); }", Some(&["unsigned", "long", "long"]));
        check("void f() { for (int x = 0; x < 3; ++x) g(x); }", Some(&["int"]));
        check("void f(int n) { static const double x(n); g(x); }", Some(&["double"]));
        check("void f(const float* __restrict__ x) { g(x[1]); }", Some(&["float"]));
        check("void f() { __shared__ long long x[4]; g(x[1]); }", Some(&["long", "long"]));
        check("void f(const half& x) { g(x); }", Some(&["half"]));
    }

    #[test]
    fn what_is_not_spelt_out_is_left_open() {
        check("void f() { auto x = 1; g(x); }", None);
        check("void f(float* x) { g(x); }", None);
        check("void f(float** x) { g(x[0]); }", None);
        check("void f() { float x[4][4]; g(x[0]); }", None);
        check("void f() { float x[4]; g(x); }", None);
        check("void f(int x) { { float x = 1; g(x); } g(x); }", None);
        check("void f(std::vector<int> x) { g(x); }", None);
        check("void f() { g(x); }", None);
    }
}
