//! Conditions that may be one thing in a warp and another in the next by way of objects, arrays and functions.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::division::division;
use crate::analysis::{Function, If};
use crate::rules::context::Context;
use crate::syntax::{Document, TokenIdx, TokenKind, among, opening, statement_start, words_in};

/// Uses of a variable that are looked at.
const MOST_USES: usize = 16;

/// The functions of a file that give what cuts threads into warps, and the members of classes that hold it.
pub(super) struct Cutters<'c, 'd> {
    cx: &'c Context<'d>,
    names: FxHashSet<&'d str>,
    members: FxHashSet<&'d str>,
    /// The names of functions that give the same to all of a block.
    for_block: FxHashSet<&'d str>,
}

impl<'c, 'd> Cutters<'c, 'd> {
    /// Those of a file; what has one of `barriers`, or shared memory, gives the same to all of a block.
    pub(super) fn of(cx: &'c Context<'d>, barriers: &[TokenIdx]) -> Cutters<'c, 'd> {
        let document: &'d Document = cx.document;
        let is_for_block = |function: &Function| {
            !among(barriers, function.body.clone(), |&barrier| barrier).is_empty()
                || words_in(document, "__shared__", function.body.clone()).next().is_some()
        };
        let mut found =
            Cutters { cx, names: FxHashSet::default(), members: FxHashSet::default(), for_block: FxHashSet::default() };
        let helpers = || cx.facts.functions.iter().filter(|function| function.runs_on_device() && !function.is_kernel);
        for function in helpers() {
            let name = function.name.map(|name| document.token_text(name));
            if is_for_block(function) {
                found.for_block.extend(name);
                continue;
            }
            let cuts = cut_places(document, function);
            if cx.facts.blocks(document).is_in_class(function.head.start) {
                found.members.extend(cuts.iter().filter_map(|&cut| member_of(document, function, cut)));
            }
            found.names.extend(name.filter(|_| gives_cut(cx, function, &cuts)));
        }
        // `bool is_first() const { return warp == 0; }`
        let asks = |function: &&Function| {
            let returned = words_in(document, "return", function.body.clone()).next();
            let in_class = cx.facts.blocks(document).is_in_class(function.head.start);
            let mut rest = returned.map_or(0..0, |word| word..function.body.end);
            in_class && rest.any(|idx| found.members.contains(document.token_text(idx)))
        };
        let methods: Vec<&str> =
            helpers().filter(asks).filter_map(|function| function.name).map(|name| document.token_text(name)).collect();
        found.members.extend(methods);
        found
    }

    /// Whether something that a condition asks for comes from what cuts threads into warps, though not by a value that is known:
    /// a member of an object, an element of an array, what a function returned or wrote.
    pub(super) fn may_part(&self, function: &Function, condition: &Range<TokenIdx>) -> bool {
        let document = self.cx.document;
        let mut asked = condition.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Ident));
        asked.any(|idx| {
            let name = document.token_text(idx);
            if self.names.contains(name) || is_member(document, idx) && self.members.contains(name) {
                return true;
            }
            let numbers = self.cx.thread_numbers();
            let is_part = matches!(document.token_text(idx + 1), "." | "->" | "[");
            let is_known = matches!(name, "threadIdx" | "blockIdx" | "blockDim" | "gridDim")
                || numbers.number(idx..idx + 1, function).is_some()
                || !is_part && numbers.only_value(name, function).is_some();
            let mut uses = words_in(document, name, function.body.start..condition.start).take(MOST_USES);
            !is_known && !is_member(document, idx) && uses.any(|at| self.is_made_by(function, at))
        })
    }

    /// Whether the statement that uses a variable cuts threads, calls a function that does, or declares an object of a class that does.
    fn is_made_by(&self, function: &Function, at: TokenIdx) -> bool {
        let document = self.cx.document;
        let start = statement_start(document, at);
        if matches!(document.token_text(start), "if" | "for" | "while" | "switch") {
            return false;
        }
        let mut statement = start..(at..function.body.end).find(|&idx| document.is(idx, b';')).unwrap_or(at);
        let cuts = self.cx.thread_numbers().cuts(function);
        let gets_value = matches!(document.token_text(at + 1), "=" | "{" | "(" | "[");
        if statement.clone().any(|idx| self.for_block.contains(document.token_text(idx))) {
            return false;
        }
        cuts.iter().any(|cut| gets_value && at < cut.tokens.start && statement.contains(&cut.tokens.start))
            || statement.any(|idx| self.names.contains(document.token_text(idx)))
    }
}

fn is_member(document: &Document, idx: TokenIdx) -> bool {
    idx.checked_sub(1).is_some_and(|before| matches!(document.token_text(before), "." | "->" | "::"))
}

/// Where a function cuts threads into warps.
fn cut_places(document: &Document, function: &Function) -> Vec<TokenIdx> {
    let all = function.head.start..function.body.end;
    if words_in(document, "threadIdx", all.clone()).next().is_none() {
        return Vec::new();
    }
    let before = |idx: TokenIdx, count: usize| idx.checked_sub(count).map_or("", |before| document.token_text(before));
    // `blockDim.x / 32` is the same for all.
    let is_count = |idx: TokenIdx| matches!(before(idx, 4), "blockDim" | "gridDim");
    let is_cut = |idx: &TokenIdx| match document.token_text(*idx) {
        _ if is_count(*idx) => false,
        "32" | "warpSize" => matches!(before(*idx, 1), "/" | "%"),
        "5" => before(*idx, 1) == ">" && before(*idx, 2) == ">",
        _ => false,
    };
    all.filter(is_cut).collect()
}

/// Whether what a function returns, or writes to a parameter, comes from a cut or from a branch on one.
fn gives_cut(cx: &Context<'_>, function: &Function, cuts: &[TokenIdx]) -> bool {
    let document = cx.document;
    let start = |cut: TokenIdx| statement_start(document, cut);
    // `return {threadIdx.x / 32};`, `return Place{threadIdx.x / 32};`
    let is_in_list = |start: TokenIdx| {
        let words = (start.saturating_sub(3)..start).map(|idx| document.token_text(idx)).collect::<Vec<_>>();
        words.last() == Some(&"{") && words.contains(&"return")
    };
    let is_given = |cut: TokenIdx| {
        let first = start(cut) + usize::from(document.is(start(cut), b'*'));
        let is_parameter = || words_in(document, document.token_text(first), function.head.clone()).next().is_some();
        function.body.contains(&cut) && (document.token_text(first) == "return" || is_in_list(first) || is_parameter())
    };
    let returns = words_in(document, "return", function.body.clone()).count();
    let parts = |found: &If| {
        words_in(document, "return", found.then.clone()).next().is_some()
            && division(cx, function, found.condition.clone()).is_some()
    };
    cuts.iter().any(|&cut| is_given(cut)) || returns > 1 && cx.control_flow(function).ifs.iter().any(parts)
}

/// The member that is made of a cut: `warp(threadIdx.x / 32)` in what a constructor starts with, `warp = threadIdx.x / 32`.
fn member_of<'d>(document: &'d Document, function: &Function, cut: TokenIdx) -> Option<&'d str> {
    let name = if function.body.contains(&cut) {
        let start = statement_start(document, cut);
        Some(start).filter(|&start| document.is(start + 1, b'='))
    } else {
        let mut open = opening(document, cut)?;
        while let Some(outer) = opening(document, open) {
            open = outer;
        }
        open.checked_sub(1)
    };
    name.filter(|&name| document.kind(name) == Some(TokenKind::Ident)).map(|name| document.token_text(name))
}
