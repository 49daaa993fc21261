//! Loops in which the lanes of a warp hand values on in each round with nothing that orders them:
//! `for (int d = 16; d > 0; d /= 2) s[tid] += s[tid + d];`.

use std::ops::Range;

use super::divergent_collective::WARP;
use crate::analysis::{ControlFlow, Function, Loop, declaration};
use crate::rules::context::Context;
use crate::syntax::{Document, Operand, OperandKind, TokenIdx, TokenKind, words_in};

/// Parts of the names of what orders lanes.
const ORDERS: &[&str] = &["sync", "fence", "barrier", "wait"];

/// The first statement of each such loop of a function, which starts with the name of the array.
pub(super) fn warp_rounds(cx: &Context<'_>, function: &Function) -> Vec<Range<TokenIdx>> {
    let flow = cx.control_flow(function);
    let mut found: Vec<Range<TokenIdx>> = Vec::new();
    for looped in &flow.loops {
        let rounds = Rounds { cx, function, flow: &flow, looped };
        let is_new = |store: &Range<TokenIdx>| !found.contains(store);
        if let Some(store) = rounds.first_store().filter(is_new) {
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

struct Rounds<'r, 'd> {
    cx: &'r Context<'d>,
    function: &'r Function,
    flow: &'r ControlFlow,
    looped: &'r Loop,
}

impl Rounds<'_, '_> {
    /// The first statement that hands on values over a distance that this loop halves or doubles, within a warp.
    fn first_store(&self) -> Option<Range<TokenIdx>> {
        let Loop { keyword, body, .. } = self.looped;
        let stores = body.clone().filter_map(|idx| self.store(idx));
        let mut stores = stores.filter(|(_, distance)| self.stays_in_warp(*distance));
        let (store, _) = stores.next()?;
        (!self.is_ordered(*keyword..self.looped.end())).then_some(store)
    }

    /// The statement `array[index] = …` at a token that reads `array[index + distance]`, and the name of the distance.
    fn store(&self, start: TokenIdx) -> Option<(Range<TokenIdx>, TokenIdx)> {
        let document = self.cx.document;
        let is_name = document.kind(start) == Some(TokenKind::Ident) && document.is(start + 1, b'[');
        let close = document.partner(start + 1).filter(|&close| is_name && close > start)?;
        let begins = |before: TokenIdx| {
            [b';', b'{', b'}', b')'].iter().any(|&sign| document.is(before, sign))
                || document.token_text(before) == "else"
        };
        let assigns = document.is(close + 1, b'=') && !document.is(close + 2, b'=') || document.is(close + 2, b'=');
        let end = (close..self.looped.body.end).find(|&idx| document.is(idx, b';'))? + 1;
        let array = document.token_text(start);
        if !assigns || !start.checked_sub(1).is_some_and(begins) || self.is_of_thread(array, start) {
            return None;
        }
        let index = start + 2..close;
        let mut reads = (close + 1..end).filter(|&idx| document.token_text(idx) == array && document.is(idx + 1, b'['));
        let distance = reads.find_map(|read| distance(document, read, &index))?;
        (!self.is_counter(&index)).then_some((start..end, distance))
    }

    /// Whether an array is declared in the function for each thread alone.
    fn is_of_thread(&self, array: &str, before: TokenIdx) -> bool {
        let document = self.cx.document;
        let Some(name) = words_in(document, array, self.function.body.start..before).next() else { return false };
        let ends = |idx: &TokenIdx| [b';', b'{', b'}'].iter().any(|&sign| document.is(*idx, sign));
        let start = (self.function.body.start..name).rev().find(ends).map_or(name, |end| end + 1);
        let end = (name..self.function.body.end).find(ends).unwrap_or(name);
        let declared = declaration(document, start..end);
        let is_declared = declared.is_some_and(|found| found.declarators.iter().any(|one| one.name == name));
        is_declared && document.is(name + 1, b'[') && (start..name).all(|idx| document.token_text(idx) != "__shared__")
    }

    /// Whether an index is counted up or down by a loop, and so is no place of a lane.
    fn is_counter(&self, index: &Range<TokenIdx>) -> bool {
        let document = self.cx.document;
        let mut names = index.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Ident));
        names.any(|idx| {
            let changes = self.cx.thread_numbers().changes_of(document.token_text(idx), self.function);
            changes.iter().any(|&change| self.flow.loops.iter().any(|looped| looped.repeats(change)))
        })
    }

    /// Whether the loop halves the distance from that of lanes of a warp on, or doubles it up to that.
    fn stays_in_warp(&self, distance: TokenIdx) -> bool {
        let (document, numbers) = (self.cx.document, self.cx.thread_numbers());
        let name = document.token_text(distance);
        let places = self.looped.step.clone().chain(self.looped.body.clone());
        let mut changes = places.filter(|&idx| document.token_text(idx) == name);
        match changes.find_map(|idx| change(document, idx)) {
            Some(Change::Halved) => {
                let assigned = numbers.assigned_values(distance, self.function, 1).pop();
                let first = assigned.or_else(|| numbers.first_value(distance, self.function));
                first.is_some_and(|first| self.is_in_warp(&first))
            }
            Some(Change::Doubled) => {
                let condition = Operand::read(document, self.looped.condition.clone());
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

    /// Whether something in the loop may order the lanes: a barrier, or a call as a statement, of whatever.
    fn is_ordered(&self, tokens: Range<TokenIdx>) -> bool {
        let document = self.cx.document;
        let begins = |before: TokenIdx| [b';', b'{', b'}', b')'].iter().any(|&sign| document.is(before, sign));
        tokens.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Ident)).any(|idx| {
            let text = document.token_text(idx);
            let is_call = document.is(idx + 1, b'(') && !matches!(text, "if" | "for" | "while" | "switch");
            let is_statement = idx > tokens.start && begins(idx - 1);
            text == "asm"
                || ORDERS.iter().any(|part| text.to_ascii_lowercase().contains(part))
                || is_call && is_statement
        })
    }
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
