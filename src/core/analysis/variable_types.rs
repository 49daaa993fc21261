//! Of which type a variable of a function is, where its declaration says so.

use std::ops::Range;

use super::functions::Function;
use super::statements::{Declaration, Statement, declaration, statements};
use crate::syntax::{Document, TokenIdx, TokenKind, split_arguments};

/// Words of a declaration that say nothing about the values of a variable.
const NO_TYPES: &[&str] =
    &["const", "volatile", "static", "constexpr", "register", "struct", "__shared__", "__restrict__", "__device__"];

/// The words of the type of the parameter or variable of `function` that the token `idx` names, without `const` and the
/// like. `None` if there is none, if several disagree, and for pointers, arrays and `auto`.
pub fn type_of_variable<'d>(document: &'d Document, function: &Function, idx: TokenIdx) -> Option<Vec<&'d str>> {
    let name = document.token_text(idx);
    let mut types = declarations(document, function).into_iter().flat_map(|found| {
        let named = found.declarators.iter().filter(|declarator| document.token_text(declarator.name) == name);
        let of = |is_compound: bool| (!is_compound).then(|| words_of(document, found.kind.clone())).flatten();
        named.map(|declarator| of(declarator.is_compound)).collect::<Vec<_>>()
    });
    let first = types.next()??;
    types.all(|other| other.as_ref() == Some(&first)).then_some(first)
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
    parameters.into_iter().filter_map(|tokens| declaration(document, tokens)).chain(body).collect()
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
    }

    #[test]
    fn what_is_not_spelt_out_is_left_open() {
        check("void f() { auto x = 1; g(x); }", None);
        check("void f(float* x) { g(x); }", None);
        check("void f() { float x[4]; g(x); }", None);
        check("void f(int x) { { float x = 1; g(x); } g(x); }", None);
        check("void f(std::vector<int> x) { g(x); }", None);
        check("void f() { g(x); }", None);
    }
}
