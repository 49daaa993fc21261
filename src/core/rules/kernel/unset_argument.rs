//! Variables that one lane sets and all hand to another function.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::places::statement;
use crate::analysis::{Declaration, Declarator, Function, Statement, VariableDeclaration};
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
    /// Finds numbers and pointers of device code without a first value that are set under one `if` only, and are then handed to the
    /// shuffle of a group or, by value, to a function of the file.
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
        let mut named: FxHashMap<&str, Vec<&Function>> = FxHashMap::default();
        for function in cx.facts.functions.iter() {
            named.entry(function.name.map_or("", |name| document.token_text(name))).or_default().push(function);
        }
        let functions = cx.facts.functions.iter().filter(|function| function.runs_on_device());
        let found: Vec<_> = functions.flat_map(|function| unset_in(function, &named, cx)).collect();
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

/// The functions of a file by their names.
type Named<'d> = FxHashMap<&'d str, Vec<&'d Function>>;

fn unset_in<'d>(function: &Function, named: &Named<'d>, cx: &Context<'d>) -> Vec<Unset> {
    let document: &'d Document = cx.document;
    let mut values: FxHashMap<TokenIdx, &'static str> = FxHashMap::default();
    for statement in cx.statements(function).iter() {
        let Statement::Declaration(declaration) = statement else { continue };
        for declarator in declaration.declarators.iter().filter(|one| one.value.is_none()) {
            values.extend(first_value(document, function, declaration, declarator).map(|of| (declarator.name, of)));
        }
    }
    if values.is_empty() {
        return Vec::new();
    }
    let walk = Walk::through(function, &values, cx);
    let unset = walk.variables.iter().filter_map(|variable| {
        let argument = handed_on(variable, &walk, named, cx)?;
        let value = (!walk.jumps && !variable.in_switch).then(|| values[&variable.name]);
        Some(Unset { name: variable.name, value, argument })
    });
    unset.collect()
}

/// Types of numbers by one name.
const NUMBERS: &[&str] = &[
    "size_t",
    "ptrdiff_t",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint",
    "ushort",
    "uchar",
    "char",
    "short",
    "int",
    "long",
    "unsigned",
    "signed",
    "float",
    "double",
];

/// What gives a value to a variable without one, if it is a number, a pointer, or of a type that a template takes: Clang lets the
/// parts of structures be unset.
fn first_value(
    document: &Document,
    function: &Function,
    declaration: &VariableDeclaration,
    declarator: &Declarator,
) -> Option<&'static str> {
    let name = declarator.name;
    // What follows tells: no array, and no first value in parentheses or braces.
    if !document.is(name + 1, b';') && !document.is(name + 1, b',') {
        return None;
    }
    let words: Vec<&str> = declaration.kind.clone().map(|idx| document.token_text(idx)).collect();
    let is_pointer = document.is(name - 1, b'*');
    let is_plain = words.iter().all(|word| NUMBERS.contains(word) || matches!(*word, "bool" | "volatile"));
    match words.last()? {
        _ if is_pointer && words.iter().all(|word| !matches!(*word, "static" | "extern" | "__shared__" | "return")) => {
            is_plain.then_some(" = nullptr")
        }
        _ if is_pointer || declarator.is_compound => None,
        &"bool" if is_plain => Some(" = false"),
        _ if is_plain => Some(" = 0"),
        word => (words.len() == 1 && is_type_parameter(document, function, word)).then_some("{}"),
    }
}

/// Whether the function is a template that takes a type of this name.
fn is_type_parameter(document: &Document, function: &Function, word: &str) -> bool {
    let head = function.head.clone();
    head.clone().any(|idx| document.token_text(idx) == "template")
        && head.into_iter().any(|idx| {
            document.token_text(idx) == word
                && matches!(document.token_text(idx.saturating_sub(1)), "typename" | "class")
        })
}

/// A variable without a first value, and where its block names it later.
struct Variable {
    name: TokenIdx,
    in_switch: bool,
    uses: Vec<Use>,
}

/// A place that names a variable.
struct Use {
    at: TokenIdx,
    /// The bracket around it that stands directly in the block of the variable.
    within: Option<TokenIdx>,
}

