//! Conditions that may be one thing in a warp and another in the next by way of objects, arrays and functions.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::callables::class_around;
use super::division::division;
use crate::analysis::Function;
use crate::rules::context::Context;
use crate::syntax::{Document, TokenIdx, TokenKind, among, statement_start, words_in};

/// Uses of a variable that are looked at.
const MOST_USES: usize = 16;

/// The functions of a file that cut threads into warps, and the classes with one.
pub(super) struct Cutters<'c, 'd> {
    cx: &'c Context<'d>,
    names: FxHashSet<&'d str>,
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
        let (mut names, mut for_block) = (FxHashSet::default(), FxHashSet::default());
        for function in cx.facts.functions.iter().filter(|function| function.runs_on_device() && !function.is_kernel) {
            if is_for_block(function) {
                for_block.extend(function.name.map(|name| document.token_text(name)));
            } else if cuts(cx, function) {
                let own = [function.name, class_around(cx, function)].into_iter().flatten();
                names.extend(own.map(|idx| document.token_text(idx)));
            }
        }
        Cutters { cx, names, for_block }
    }

    /// Whether something that a condition asks for comes from what cuts threads into warps, though not by a value that is known:
    /// a member of an object, an element of an array, what a function returned or wrote.
    pub(super) fn may_part(&self, function: &Function, condition: &Range<TokenIdx>) -> bool {
        let document = self.cx.document;
        let mut asked = condition.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Ident));
        asked.any(|idx| {
            let name = document.token_text(idx);
            if self.names.contains(name) {
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
        if statement.clone().any(|idx| self.for_block.contains(document.token_text(idx))) {
            return false;
        }
        cuts.iter().any(|cut| statement.contains(&cut.tokens.start))
            || statement.any(|idx| self.names.contains(document.token_text(idx)))
    }
}

fn is_member(document: &Document, idx: TokenIdx) -> bool {
    idx.checked_sub(1).is_some_and(|before| matches!(document.token_text(before), "." | "->" | "::"))
}

/// Whether a function cuts threads into warps: by a number, also in what it returns or a constructor starts with, or by a branch.
fn cuts(cx: &Context<'_>, function: &Function) -> bool {
    let document = cx.document;
    let all = function.head.start..function.body.end;
    let before = |idx: TokenIdx, count: usize| idx.checked_sub(count).map_or("", |before| document.token_text(before));
    let is_cut = |idx: TokenIdx| match document.token_text(idx) {
        "32" | "warpSize" => matches!(before(idx, 1), "/" | "%"),
        "5" => before(idx, 1) == ">" && before(idx, 2) == ">",
        _ => false,
    };
    words_in(document, "threadIdx", all.clone()).next().is_some() && all.into_iter().any(is_cut)
        || !cx.thread_numbers().cuts(function).is_empty()
        || cx.control_flow(function).ifs.iter().any(|found| division(cx, function, found.condition.clone()).is_some())
}
