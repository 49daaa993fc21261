//! Variables that one lane sets and all hand to another function.

use super::places::{scope_end, statement};
use crate::analysis::{Declaration, Declarator, Function, Statement, statements};
use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::settings::WaveWidth;
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind, less_of, split_arguments};

declare_rule! {
    /// ## What it does
    /// Finds variables of device code without a first value that are set under an `if` only, and are then handed to the shuffle of a
    /// group or to a function of the project.
    ///
    /// ## Why is this bad?
    /// One lane gets a value that all read by a shuffle: the usual way to add to a counter once for a warp. Clang takes an argument
    /// for set, so it concludes that the condition holds for every lane, and lets all of them run what is under the `if`: each lane adds
    /// to the counter. nvcc does not, and neither does Clang at `__shfl`, which HIP's headers mark (`maybe_undef`) since ROCm 6; the
    /// shuffles of groups and `__shfl_sync` have no such mark up to ROCm 7.2. Source: LLVM Language Reference, "Parameter Attributes",
    /// `noundef`.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// #include <cooperative_groups.h>
    /// namespace cg = cooperative_groups;
    /// __device__ int next(int* counter, cg::coalesced_group group) {
    ///     int first;
    ///     if (group.thread_rank() == 0) first = atomicAdd(counter, group.size());
    ///     return group.shfl(first, 0) + group.thread_rank();
    /// }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// #include <hip/hip_cooperative_groups.h>
    /// namespace cg = cooperative_groups;
    /// __device__ int next(int* counter, cg::coalesced_group group) {
    ///     int first = 0;
    ///     if (group.thread_rank() == 0) first = atomicAdd(counter, group.size());
    ///     return group.shfl(first, 0) + group.thread_rank();
    /// }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: a variable that had any value gets one. There is no fix in a `switch` or beside a `goto`, which must not jump past it.
    UnsetArgument { code: "K048", name: "unset-argument", severity: Warning, fix: Sometimes, since: "0.2.0" }
}

/// The oldest release known to mark the arguments of shuffles.
const MARKED: RocmVersion = RocmVersion::new(6, 4);

impl Rule for UnsetArgument {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document = cx.document;
        let functions = cx.facts.functions.iter().filter(|function| function.runs_on_device());
        let found: Vec<_> = functions.flat_map(|function| unset_in(function, cx)).collect();
        for Unset { name, value, argument } in found {
            let text = document.token_text(name);
            let range = document.range_of(name..name + 1);
            let message = format!("`{text}` has no value where a condition does not hold, and is handed on");
            let finding = cx.report(range, message);
            finding.label(document.range_of(argument..argument + 1), "Clang takes it for set here");
            match value {
                Some(value) => finding.fix(Fix::safe("give it a value", vec![Edit::insert(range.end(), value)])),
                None => finding.note("give it a value where it is declared, before any label"),
            };
        }
    }
}

/// A variable that may be handed on without a value.
struct Unset {
    name: TokenIdx,
    /// What would give it a value, where nothing jumps past its declaration.
    value: Option<&'static str>,
    argument: TokenIdx,
}

fn unset_in(function: &Function, cx: &Context<'_>) -> Vec<Unset> {
    let document = cx.document;
    let mut found = Vec::new();
    for statement in statements(document, function.body.clone()) {
        let Statement::Declaration(declaration) = statement else { continue };
        let has = |word: &str| declaration.kind.clone().any(|idx| document.token_text(idx) == word);
        if ["static", "extern", "__shared__", "const", "constexpr", "auto", "return"].into_iter().any(has) {
            continue;
        }
        for declarator in declaration.declarators.iter().filter(|one| one.value.is_none()) {
            let name = declarator.name;
            // What follows tells: no array, and no first value in parentheses or braces.
            let is_unset = document.is(name + 1, b';') || document.is(name + 1, b',');
            let Some(end) = scope_end(name, cx).filter(|_| is_unset) else { continue };
            if let Some(argument) = handed_on(name, end, cx) {
                let jumps = is_jumped_past(document, function, name);
                let word = document.token_text(declaration.kind.end - 1);
                let value = (!jumps).then(|| first_value(document, declarator, word));
                found.push(Unset { name, value, argument });
            }
        }
    }
    found
}

