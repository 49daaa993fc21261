//! Memory of one type that device code reads or writes through a pointer to another.

use super::places::{OwnWords, steps};
use super::pointer_cast::{Cast, behind_qualifiers};
use super::punned_memory::{PunnedMemory, is_same_class};
use crate::analysis::Function;
use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::HELPER_PREFIX;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds pointers in device code to the number words of a variable of another type, such as `int* p =
    /// reinterpret_cast<int*>(&pair)`, that are read or written with an index that is no constant, or that move; and those to an array
    /// or a parameter, `int* words = (int*)values` or `fill((int*)values)`, whose memory the function also uses as another type, and
    /// writes.
    ///
    /// ## Why is this bad?
    /// C++ lets a compiler take it that a pointer to `int` does not point to a `float` (C++, "Value category", `[basic.lval]`). What
    /// compiles device code for NVIDIA GPUs makes no use of that, Clang does: where a structure goes from lane to lane
    /// word by word in a loop, it drops the words that it takes for another variable's, and the kernel computes with
    /// what was there before. Of shared memory that holds `float` and `int` by turns, a thread reads what it wrote as the other type
    /// only behind a barrier.
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
    /// Converted build files compile so, and functions that get one memory under two types need it: nothing within them says so.
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
        let mut memory = PunnedMemory::default();
        let is_cast = |kind: TokenKind| matches!(kind, TokenKind::Punct(b'(') | TokenKind::Ident);
        for idx in document.tokens().of_kind(is_cast) {
            let Some(cast) = Cast::at(document, idx) else { continue };
            let Some(function) = cx.facts.functions.around(idx).filter(|function| function.runs_on_device()) else {
                continue;
            };
            if !own.declares(document, function, document.token_text(cast.variable)) {
                continue;
            }
            if !cast.is_address {
                memory.add(cast, function, cx);
                continue;
            }
            let pointer = cast.declares(document);
            let is_walked = match pointer {
                Some(name) => is_walked(cx, function, name, cast.tokens.end),
                None => is_indexed(cx, &cast),
            };
            if is_walked && is_of_another_type(cx, function, &cast) {
                report(cx, &cast, &mut memory);
            }
        }
        for cast in memory.hazards(document) {
            report(cx, &cast, &mut memory);
        }
    }
}

fn report<'d>(cx: &mut Context<'d>, cast: &Cast, memory: &mut PunnedMemory<'d>) {
    let document: &'d Document = cx.document;
    let pointer = cast.declares(document);
    // The type does not come along where something else gets the pointer.
    let is_handed_on = pointer
        .zip(cx.facts.functions.around(cast.variable))
        .is_some_and(|(name, function)| memory.uses(document.token_text(name), function, document).is_handed_on);
    let words: Vec<&str> = cast.kind.clone().map(|idx| document.token_text(idx)).collect();
    let spelt = words.join(" ");
    let variable = document.token_text(cast.variable);
    let is_taken = || cx.has_word(&alias(&spelt));
    let fix = match pointer {
        _ if is_handed_on || is_taken() => None,
        Some(_) => edits(document, cast, &spelt),
        None => cast.place(document).and_then(|_| edits_at_once(document, cast, &spelt)),
    };
    let what = if cast.is_address { "is taken apart" } else { "is used" };
    let message = format!("`{variable}` {what} through a pointer to `{spelt}`, which Clang takes to point elsewhere");
    let finding = cx.report(document.range_of(cast.tokens.clone()), message);
    match fix {
        Some(edits) => finding.fix(Fix::safe("let the pointer point to anything", edits)),
        None => finding.note("copy the words with memcpy, or compile with -fno-strict-aliasing"),
    };
}

/// `((int*)&pair)[i]`
fn is_indexed(cx: &Context<'_>, cast: &Cast) -> bool {
    let end = cast.tokens.end;
    let open = end + usize::from(cx.document.is(end, b')'));
    is_variable_index(cx, open)
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
    let moves = |idx: TokenIdx| steps(document, idx) || document.is(idx + 1, b'+');
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
    !is_same_class(&words, &kind) && !matches!(words.as_slice(), [one] if is_vector(one))
}