/// What one way through a function shows.
struct Walk {
    variables: Vec<Variable>,
    /// Words that may leave what they stand in.
    leaving: Vec<TokenIdx>,
    /// Whether there is a `goto`.
    jumps: bool,
}

impl Walk {
    fn through(function: &Function, values: &FxHashMap<TokenIdx, &'static str>, cx: &Context<'_>) -> Walk {
        let document = cx.document;
        let mut walk = Walk { variables: Vec::new(), leaving: Vec::new(), jumps: false };
        let mut brackets: Vec<TokenIdx> = Vec::new();
        // The variable that a name means now, with the depth of its block.
        let mut visible: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
        for at in function.body.clone() {
            if matches!(document.token_text(at), "(" | "[" | "{") {
                brackets.push(at);
            } else if matches!(document.token_text(at), ")" | "]" | "}") {
                brackets.pop();
            } else if document.kind(at) == Some(TokenKind::Ident) {
                let word = document.token_text(at);
                walk.jumps |= word == "goto";
                if LEAVING.contains(&word) {
                    walk.leaving.push(at);
                }
                if values.contains_key(&at) {
                    let block =
                        brackets.last().filter(|&&open| document.is(open, b'{') && !opens_class(document, open));
                    if let Some(&open) = block {
                        visible.insert(word, (walk.variables.len(), brackets.len()));
                        let in_switch = opened_by(document, open) == Some("switch");
                        walk.variables.push(Variable { name: at, in_switch, uses: Vec::new() });
                    }
                } else if let Some(&(number, depth)) = visible.get(word) {
                    if brackets.len() < depth {
                        visible.remove(word);
                    } else if !is_member(document, at) {
                        walk.variables[number].uses.push(Use { at, within: brackets.get(depth).copied() });
                    }
                }
            }
        }
        walk
    }

    /// Whether something between two places may leave.
    fn leaves(&self, between: Range<TokenIdx>) -> bool {
        let first = self.leaving.partition_point(|&at| at < between.start);
        self.leaving.get(first).is_some_and(|&at| at < between.end)
    }
}

/// Words behind which a variable may not be asked for any more.
const LEAVING: &[&str] =
    &["return", "break", "continue", "goto", "assert", "abort", "__trap", "__builtin_unreachable", "__assume", "asm"];

fn is_member(document: &Document, at: TokenIdx) -> bool {
    matches!(document.token_text(at - 1), "." | "->" | "::")
}

/// `struct name {`
fn opens_class(document: &Document, open: TokenIdx) -> bool {
    let mut head =
        (0..open).rev().map(|idx| document.token_text(idx)).take_while(|word| !matches!(*word, ";" | "{" | "}"));
    head.any(|word| matches!(word, "struct" | "class" | "union"))
}

/// The word before a brace and its condition: `if (…) {`, `else {`.
fn opened_by(document: &Document, brace: TokenIdx) -> Option<&str> {
    let head = brace.checked_sub(1)?;
    let word = match document.partner(head).filter(|_| document.is(head, b')')) {
        Some(open) => open.checked_sub(1)?,
        None => head,
    };
    Some(document.token_text(word))
}

/// Where a variable is handed to a function though it may have no value: all that sets it stands under one `if`.
fn handed_on<'d>(variable: &Variable, walk: &Walk, named: &Named<'d>, cx: &Context<'d>) -> Option<TokenIdx> {
    let document = cx.document;
    let mut set_under: Option<Range<TokenIdx>> = None;
    // An assignment sets the variable when its right side has been computed.
    let mut set_from = TokenIdx::MAX;
    for found in &variable.uses {
        let at = found.at;
        if set_under.as_ref().is_some_and(|range| range.contains(&at)) {
            continue;
        }
        if at >= set_from {
            return None;
        }
        let is_set = document.is(at + 1, b'=') && !document.is(at + 2, b'=');
        match (is_set, &set_under) {
            (true, None) => set_under = Some(under_if(document, found)?),
            (true, Some(_)) if found.within.is_none() => {
                let whole = statement(document, at);
                if whole.start != at {
                    return None;
                }
                set_from = whole.end;
            }
            (true, Some(_)) | (false, None) => return None,
            (false, Some(under)) => {
                let stands_free = found.within.is_none_or(|open| document.is(open, b'('));
                let starts = document.token_text(statement(document, at).start);
                if !stands_free || walk.leaves(under.start..at) && !follows_return(document, under.end, at, walk) {
                    return None;
                }
                if matches!(starts, "if" | "else" | "for" | "while" | "do" | "switch" | "case" | "default") {
                    return None;
                }
                let (callee, number) = argument_of(document, at)?;
                return takes_value(callee, number, named, cx).then_some(at);
            }
        }
    }
    None
}

