//! The numbers that the names of one file stand for: macros, enumerators, constants, and variables
//! that keep what they start with. What may have another value somewhere has none here.

use std::cell::RefCell;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::conditions::regions;
use super::expression::Expression;
use super::truth::{Definition, Value, evaluate};
use super::unchanged::{is_written, may_change};
use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind, spellings, split_arguments, words};

/// Definitions that refer to each other more deeply than this are not followed.
const DEEPEST: usize = 8;

/// What a name starts with, and keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    /// The name where it is declared.
    pub name: TokenIdx,
    /// The last word of its type; none for macros and enumerators.
    pub type_word: Option<TokenIdx>,
    /// Its value, or the arguments of its constructor.
    pub initialiser: Range<TokenIdx>,
    /// Where the name is known.
    scope: Range<TokenIdx>,
    /// Whether the language forbids to change it.
    is_const: bool,
}

/// The constants of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Constants {
    known: FxHashMap<String, Constant>,
    /// Other names that the file gives several values, or changes.
    unclear: FxHashSet<String>,
    /// What headers that the file includes give names to.
    outer: FxHashMap<String, i64>,
    /// The values that were asked for, by the name and how many constants refer to it.
    values: RefCell<FxHashMap<(TokenIdx, usize), Option<i64>>>,
}

impl Constants {
    /// Reads the constants of a file.
    pub fn of(document: &Document) -> Constants {
        let mut found: FxHashMap<String, Option<Constant>> = FxHashMap::default();
        let declared = macros(document).chain(declarations(document)).chain(enumerators(document));
        for (name, constant) in declared {
            // Of two definitions, which one holds depends on the place or on the build.
            found.entry(name).and_modify(|known| *known = None).or_insert(constant);
        }
        let mut unclear = FxHashSet::default();
        let mut known: FxHashMap<String, Constant> = FxHashMap::default();
        for (name, constant) in found {
            match constant {
                Some(constant) => drop(known.insert(name, constant)),
                None => drop(unclear.insert(name)),
            }
        }
        known.retain(|name, constant| {
            let is_changed = |idx: TokenIdx| idx != constant.name && may_change(document, idx, constant.is_const);
            let is_macro = document.directive_of(constant.name).is_some();
            let stays = is_macro || !words(document, name).any(is_changed);
            if !stays {
                unclear.insert(name.clone());
            }
            stays
        });
        Constants { known, unclear, outer: FxHashMap::default(), values: RefCell::default() }
    }

    /// With what headers give names to: `value_of` a name that the file uses and never declares.
    #[must_use]
    pub fn with_outer(self, document: &Document, value_of: impl Fn(&str) -> Option<i64>) -> Constants {
        let is_own = |name: &str| self.known.contains_key(name) || self.unclear.contains(name);
        let keeps = |idx: TokenIdx| !may_change(document, idx, true) && !is_written(document, idx);
        let shared = |name: &str| {
            let value = value_of(name).filter(|_| !is_own(name) && words(document, name).all(keeps))?;
            Some((name.to_owned(), value))
        };
        let outer = spellings(document).filter_map(shared).collect();
        Constants { outer, ..self }
    }

    /// What a header gives names to for all who include it; nothing can be said of those without a number.
    pub(super) fn shared(&self, document: &Document) -> Vec<(String, Option<i64>)> {
        let all = document.tokens().len();
        let is_seen = |constant: &Constant| constant.scope.end == all && constant.is_const;
        let seen = self.known.iter().filter(|(_, constant)| is_seen(constant));
        let valued = seen.map(|(name, constant)| (name.clone(), self.value_of(document, constant, 1)));
        valued.chain(self.unclear.iter().map(|name| (name.clone(), None))).collect()
    }

    /// The constant that the name at `idx` means.
    pub fn get(&self, document: &Document, idx: TokenIdx) -> Option<&Constant> {
        let is_name = document.token(idx)?.kind == TokenKind::Ident;
        let constant = self.known.get(&*document.name(idx)).filter(|_| is_name)?;
        // In the body of a macro a name may be a parameter, or mean what stands around its use.
        let is_macro = document.directive_of(constant.name).is_some();
        let in_directive = document.directive_of(idx).is_some();
        (constant.scope.contains(&idx) && (is_macro || !in_directive)).then_some(constant)
    }

    /// The value of the expression that `tokens` are, if it is known.
    pub fn value(&self, document: &Document, tokens: Range<TokenIdx>) -> Option<i64> {
        self.value_at_depth(document, tokens, 0)
    }

    /// The value of a constant that others, `depth` of them, refer to; each is read once.
    fn value_of(&self, document: &Document, constant: &Constant, depth: usize) -> Option<i64> {
        let key = (constant.name, depth);
        let known = self.values.borrow().get(&key).copied();
        let value = known.unwrap_or_else(|| self.value_at_depth(document, constant.initialiser.clone(), depth));
        self.values.borrow_mut().insert(key, value);
        value
    }