/// Gives the type a name under which it may point to anything, in front of the statement.
fn edits(document: &Document, cast: &Cast, spelt: &str) -> Option<Vec<Edit>> {
    let start = start_in_block(document, cast.tokens.start)?;
    let first = behind_qualifiers(document, start);
    let is_same =
        (0..cast.kind.len()).all(|n| document.token_text(first + n) == document.token_text(cast.kind.start + n));
    let is_auto = document.token_text(first) == "auto";
    let is_statement = is_auto || is_same && document.is(first + cast.kind.len(), b'*');
    if !is_statement {
        return None;
    }
    let name = alias(spelt);
    let mut edits = vec![definition(document, start, spelt)];
    if !is_auto {
        edits.push(Edit::replace(document.range_of(first..first + cast.kind.len()), name.clone()));
    }
    edits.push(Edit::replace(document.range_of(cast.kind.clone()), name));
    Some(edits)
}

/// Gives the type its name in front of a statement that reads or writes through the cast itself: `((int*)array)[i] = 1;`.
fn edits_at_once(document: &Document, cast: &Cast, spelt: &str) -> Option<Vec<Edit>> {
    let start = start_in_block(document, cast.tokens.start)?;
    let kind = document.range_of(cast.kind.clone());
    Some(vec![definition(document, start, spelt), Edit::replace(kind, alias(spelt))])
}

/// Tokens that are looked through for the start of a statement, and for the bracket around it.
const FAR: usize = 400;

/// Where the statement starts that a token is part of, if a declaration may stand in front of it.
fn start_in_block(document: &Document, idx: TokenIdx) -> Option<TokenIdx> {
    let ends =
        |at: &TokenIdx| matches!(document.token_text(*at), ";" | "{" | "}") || document.directive_of(*at).is_some();
    let before = (idx.saturating_sub(FAR)..idx).rev().find(ends)?;
    let start = before + 1;
    let word = document.token_text(start);
    // A macro may be `else`.
    let is_macro = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let starts = matches!(document.kind(start), Some(TokenKind::Ident)) || matches!(word, "(" | "*");
    if document.directive_of(before).is_some() || matches!(word, "else" | "while" | "catch") || is_macro || !starts {
        return None;
    }
    // `[](int i) { … }(2)` goes on.
    let is_block_end = |close: TokenIdx| {
        document
            .partner(close)
            .is_some_and(|open| opens_block(document, open) && !(word == "(" && is_lambda(document, open)))
    };
    if document.is(before, b'}') && !is_block_end(before) {
        return None;
    }
    let mut at = start;
    while let Some(before) = at.checked_sub(1).filter(|before| start - before < FAR) {
        at = before;
        match document.token_text(at) {
            "{" => return opens_block(document, at).then_some(start),
            "(" | "[" => return None,
            ")" | "]" | "}" => at = document.partner(at).filter(|&open| open < at)?,
            _ => {}
        }
    }
    None
}

/// Whether a brace opens a block, not a list of values.
fn opens_block(document: &Document, open: TokenIdx) -> bool {
    let before = document.token_text(open.saturating_sub(1));
    // `case 1: {`
    let is_case = || (open.saturating_sub(4)..open).any(|at| matches!(document.token_text(at), "case" | "default"));
    matches!(
        before,
        ")" | "]" | ";" | "{" | "}" | "else" | "do" | "try" | "const" | "noexcept" | "override" | "mutable"
    ) || before == ":" && is_case()
}

/// Whether a brace opens the body of a lambda.
fn is_lambda(document: &Document, open: TokenIdx) -> bool {
    let before = open.saturating_sub(1);
    let parameters = document.partner(before).filter(|_| document.is(before, b')'));
    document.is(parameters.map_or(before, |parameters| parameters.saturating_sub(1)), b']')
}

/// The name under which a type may point to anything.
fn alias(spelt: &str) -> String {
    format!("{HELPER_PREFIX}{}", spelt.replace(' ', "_"))
}

/// What gives the type that name, in front of a statement.
fn definition(document: &Document, start: TokenIdx, spelt: &str) -> Edit {
    let at = document.range_of(start..start + 1).start();
    Edit::insert(at, format!("typedef {spelt} __attribute__((may_alias)) {};{}", alias(spelt), behind(document, start)))
}

/// What comes between the definition and the statement: the start of a line of its own, as that of the statement, or a space.
fn behind(document: &Document, start: TokenIdx) -> String {
    let offset = document.range_of(start..start + 1).start();
    let text = &document.file().text;
    let line = text.get(..usize::from(offset)).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
    if line.trim().is_empty() { format!("{}{line}", document.file().newline.as_str()) } else { " ".to_owned() }
}
