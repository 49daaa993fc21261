//! Loops in which the lanes of a warp hand values on in each round with nothing that orders them:
//! `for (int d = 16; d > 0; d /= 2) s[tid] += s[tid + d];`.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::divergent_collective::WARP;
use crate::analysis::{Function, Loop, declaration};
use crate::rules::context::Context;
use crate::syntax::{Document, Operand, OperandKind, TokenIdx, TokenKind, among, words_in};

/// Parts of the names of what orders lanes.
const ORDERS: &[&str] = &["sync", "fence", "barrier", "wait"];

/// Loops around a statement that are looked at, and changes of a distance in one.
const MOST_LOOKED_AT: usize = 8;

/// Tokens of the longest statement that is read.
const LONGEST: usize = 64;

/// The first statement of each such loop of a function, which starts with the name of the array.
pub(super) fn warp_rounds(cx: &Context<'_>, function: &Function) -> Vec<Range<TokenIdx>> {
    let flow = cx.control_flow(function);
    if flow.loops.is_empty() {
        return Vec::new();
    }
    let rounds = Rounds::of(cx, function, &flow.loops);
    let mut judged: FxHashSet<TokenIdx> = FxHashSet::default();
    let (mut around, mut next): (Vec<&Loop>, usize) = (Vec::new(), 0);
    let mut found = Vec::new();
    for idx in function.body.clone() {
        while around.last().is_some_and(|looped| looped.end() <= idx) {
            around.pop();
        }
        while let Some(looped) = flow.loops.get(next).filter(|looped| looped.keyword <= idx) {
            around.push(looped);
            next += 1;
        }
        let Some((store, distance)) = rounds.store(idx).filter(|_| !around.is_empty()) else { continue };
        let mut inner = around.iter().rev().take(MOST_LOOKED_AT);
        let Some(looped) = inner.find(|looped| rounds.stays_in_warp(looped, distance)) else { continue };
        if judged.insert(looped.keyword) && !rounds.is_ordered(looped) {
            found.push(store);
        }
    }
    found
}

/// How the distance between lanes changes from round to round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Halved,
    Doubled,
}

/// What is known of the loops of a function.
struct Rounds<'r, 'd> {
    cx: &'r Context<'d>,
    function: &'r Function,
    /// The loops that are in no other.
    outer: Vec<Range<TokenIdx>>,
    /// The places of what may order lanes, once somebody asked.
    orders: OnceCell<Vec<TokenIdx>>,
    /// For the names of arrays whether each thread has its own.
    of_thread: RefCell<FxHashMap<&'d str, bool>>,
    /// For the names of variables whether a loop counts with them.
    counters: RefCell<FxHashMap<&'d str, bool>>,
}

impl<'r, 'd> Rounds<'r, 'd> {
    fn of(cx: &'r Context<'d>, function: &'r Function, loops: &[Loop]) -> Rounds<'r, 'd> {
        let mut outer: Vec<Range<TokenIdx>> = Vec::new();
        for looped in loops {
            if outer.last().is_none_or(|last| last.end <= looped.keyword) {
                outer.push(looped.keyword..looped.end());
            }
        }
        Rounds {
            cx,
            function,
            outer,
            orders: OnceCell::new(),
            of_thread: RefCell::default(),
            counters: RefCell::default(),
        }
    }

    /// The statement `array[index] = …` at a token that reads `array[index + distance]`, and the name of the distance.
    fn store(&self, start: TokenIdx) -> Option<(Range<TokenIdx>, TokenIdx)> {
        let document: &'d Document = self.cx.document;
        let is_name = document.kind(start) == Some(TokenKind::Ident) && document.is(start + 1, b'[');
        let close = document.partner(start + 1).filter(|&close| is_name && close > start)?;
        let assigns = document.is(close + 1, b'=') && !document.is(close + 2, b'=') || document.is(close + 2, b'=');
        if !assigns || !start.checked_sub(1).is_some_and(|before| begins(document, before)) {
            return None;
        }
        let end = (close..close + LONGEST).find(|&idx| document.is(idx, b';'))? + 1;
        let (array, index) = (document.token_text(start), start + 2..close);
        let mut reads = (close + 1..end).filter(|&idx| document.token_text(idx) == array && document.is(idx + 1, b'['));
        let distance = reads.find_map(|read| distance(document, read, &index))?;
        (!self.is_of_thread(array) && !self.is_counted(&index)).then_some((start..end, distance))
    }

    /// Whether an array is declared in the function for each thread alone.
    fn is_of_thread(&self, array: &'d str) -> bool {
        let document = self.cx.document;
        *self.of_thread.borrow_mut().entry(array).or_insert_with(|| {
            let Some(name) = words_in(document, array, self.function.body.clone()).next() else { return false };
            let ends = |idx: &TokenIdx| [b';', b'{', b'}'].iter().any(|&sign| document.is(*idx, sign));
            let start = (self.function.body.start..name).rev().find(ends).map_or(name, |end| end + 1);
            let end = (name..self.function.body.end).find(ends).unwrap_or(name);
            let declared = declaration(document, start..end);
            let is_declared = declared.is_some_and(|found| found.declarators.iter().any(|one| one.name == name));
            let is_array = is_declared && document.is(name + 1, b'[');
            is_array && (start..name).all(|idx| document.token_text(idx) != "__shared__")
        })
    }

