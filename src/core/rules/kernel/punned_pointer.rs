//! Values of one type that device code takes apart through a pointer to another.

use std::ops::Range;

use super::places::OwnWords;
use crate::analysis::Function;
use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::HELPER_PREFIX;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind, is_type_word, statement_start};

declare_rule! {
    /// ## What it does
    /// Finds pointers in device code to the number words of a variable of another type, such as `int* p =
    /// reinterpret_cast<int*>(&pair)`, that are read or written with an index that is no constant, or that move.
    ///
    /// ## Why is this bad?
    /// C++ lets a compiler take it that a pointer to `int` does not point to a `float` (C++, "Value category", `[basic.lval]`). What
    /// compiles device code for NVIDIA GPUs makes no use of that, Clang does: where a structure goes from lane to lane
    /// word by word in a loop, it drops the words that it takes for another variable's, and the kernel computes with
    /// what was there before.
    ///
    /// ## Example
    /// ```cuda
    /// struct Pair { float weight; int index; };
    /// __device__ Pair from_next(Pair pair) {
    ///     int* words = reinterpret_cast<int*>(&pair);
    ///     for (int i = 0; i < 2; ++i) words[i] = __shfl_down(words[i], 1, 32);
    ///     return pair;
    /// }
    /// ```
    /// Use instead:
    /// ```hip
    /// struct Pair { float weight; int index; };
    /// __device__ Pair from_next(Pair pair) {
    ///     typedef int __attribute__((may_alias)) hipshift_int;
    ///     hipshift_int* words = reinterpret_cast<hipshift_int*>(&pair);
    ///     for (int i = 0; i < 2; ++i) words[i] = __shfl_down(words[i], 1, 32);
    ///     return pair;
    /// }
    /// ```
    ///
    /// ## What to do
    /// Where there is no fix, copy the value with `memcpy` to an array of words and back, or compile with `-fno-strict-aliasing`.
    ///
    /// ## Fix safety
    /// Safe: the type is the same, and the compiler takes it that it may point to anything.
    PunnedPointer { code: "K049", name: "punned-pointer", severity: Warning, fix: Sometimes, since: "0.2.0" }
}

impl Rule for PunnedPointer {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document = cx.document;
        let mut own = OwnWords::default();
        for idx in 0..document.tokens().len() {
            let Some(cast) = Cast::at(document, idx) else { continue };
            let Some(function) = cx.facts.functions.around(idx).filter(|function| function.runs_on_device()) else {
                continue;
            };
            if !own.declares(document, function, document.token_text(cast.variable)) {
                continue;
            }
            let pointer = cast.declares(document);
            let is_walked = match pointer {
                Some(name) => is_walked(cx, function, name, cast.tokens.end),
                None => cast.is_indexed(cx),
            };
            if is_walked && is_of_another_type(cx, function, &cast) {
                report(cx, &cast, pointer);
            }
        }
    }
}

fn report(cx: &mut Context<'_>, cast: &Cast, pointer: Option<TokenIdx>) {
    let document = cx.document;
    let words: Vec<&str> = cast.kind.clone().map(|idx| document.token_text(idx)).collect();
    let spelt = words.join(" ");
    let variable = document.token_text(cast.variable);
    let fix = pointer.and_then(|pointer| edits(document, cast, pointer, &spelt));
    let message =
        format!("`{variable}` is taken apart through a pointer to `{spelt}`, which Clang takes to point elsewhere");
    let finding = cx.report(document.range_of(cast.tokens.clone()), message);
    match fix {
        Some(edits) => finding.fix(Fix::safe("let the pointer point to anything", edits)),
        None => finding.note("copy the words with memcpy, or compile with -fno-strict-aliasing"),
    };
}

/// `reinterpret_cast<int*>(&pair)` or `(int*)&pair`
struct Cast {
    tokens: Range<TokenIdx>,
    /// The tokens of the type without `const`.
    kind: Range<TokenIdx>,
    variable: TokenIdx,
}

impl Cast {
    fn at(document: &Document, idx: TokenIdx) -> Option<Cast> {
        let is_named = document.token_text(idx) == "reinterpret_cast" && document.is(idx + 1, b'<');
        if !is_named && !document.is(idx, b'(') {
            return None;
        }
        let start = idx + 1 + usize::from(is_named);
        let first = start + usize::from(document.token_text(start) == "const");
        let star = (first..first + LONGEST_TYPE).find(|&at| !is_number_word(document, at))?;
        let kind = first..star;
        let ends = document.is(star, b'*') && document.is(star + 1, if is_named { b'>' } else { b')' });
        if !ends || kind.is_empty() {
            return None;
        }
        let operand = star + 2;
        let is_wrapped = document.is(operand, b'(');
        let address = operand + usize::from(is_wrapped);
        let variable = address + 1;
        let end = variable + 1;
        let is_variable = document.is(address, b'&') && document.kind(variable) == Some(TokenKind::Ident);
        let closes = !is_wrapped || document.is(end, b')');
        let goes_on = [b'.', b'[', b'('].iter().any(|&sign| document.is(end, sign));
        let goes_on = goes_on || document.token_text(end) == "->" || document.token_text(end) == "::";
        let tokens = idx..end + usize::from(is_wrapped);
        (is_variable && closes && !goes_on).then_some(Cast { tokens, kind, variable })
    }