fn first_value(document: &Document, declarator: &Declarator, word: &str) -> &'static str {
    match word {
        _ if declarator.is_compound || document.is(declarator.name - 1, b'*') => " = nullptr",
        "bool" => " = false",
        "int" | "unsigned" | "long" | "short" | "char" | "float" | "double" => " = 0",
        word if word.ends_with("_t") => " = 0",
        _ => "{}",
    }
}

/// Whether the declaration stands in a `switch`, or in a function with a `goto`.
fn is_jumped_past(document: &Document, function: &Function, name: TokenIdx) -> bool {
    let has_goto = function.body.clone().any(|idx| document.token_text(idx) == "goto");
    has_goto || opened_by(document, name).is_some_and(|(_, word)| word == "switch")
}

/// Where the variable declared at `name` is handed to a function though it may have no value: all that is known to set it stands
/// under an `if`.
fn handed_on(name: TokenIdx, end: TokenIdx, cx: &Context<'_>) -> Option<TokenIdx> {
    let document = cx.document;
    let text = document.token_text(name);
    let is_use = |at: &TokenIdx| {
        document.kind(*at) == Some(TokenKind::Ident)
            && document.token_text(*at) == text
            && !matches!(document.token_text(at - 1), "." | "->" | "::")
    };
    let mut may_be_set = false;
    // An assignment sets the variable when its right side has been computed.
    let mut set_from = end;
    for at in (name + 1..end).filter(is_use) {
        if at >= set_from {
            return None;
        }
        if document.is(at + 1, b'=') && !document.is(at + 2, b'=') {
            if is_under_if_only(document, name, at) {
                may_be_set = true;
            } else {
                set_from = statement(document, at).end;
            }
        } else if !may_be_set || document.is(at - 1, b'&') && document.kind(at - 2) != Some(TokenKind::Ident) {
            // Something else may set it.
            return None;
        } else if let Some((callee, number)) = argument_of(document, at) {
            match takes(callee, number, cx) {
                Taken::ForSet => return Some(at),
                Taken::ByReference => return None,
                Taken::Otherwise => {}
            }
        }
    }
    None
}

/// Whether what is assigned at `at` is assigned under an `if` whose other side does not do so either, in the scope of `declared`.
fn is_under_if_only(document: &Document, declared: TokenIdx, at: TokenIdx) -> bool {
    let own = statement(document, at);
    let name = document.token_text(at);
    match document.token_text(own.start) {
        "if" => return own.start > declared && !other_side_ends_or_sets(document, own.end + 1, name),
        "else" | "for" | "while" | "do" | "case" | "default" => return false,
        _ => {}
    }
    match opened_by(document, at) {
        Some((open, "if")) if open > declared => {
            document.partner(open).is_some_and(|close| !other_side_ends_or_sets(document, close + 1, name))
        }
        _ => false,
    }
}

/// The brace around a token, and the word that it belongs to: `if (…) {`, `else {`.
fn opened_by(document: &Document, at: TokenIdx) -> Option<(TokenIdx, &str)> {
    let mut idx = at;
    while let Some(before) = idx.checked_sub(1) {
        idx = match document.partner(before) {
            Some(open) if open < before => open,
            Some(_) if document.is(before, b'{') => {
                let head = before.checked_sub(1)?;
                let word = match document.partner(head).filter(|_| document.is(head, b')')) {
                    Some(open) => open.checked_sub(1)?,
                    None => head,
                };
                return Some((before, document.token_text(word)));
            }
            _ => before,
        };
    }
    None
}