    /// Whether an index changes in a loop, and so is no place of a lane.
    fn is_counted(&self, index: &Range<TokenIdx>) -> bool {
        let document: &'d Document = self.cx.document;
        let mut names = index.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Ident));
        names.any(|idx| {
            let name = document.token_text(idx);
            *self.counters.borrow_mut().entry(name).or_insert_with(|| {
                let changes = self.cx.thread_numbers().changes_of(name, self.function);
                changes.iter().any(|change| {
                    let after = self.outer.partition_point(|looped| looped.end <= *change);
                    self.outer.get(after).is_some_and(|looped| looped.contains(change))
                })
            })
        })
    }

    /// Whether a loop halves the distance from that of lanes of a warp on, or doubles it up to that.
    fn stays_in_warp(&self, looped: &Loop, distance: TokenIdx) -> bool {
        let (document, numbers) = (self.cx.document, self.cx.thread_numbers());
        let changes = numbers.changes_of(document.token_text(distance), self.function);
        let within = among(&changes, looped.keyword..looped.end(), |idx| *idx).iter();
        let mut repeated = within.filter(|&&idx| looped.repeats(idx)).take(MOST_LOOKED_AT);
        match repeated.find_map(|&idx| change(document, idx)) {
            Some(Change::Halved) => {
                let assigned = numbers.assigned_values(distance, self.function, 1).pop();
                let first = assigned.or_else(|| numbers.first_value(distance, self.function));
                first.is_some_and(|first| self.is_in_warp(&first))
            }
            Some(Change::Doubled) => {
                let condition = Operand::read(document, looped.condition.clone());
                let OperandKind::Binary(_, sides) = &condition.kind else { return false };
                self.is_in_warp(&sides[1])
            }
            None => false,
        }
    }

    /// Whether an expression is at most the size of a warp.
    fn is_in_warp(&self, bound: &Operand) -> bool {
        let document = self.cx.document;
        if let Some(number) = self.cx.thread_numbers().constant(bound.tokens.clone()) {
            return (1..=WARP).contains(&number);
        }
        let mut words = bound.tokens.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Ident));
        words.any(|idx| document.token_text(idx).eq_ignore_ascii_case("warpSize"))
    }

    /// Whether something in a loop may order the lanes.
    fn is_ordered(&self, looped: &Loop) -> bool {
        let orders = || self.function.body.clone().filter(|&idx| may_order(self.cx.document, idx)).collect();
        let orders: &Vec<TokenIdx> = self.orders.get_or_init(orders);
        !among(orders, looped.keyword..looped.end(), |idx| *idx).is_empty()
    }
}

/// Whether a statement begins behind a token.
fn begins(document: &Document, before: TokenIdx) -> bool {
    [b';', b'{', b'}', b')'].iter().any(|&sign| document.is(before, sign)) || document.token_text(before) == "else"
}

/// Whether a word may order lanes: a barrier, or a call as a statement, of whatever.
fn may_order(document: &Document, idx: TokenIdx) -> bool {
    if document.kind(idx) != Some(TokenKind::Ident) {
        return false;
    }
    let text = document.token_text(idx);
    let is_call = document.is(idx + 1, b'(') && !matches!(text, "if" | "for" | "while" | "switch");
    let is_statement = || idx.checked_sub(1).is_some_and(|before| begins(document, before));
    let lower = text.to_ascii_lowercase();
    lower == "asm" || ORDERS.iter().any(|part| lower.contains(part)) || is_call && is_statement()
}

/// The name at the end of `array[index + name]` or `array[index - name]` at `read`.
fn distance(document: &Document, read: TokenIdx, index: &Range<TokenIdx>) -> Option<TokenIdx> {
    let close = document.partner(read + 1)?;
    let name = close.checked_sub(1).filter(|&name| document.kind(name) == Some(TokenKind::Ident))?;
    let starts = read + 2..name.checked_sub(1)?;
    let is_sum = document.is(name - 1, b'+') || document.is(name - 1, b'-');
    let text = |tokens: Range<TokenIdx>| document.slice(document.range_of(tokens));
    (is_sum && !starts.is_empty() && text(starts) == text(index.clone())).then_some(name)
}

/// How the statement changes a variable that starts with its name: `d /= 2`, `d = d >> 1`.
fn change(document: &Document, name: TokenIdx) -> Option<Change> {
    let again = document.is(name + 1, b'=') && document.token_text(name + 2) == document.token_text(name);
    let operator = if again { name + 3 } else { name + 1 };
    let is_twice = document.token_text(operator) == document.token_text(operator + 1);
    let length = if is_twice { 2 } else { 1 };
    let number = operator + length + usize::from(!again);
    if !again && !document.is(operator + length, b'=') {
        return None;
    }
    match (document.token_text(operator), is_twice, document.token_text(number)) {
        ("/", false, "2") | (">", true, "1") => Some(Change::Halved),
        ("*", false, "2") | ("<", true, "1") => Some(Change::Doubled),
        _ => None,
    }
}