/// Whether nothing but the `return` of the statement itself may leave between the end of an `if` and a place.
fn follows_return(document: &Document, end: TokenIdx, at: TokenIdx, walk: &Walk) -> bool {
    let start = statement(document, at).start;
    document.token_text(start) == "return" && !walk.leaves(end..start) && !walk.leaves(start + 1..at)
}

/// The `if` that an assignment stands under, with all of it, if it has no other side.
fn under_if(document: &Document, set: &Use) -> Option<Range<TokenIdx>> {
    let range = match set.within {
        None => {
            let own = statement(document, set.at);
            (document.token_text(own.start) == "if").then(|| own.start..own.end + 1)?
        }
        Some(open) if document.is(open, b'{') && opened_by(document, open) == Some("if") => {
            open..document.partner(open)? + 1
        }
        Some(_) => return None,
    };
    (document.token_text(range.end) != "else").then_some(range)
}

/// The function that an expression with the name is an argument of, and which one.
fn argument_of(document: &Document, at: TokenIdx) -> Option<(TokenIdx, usize)> {
    let changes = |idx: TokenIdx| matches!(document.token_text(idx), "&" | "++" | "--" | "[" | "." | "->");
    let is_changed = changes(at + 1) || changes(at - 1) && document.kind(at.checked_sub(2)?) != Some(TokenKind::Ident);
    if is_changed || document.is(at + 2, b'=') {
        return None;
    }
    let (mut idx, mut number) = (at, 0);
    loop {
        let before = idx.checked_sub(1)?;
        idx = match document.partner(before) {
            Some(open) if open < before => open,
            Some(_) if document.is(before, b'(') => break,
            Some(_) => return None,
            _ if matches!(document.token_text(before), ";" | "{" | "}") => return None,
            _ => before,
        };
        number += usize::from(document.is(idx, b','));
    }
    let callee = idx.checked_sub(2)?;
    let callee = if document.is(callee, b'>') { less_of(document, callee)?.checked_sub(1)? } else { callee };
    (document.kind(callee) == Some(TokenKind::Ident)).then_some((callee, number))
}

/// Whether a function is known to take an argument by value, without the mark that it may have none.
fn takes_value(callee: TokenIdx, number: usize, named: &Named<'_>, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let name = document.token_text(callee);
    if matches!(document.token_text(callee - 1), "." | "->") {
        return name.starts_with("shfl");
    }
    if let Some(shuffle) = name.strip_prefix("__").filter(|shuffle| shuffle.starts_with("shfl")) {
        let at = document.range_of(callee..callee + 1).start();
        let stays = shuffle.ends_with("_sync") && (cx.facts.is_hip || cx.wave_width_at(at) == WaveWidth::Native);
        return stays || cx.settings.rocm < MARKED;
    }
    let is_macro = cx.facts.declared.get(name) == Some(Declaration::Macro);
    let own = named.get(name).filter(|_| !is_macro);
    own.is_some_and(|own| own.iter().all(|function| takes_by_value(document, function, number)))
}

fn takes_by_value(document: &Document, function: &Function, number: usize) -> bool {
    let open = function.name.map(|name| name + 1).filter(|&open| document.is(open, b'('));
    let Some(close) = open.and_then(|open| document.partner(open)) else { return false };
    let parameters = split_arguments(document, open.unwrap_or(close) + 1..close);
    let is_reference = |parameter: &Range<TokenIdx>| parameter.clone().any(|idx| document.is(idx, b'&'));
    parameters.get(number).is_some_and(|parameter| !is_reference(parameter))
}