/// Whether an `else` at `at` sets the variable too, or leaves.
fn other_side_ends_or_sets(document: &Document, at: TokenIdx, name: &str) -> bool {
    if document.token_text(at) != "else" {
        return false;
    }
    let end = match document.partner(at + 1).filter(|_| document.is(at + 1, b'{')) {
        Some(close) => close,
        None => statement(document, at + 1).end,
    };
    let is_chain = document.token_text(at + 1) == "if";
    is_chain
        || (at + 1..end).any(|idx| match document.token_text(idx) {
            "return" | "continue" | "break" | "goto" => true,
            word => word == name && document.is(idx + 1, b'='),
        })
}

/// The function that a bare name is an argument of, and which one.
fn argument_of(document: &Document, at: TokenIdx) -> Option<(TokenIdx, usize)> {
    let is_bare = (document.is(at - 1, b'(') || document.is(at - 1, b','))
        && (document.is(at + 1, b')') || document.is(at + 1, b','));
    if !is_bare {
        return None;
    }
    let (mut idx, mut number) = (at, 0);
    loop {
        let before = idx.checked_sub(1)?;
        idx = match document.partner(before) {
            Some(open) if open < before => open,
            Some(_) if document.is(before, b'(') => break,
            _ if matches!(document.token_text(before), ";" | "{" | "}") => return None,
            _ => before,
        };
        number += usize::from(document.is(idx, b','));
    }
    let callee = idx.checked_sub(2)?;
    let callee = if document.is(callee, b'>') { less_of(document, callee)?.checked_sub(1)? } else { callee };
    (document.kind(callee) == Some(TokenKind::Ident)).then_some((callee, number))
}

/// How a function takes an argument.
enum Taken {
    /// By value, without the mark that it may have none.
    ForSet,
    /// So that it can set it.
    ByReference,
    /// Otherwise, or it is no function.
    Otherwise,
}

fn takes(callee: TokenIdx, number: usize, cx: &Context<'_>) -> Taken {
    let document = cx.document;
    let name = document.token_text(callee);
    if matches!(document.token_text(callee - 1), "." | "->") {
        return if name.starts_with("shfl") { Taken::ForSet } else { Taken::Otherwise };
    }
    if let Some(shuffle) = name.strip_prefix("__").filter(|shuffle| shuffle.starts_with("shfl")) {
        let at = document.range_of(callee..callee + 1).start();
        let stays = shuffle.ends_with("_sync") && (cx.facts.is_hip || cx.wave_width_at(at) == WaveWidth::Native);
        return if stays || cx.settings.rocm < MARKED { Taken::ForSet } else { Taken::Otherwise };
    }
    let is_macro = cx.facts.declared.get(name) == Some(Declaration::Macro)
        || !name.chars().any(|letter| letter.is_ascii_lowercase());
    let is_word = matches!(
        name,
        "if" | "while"
            | "switch"
            | "for"
            | "return"
            | "sizeof"
            | "alignof"
            | "decltype"
            | "int"
            | "unsigned"
            | "long"
            | "short"
            | "char"
            | "float"
            | "double"
            | "bool"
            | "void"
    );
    if is_macro {
        return Taken::ByReference;
    }
    if is_word || name.ends_with("_cast") || cx.table.contains(name) {
        return Taken::Otherwise;
    }
    let own = cx.facts.functions.iter().find(|own| own.name.is_some_and(|own| document.token_text(own) == name));
    if own.is_some_and(|own| takes_reference(document, own, number)) { Taken::ByReference } else { Taken::ForSet }
}

/// Whether a function's parameter is a reference.
fn takes_reference(document: &Document, function: &Function, number: usize) -> bool {
    let Some(open) = function.name.map(|name| name + 1).filter(|&open| document.is(open, b'(')) else { return true };
    let Some(close) = document.partner(open) else { return true };
    let parameters = split_arguments(document, open + 1..close);
    let parameter = parameters.get(number).cloned();
    parameter.is_none_or(|parameter| parameter.into_iter().any(|idx| document.is(idx, b'&')))
}