    fn value_at_depth(&self, document: &Document, tokens: Range<TokenIdx>, depth: usize) -> Option<i64> {
        let lookup = |name: TokenIdx| {
            let constant = self.get(document, name).filter(|_| depth < DEEPEST);
            let value = match constant {
                Some(constant) => self.value_of(document, constant, depth + 1),
                None => self.outer.get(&*document.name(name)).copied(),
            };
            value.map_or(Definition::Unknown, |value| Definition::Defined(Value::Known(value)))
        };
        match evaluate(&Expression::read(document, tokens), &lookup) {
            Value::Known(value) => Some(value),
            _ => None,
        }
    }
}

type Found = (String, Option<Constant>);

/// `#define NAME 256`; what is defined under a condition, or undefined somewhere, has no value.
fn macros(document: &Document) -> impl Iterator<Item = Found> {
    let depth = usize::from(opens_with_guard(document));
    document.directives().iter().zip(regions(document)).filter_map(move |(directive, region)| {
        if !matches!(directive.kind, DirectiveKind::Define | DirectiveKind::Undef) {
            return None;
        }
        let name = directive.tokens.start + 2;
        let touches = document.token(name)?.end == document.token(name + 1).map_or(0, |next| next.start);
        let takes_arguments = touches && document.is(name + 1, b'(');
        let is_plain = directive.kind == DirectiveKind::Define && region.depth <= depth && !takes_arguments;
        let constant = Constant {
            name,
            type_word: None,
            initialiser: name + 1..directive.tokens.end.max(name + 1),
            scope: 0..document.tokens().len(),
            is_const: true,
        };
        Some((document.name(name).into_owned(), is_plain.then_some(constant)))
    })
}

/// Whether the file is wrapped in `#ifndef GUARD`, `#define GUARD`.
fn opens_with_guard(document: &Document) -> bool {
    let [test, define, ..] = document.directives() else { return false };
    let name = |idx: TokenIdx| document.token_text(idx + 2);
    test.tokens.start == 0
        && (test.kind, define.kind) == (DirectiveKind::Ifndef, DirectiveKind::Define)
        && name(test.tokens.start) == name(define.tokens.start)
        && define.tokens.len() == 3
}

/// `const int NAME = 256;`, `int NAME{256};`, `dim3 NAME(16, 16);`
fn declarations(document: &Document) -> impl Iterator<Item = Found> {
    let is_first = |name: TokenIdx| matches!(document.kind(name + 1), Some(TokenKind::Punct(b'=' | b'{' | b'(')));
    scopes(document).filter(move |(name, _)| is_first(*name)).filter_map(|(name, scope)| {
        let type_word = document.before(name)?;
        let follows_word = document.token(type_word)?.kind == TokenKind::Ident;
        let open = name + 1;
        let closed = || document.partner(open).filter(|&close| close > open).map(|close| open + 1..close);
        let initialiser = match document.token(open).filter(|_| follows_word)?.kind {
            TokenKind::Punct(b'=') if !document.is(open + 1, b'=') => {
                split_arguments(document, open + 1..end_of_statement(document, open + 1)?).into_iter().next()?
            }
            TokenKind::Punct(b'{') => closed()?,
            // Of other types this may declare a function.
            TokenKind::Punct(b'(') if document.token_text(type_word) == "dim3" => closed()?,
            _ => return None,
        };
        let is_const = starts_declaration(document, type_word)?;
        let constant = Constant { name, type_word: Some(type_word), initialiser, scope, is_const };
        Some((document.name(name).into_owned(), Some(constant)))
    })
}

fn end_of_statement(document: &Document, start: TokenIdx) -> Option<TokenIdx> {
    (start..document.tokens().len()).take_while(|&idx| !document.is(idx, b'}')).find(|&idx| document.is(idx, b';'))
}

/// Whether the words up to `last` say `const`; `None` if they start no declaration.
fn starts_declaration(document: &Document, last: TokenIdx) -> Option<bool> {
    const NO_TYPES: &[&str] =
        &["return", "case", "goto", "new", "delete", "throw", "using", "namespace", "struct", "class", "enum", "union"];
    let mut is_const = false;
    let mut at = Some(last);
    while let Some(idx) = at {
        match document.token(idx)?.kind {
            TokenKind::Ident => {
                let word = document.token_text(idx);
                is_const |= matches!(word, "const" | "constexpr");
                if NO_TYPES.contains(&word) {
                    return None;
                }
            }
            TokenKind::PathSep => {}
            TokenKind::Punct(b';' | b'{' | b'}' | b':') => break,
            _ => return None,
        }
        at = document.before(idx);
    }
    Some(is_const)
}

/// The names outside of directives, each with the range of tokens in which it is known when it is
/// declared there: from there to the end of the block.
fn scopes(document: &Document) -> impl Iterator<Item = (TokenIdx, Range<TokenIdx>)> {
    let mut ends = vec![document.tokens().len()];
    let mut next = 0;
    std::iter::from_fn(move || {
        while let Some(kind) = document.kind(next) {
            let idx = next;
            next += 1;
            if kind == TokenKind::Hash {
                next = document.directive_of(idx).map_or(next, |directive| directive.tokens.end);
                continue;
            }
            while ends.last().is_some_and(|&end| end <= idx) {
                ends.pop();
            }
            match kind {
                TokenKind::Punct(b'{') if !opens_namespace(document, idx) => ends.extend(document.partner(idx)),
                TokenKind::Ident => return Some((idx, idx..ends.last().copied().unwrap_or(idx))),
                _ => {}
            }
        }
        None
    })
}

