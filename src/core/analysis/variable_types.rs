//! Of which type a variable of a function is, where its declaration says so.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::functions::Function;
use super::statements::{Declaration, Declarator, Statement, statements};
use crate::syntax::{Document, TokenIdx, TokenKind, split_arguments, words_in};

/// Words of a declaration that say nothing about the values of a variable.
const NO_TYPES: &[&str] = &[
    "const",
    "volatile",
    "static",
    "extern",
    "constexpr",
    "register",
    "struct",
    "__shared__",
    "__restrict__",
    "__device__",
];

/// The types of what the functions of a file declare, read once for each function.
#[derive(Debug)]
pub struct VariableTypes<'d> {
    document: &'d Document,
    /// By where the function starts: what each name is declared as.
    known: RefCell<FxHashMap<TokenIdx, Rc<ByName<'d>>>>,
    /// By where the function starts: which names are declared as values of a template's type.
    of_templates: RefCell<FxHashMap<(TokenIdx, &'d str), bool>>,
}

type ByName<'d> = FxHashMap<&'d str, Vec<Declared>>;

/// One declaration of a name.
#[derive(Debug)]
struct Declared {
    kind: Range<TokenIdx>,
    shape: Option<Shape>,
}

impl<'d> VariableTypes<'d> {
    /// Prepares to look at a file; nothing is read yet.
    pub fn of(document: &'d Document) -> VariableTypes<'d> {
        VariableTypes { document, known: RefCell::default(), of_templates: RefCell::default() }
    }

    /// The words of the type of the parameter or variable of `function` that the token `idx` names, without `const` and the
    /// like; of its elements, if a `[` follows. `None` if there is none, if several disagree, and for `auto`, pointers to
    /// pointers and arrays of arrays.
    pub fn of_variable(&self, function: &Function, idx: TokenIdx) -> Option<Vec<&'d str>> {
        let wanted = if self.document.is(idx + 1, b'[') { Shape::Elements } else { Shape::Value };
        self.declared_as(function, self.document.token_text(idx), wanted)
    }

    /// Whether `function` declares the name at `idx` as a value of a template's type, `pair<int> x`.
    pub fn is_of_template(&self, function: &Function, idx: TokenIdx) -> bool {
        let (document, name) = (self.document, self.document.token_text(idx));
        let declares = |at: TokenIdx| {
            let ends = [b',', b')', b';', b'=', b'{'].iter().any(|sign| document.is(at + 1, *sign));
            ends && at > function.head.start && ends_arguments(document, at - 1)
        };
        let look = || words_in(document, name, function.head.start..function.body.end).any(declares);
        *self.of_templates.borrow_mut().entry((function.head.start, name)).or_insert_with(look)
    }

    /// The words of the type of what `function` declares by a name: of the value, or of those that it points to.
    fn declared_as(&self, function: &Function, name: &str, wanted: Shape) -> Option<Vec<&'d str>> {
        let all = self.declarations(function);
        let words = |declared: &Declared| {
            let fits = declared.shape == Some(wanted);
            fits.then(|| words_of(self.document, declared.kind.clone())).flatten()
        };
        let mut types = all.get(name)?.iter().map(words);
        let first = types.next()??;
        types.all(|other| other.as_ref() == Some(&first)).then_some(first)
    }

    fn declarations(&self, function: &Function) -> Rc<ByName<'d>> {
        let mut known = self.known.borrow_mut();
        let read = || {
            let mut by_name = ByName::default();
            for found in declarations(self.document, function) {
                for declarator in &found.declarators {
                    let declared = Declared { kind: found.kind.clone(), shape: shape(self.document, declarator) };
                    by_name.entry(self.document.token_text(declarator.name)).or_default().push(declared);
                }
            }
            Rc::new(by_name)
        };
        Rc::clone(known.entry(function.head.start).or_insert_with(read))
    }

    /// The type of an argument, as far as a cast, braces behind a type, or a declaration in the function tells: `long long`, and with a
    /// star for a pointer. Words that say nothing about the values are left out.
    pub fn of_argument(&self, function: &Function, tokens: Range<TokenIdx>) -> Option<String> {
        let document = self.document;
        let spelt = |words: Vec<&str>, star: &str| Some(format!("{}{star}", words.join(" ")));
        let first = tokens.start;
        match document.token_text(first) {
            "(" => return type_in(document, first + 1..document.partner(first)?).filter(|_| tokens.len() > 3),
            "reinterpret_cast" | "static_cast" | "const_cast" if document.is(first + 1, b'<') => {
                let open = (first + 2..tokens.end).find(|&idx| document.is(idx, b'('))?;
                return type_in(document, first + 2..open.checked_sub(1)?);
            }
            _ => {}
        }
        let is_address = document.is(first, b'&');
        let name = first + usize::from(is_address);
        let text = document.token_text(name);
        let behind = name + 1;
        let is_element = document.is(behind, b'[') && document.partner(behind) == Some(tokens.end - 1);
        if document.kind(name) != Some(TokenKind::Ident) || !(is_element || behind == tokens.end) {
            let is_made = document.is(behind, b'{') && document.partner(behind) == Some(tokens.end - 1);
            return is_made.then(|| text.to_owned());
        }
        let declared = |shape| self.declared_as(function, text, shape);
        match (is_address, is_element) {
            (_, true) => spelt(declared(Shape::Elements)?, if is_address { "*" } else { "" }),
            (true, false) => spelt(declared(Shape::Value)?, "*"),
            (false, false) => match declared(Shape::Value) {
                Some(words) => spelt(words, ""),
                None => spelt(declared(Shape::Elements)?, "*"),
            },
        }
    }
}