    /// The pointer whose declaration starts a statement and has this value.
    fn declares(&self, document: &Document) -> Option<TokenIdx> {
        let equals = self.tokens.start.checked_sub(1).filter(|&equals| document.is(equals, b'='))?;
        let name = equals.checked_sub(1).filter(|&name| document.kind(name) == Some(TokenKind::Ident))?;
        let declares = document.token_text(name.checked_sub(1)?);
        (matches!(declares, "*" | "auto" | "__restrict__" | "const") && document.is(self.tokens.end, b';'))
            .then_some(name)
    }

    /// `((int*)&pair)[i]`
    fn is_indexed(&self, cx: &Context<'_>) -> bool {
        let end = self.tokens.end;
        let open = end + usize::from(cx.document.is(end, b')'));
        is_variable_index(cx, open)
    }
}

/// `unsigned long long int`
const LONGEST_TYPE: usize = 6;

/// Whether a token is a word of the type of numbers; those of bytes may point to anything.
fn is_number_word(document: &Document, idx: TokenIdx) -> bool {
    let word = document.token_text(idx);
    is_type_word(word)
        && !word.starts_with(HELPER_PREFIX)
        && !matches!(word, "char" | "bool" | "int8_t" | "uint8_t" | "signed")
}

/// Whether an index stands in the brackets at `open` that is no constant.
fn is_variable_index(cx: &Context<'_>, open: TokenIdx) -> bool {
    let document = cx.document;
    let close = document.partner(open).filter(|&close| document.is(open, b'[') && close > open);
    close.is_some_and(|close| cx.thread_numbers().constant(open + 1..close).is_none())
}

/// Whether a function takes a pointer from word to word behind a token.
fn is_walked(cx: &Context<'_>, function: &Function, pointer: TokenIdx, from: TokenIdx) -> bool {
    let document = cx.document;
    let name = document.token_text(pointer);
    let moves = |idx: TokenIdx| {
        let doubled = |first: TokenIdx| {
            let sign = document.token_text(first);
            matches!(sign, "+" | "-") && document.token_text(first + 1) == sign
        };
        doubled(idx + 1) || idx.checked_sub(2).is_some_and(doubled) || document.is(idx + 1, b'+')
    };
    cx.thread_numbers().uses(name, from..function.body.end).any(|idx| is_variable_index(cx, idx + 1) || moves(idx))
}

/// Whether the variable is not known to be of numbers of the pointer's type, or of a vector of them.
fn is_of_another_type(cx: &Context<'_>, function: &Function, cast: &Cast) -> bool {
    let document = cx.document;
    let Some(words) = cx.variable_types().of_variable(function, cast.variable) else { return true };
    let kind: Vec<&str> = cast.kind.clone().map(|idx| document.token_text(idx)).collect();
    let is_vector = |word: &str| {
        let element = word.trim_end_matches(|c: char| c.is_ascii_digit());
        element.len() < word.len() && kind.last() == Some(&element)
    };
    words != kind && !matches!(words.as_slice(), [one] if is_vector(one))
}

/// Gives the type a name under which it may point to anything, in front of the statement.
fn edits(document: &Document, cast: &Cast, pointer: TokenIdx, spelt: &str) -> Option<Vec<Edit>> {
    let start = statement_start(document, cast.tokens.start);
    let declared: Vec<TokenIdx> = (start..pointer).collect();
    let first = start + usize::from(declared.first().is_some_and(|&idx| document.token_text(idx) == "const"));
    let is_same =
        (0..cast.kind.len()).all(|n| document.token_text(first + n) == document.token_text(cast.kind.start + n));
    let is_auto = document.token_text(first) == "auto";
    let is_statement = is_auto || is_same && document.is(first + cast.kind.len(), b'*');
    if !is_statement || document.directive_of(start).is_some() {
        return None;
    }
    let name = format!("{HELPER_PREFIX}{}", spelt.replace(' ', "_"));
    let at = document.range_of(start..start + 1).start();
    let defined = format!("typedef {spelt} __attribute__((may_alias)) {name};{}", behind(document, start));
    let mut edits = vec![Edit::insert(at, defined)];
    if !is_auto {
        edits.push(Edit::replace(document.range_of(first..first + cast.kind.len()), name.clone()));
    }
    edits.push(Edit::replace(document.range_of(cast.kind.clone()), name));
    Some(edits)
}

/// What comes between the definition and the statement: the start of a line of its own, as that of the statement, or a space.
fn behind(document: &Document, start: TokenIdx) -> String {
    let offset = document.range_of(start..start + 1).start();
    let text = &document.file().text;
    let line = text.get(..usize::from(offset)).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
    if line.trim().is_empty() { format!("{}{line}", document.file().newline.as_str()) } else { " ".to_owned() }
}