/// `namespace {`, `namespace a::b {`, `extern "C" {`
fn opens_namespace(document: &Document, open: TokenIdx) -> bool {
    let words = (open.saturating_sub(6)..open).rev().map(|idx| document.token_text(idx));
    let mut words = words.take_while(|word| !matches!(*word, ";" | "{" | "}" | ")"));
    words.any(|word| matches!(word, "namespace" | "extern"))
}

/// `enum { NAME = 256 }`
fn enumerators(document: &Document) -> impl Iterator<Item = Found> {
    let has_any = words(document, "enum").next().is_some();
    let enums =
        has_any.then(|| scopes(document)).into_iter().flatten().filter(|(idx, _)| document.token_text(*idx) == "enum");
    enums.flat_map(|(keyword, scope)| {
        let is_scoped = matches!(document.token_text(keyword + 1), "class" | "struct");
        let open = (keyword + 1..keyword + 8).find(|&idx| document.is(idx, b'{')).filter(|_| !is_scoped);
        let close = open.and_then(|open| document.partner(open)).unwrap_or(keyword);
        let parts = split_arguments(document, open.map_or(close, |open| open + 1)..close);
        let valued = parts.into_iter().filter(|part| document.is(part.start + 1, b'='));
        valued
            .map(|part| {
                let initialiser = part.start + 2..part.end;
                let constant =
                    Constant { name: part.start, type_word: None, initialiser, scope: scope.clone(), is_const: true };
                (document.name(part.start).into_owned(), Some(constant))
            })
            .collect::<Vec<_>>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    /// The value of the argument of the last `f(…)`.
    #[track_caller]
    fn check_value(text: &str, expected: Option<i64>) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let call = (0..document.tokens().len()).rev().find(|&idx| document.token_text(idx) == "f").unwrap();
        let argument = call + 2..document.partner(call + 1).unwrap();
        assert_eq!(Constants::of(&document).value(&document, argument), expected, "{text}");
    }

    #[test]
    fn constants_are_folded() {
        check_value("f(4 * 64)", Some(256));
        check_value("#define N 256\nf(N / 2)", Some(128));
        check_value("#ifndef A_H\n#define A_H\n#define N (2 * M)\n#define M 8u\nf(N)\n#endif\n", Some(16));
        check_value("static constexpr int N = 256; void g() { f(N); }", Some(256));
        check_value("namespace { const unsigned N{128}; } void g() { f(N); }", Some(128));
        check_value("enum { A = 32, N = A * 4 }; void g() { f(N); }", Some(128));
        check_value("void g() { int n = 64, m = 2; f(n * m); }", None);
        check_value("void g() { int n = 64; f((total + n - 1) / n); f(n); }", None);
        check_value("void g() { int n = 64; int b = (total + n - 1) / n; f(n, b); }", None);
        check_value("void g() { int n = 64; int b = (total + n - 1) / n; f(n + 0); }", Some(64));
    }

    #[test]
    fn what_may_differ_has_no_value() {
        check_value("#ifndef N\n#define N 256\n#endif\nf(N)", None);
        check_value("#define N 256\n#undef N\n#define N 128\nf(N)", None);
        check_value("#define N(x) 256\nf(N)", None);
        check_value("#define N N\nf(N)", None);
        check_value("#define N f(1)\nf(N)", None);
        check_value("const int n = 1; template <int n> void g() { f(n); }", None);
        check_value("template <int n = 4, int m = 2> void g() { f(m); }", None);
        check_value("void h(int n = 4); void g() { f(n); }", None);
        check_value("void h() { const int n = 4; } void g() { f(n); }", None);
        check_value("struct S { static const int n = 4; }; void g() { f(n); }", None);
        check_value("enum class E { n = 4 }; void g() { f(n); }", None);
        check_value("const int n = 4;\n#define G(n) f(n)\n", None);
        check_value("extern const int n; void g() { f(n); }", None);
    }

    #[test]
    fn variables_count_while_nothing_changes_them() {
        for change in
            ["n = 2;", "n += 2;", "n <<= 1;", "++n;", "n--;", "h(&n);", "h(1, n);", "std::cin >> n;", "int n;"]
        {
            check_value(&format!("void g() {{ int n = 4; {change} f(1 * n); }}"), None);
        }
        for use_of in ["h(n + 1);", "if (n == 4) {}", "x.n = 3;", "dim3 d(n);", "k<<<1, n>>>(n);", "y = n - 1;"] {
            check_value(&format!("void g() {{ int n = 4; {use_of} f(1 * n); }}"), Some(4));
        }
        check_value("void g() { const int n = 4; h(n, &n); f(n); }", Some(4));
    }
}