/// Whether the words of a type, between blanks, name one of C++'s numbers, or one of `<cstdint>` and `<cstddef>`.
pub fn is_number_type(kind: &str) -> bool {
    let words = ["bool", "char", "double", "float", "int", "long", "short", "signed", "size_t", "unsigned"];
    kind.split(' ').all(|word| words.contains(&word) || word.ends_with("_t") && word.contains("int"))
}

/// The type that the tokens of a cast name, with at most one star.
fn type_in(document: &Document, tokens: Range<TokenIdx>) -> Option<String> {
    let star = tokens.clone().find(|&idx| document.is(idx, b'*'));
    let words = words_of(document, tokens.start..star.unwrap_or(tokens.end))?;
    let has_one =
        star.is_none_or(|star| (star + 1..tokens.end).all(|idx| document.kind(idx) == Some(TokenKind::Ident)));
    has_one.then(|| format!("{}{}", words.join(" "), if star.is_some() { "*" } else { "" }))
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

/// Whether a `>` closes arguments of a template, and compares nothing: what stands in front of it names types up to a `<`.
fn ends_arguments(document: &Document, sign: TokenIdx) -> bool {
    let names_types = |at: &TokenIdx| match document.kind(*at) {
        Some(TokenKind::Ident | TokenKind::Number | TokenKind::PathSep) => true,
        Some(TokenKind::Punct(sign)) => matches!(sign, b',' | b'>' | b'*' | b'&'),
        _ => false,
    };
    let opens = || (0..sign).rev().find(|at| !names_types(at)).is_some_and(|at| document.is(at, b'<'));
    document.is(sign, b'>') && opens()
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
        assert_eq!(VariableTypes::of(&document).of_variable(function, mark).as_deref(), expected, "{text}");
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

    #[track_caller]
    fn check_argument(text: &str, expected: Option<&str>) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let functions = Functions::of(&document);
        let call = (0..document.tokens().len()).find(|&idx| document.token_text(idx) == "call").unwrap();
        let close = document.partner(call + 1).unwrap();
        let found = VariableTypes::of(&document).of_argument(functions.around(call).unwrap(), call + 2..close);
        assert_eq!(found.as_deref(), expected, "{text}");
    }

    #[test]
    fn arguments_tell_types() {
        check_argument("void f(long long* x) { call(x); }", Some("long long*"));
        check_argument("void f(const long long x) { call(&x); }", Some("long long*"));
        check_argument("void f(long long* x) { call(&x[1]); }", Some("long long*"));
        check_argument("void f(long long* x) { call(x[1]); }", Some("long long"));
        check_argument("void f(cudaMemLocation x) { call(x); }", Some("cudaMemLocation"));
        check_argument("void f(void* x) { call((long long*)x); }", Some("long long*"));
        check_argument("void f(void* x) { call(reinterpret_cast<long long*>(x)); }", Some("long long*"));
        check_argument("void f() { call(cudaMemLocation{1, 0}); }", Some("cudaMemLocation"));
        check_argument("void f(long long* x) { call(x + 1); }", None);
        check_argument("void f(long long** x) { call(x); }", None);
        check_argument("void f(void* x) { call((long long**)x); }", None);
        check_argument("void f(long long x) { call((x)); }", None);
        check_argument("void f() { call(g(1)); }", None);
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
