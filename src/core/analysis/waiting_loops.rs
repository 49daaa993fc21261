//! Loops of device code in which a thread waits for another one: for a lock, for its turn, or for a value in memory.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::attempt::{Attempt, assigned};
use super::control_flow::{ControlFlow, If, Loop};
use super::functions::Function;
use super::outcome::Outcome;
use super::polling_loops::Poller;
use super::thread_numbers::ThreadNumbers;
use super::unchanged::{is_written, may_change};
use super::waits_for::{WaitingLoop, WaitsFor};
use crate::syntax::{Document, Operand, TokenIdx, TokenKind};

/// The loops of a function in which a thread waits, in the order of the text.
pub fn waiting_loops<'d>(
    document: &'d Document,
    numbers: &ThreadNumbers<'d>,
    (function, flow): (&Function, &ControlFlow),
) -> Vec<WaitingLoop> {
    let ifs = &flow.ifs;
    let mut all: Vec<Loop> = ifs.iter().filter_map(|found| loop_by_goto(document, found)).collect();
    all.extend(flow.loops.iter().cloned());
    all.sort_by_key(|looped| looped.keyword);
    if all.is_empty() {
        return Vec::new();
    }
    let finder = Finder { document, numbers, function, by_names: ifs_by_names(document, ifs), ifs };
    let poller = Poller::of(document, numbers, function, flow);
    let mut waits: Vec<Option<WaitsFor>> = all.iter().map(|looped| poller.polls(looped)).collect();
    let mut open: Vec<usize> = Vec::new();
    let mut next = 0;
    for idx in function.body.clone() {
        // A loop may start where the one before ends.
        while open.last().and_then(|&at| all.get(at)).is_some_and(|looped| looped.end() <= idx) {
            open.pop();
        }
        while all.get(next).is_some_and(|looped| looped.keyword <= idx) {
            open.push(next);
            next += 1;
        }
        let Some(&at) = open.iter().rev().find(|&&at| all[at].repeats(idx)) else { continue };
        if let Some(attempt) = Attempt::at(document, numbers, function, idx)
            && let Some(found) = finder.waits_for(&attempt, &all[at])
        {
            waits[at] = Some(found);
        }
    }
    let found = all.iter().zip(waits);
    found.filter_map(|(looped, waits)| Some(WaitingLoop { looped: looped.clone(), waits_for: waits? })).collect()
}

/// The loop that `again: if (taken) goto again;` is.
fn loop_by_goto(document: &Document, found: &If) -> Option<Loop> {
    let word = found.then.clone().find(|&idx| !document.is(idx, b'{'))?;
    let label = found.keyword.checked_sub(2)?;
    let goes_back = document.token_text(word) == "goto"
        && document.is(label + 1, b':')
        && document.token_text(label) == document.token_text(word + 1);
    let end = found.then.end;
    let looped = || Loop { keyword: found.keyword, condition: found.condition.clone(), step: end..end, body: end..end };
    goes_back.then(looped)
}

/// The places of the `if`s whose conditions hold a name.
fn ifs_by_names<'d>(document: &'d Document, ifs: &[If]) -> FxHashMap<&'d str, Vec<usize>> {
    let mut by_names: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (place, found) in ifs.iter().enumerate() {
        for name in found.condition.clone().filter(|&name| document.kind(name) == Some(TokenKind::Ident)) {
            by_names.entry(document.token_text(name)).or_default().push(place);
        }
    }
    by_names
}

struct Finder<'a, 'd> {
    document: &'d Document,
    numbers: &'a ThreadNumbers<'d>,
    function: &'a Function,
    ifs: &'a [If],
    by_names: FxHashMap<&'d str, Vec<usize>>,
}

impl<'a, 'd> Finder<'a, 'd> {
    /// What a loop waits for that tries to take a lock.
    fn waits_for(&self, attempt: &Attempt, looped: &Loop) -> Option<WaitsFor> {
        let outcome = |result| Outcome {
            document: self.document,
            numbers: self.numbers,
            function: self.function,
            call: attempt.call,
            result,
            variable: None,
        };
        let (mut free, mut taken) = (outcome(attempt.free), outcome(attempt.taken));
        let assigned = assigned(self.document, self.function, attempt.call);
        if let Some((variable, value)) = &assigned {
            free.variable = free.value(value).map(|known| (*variable, known));
            taken.variable = taken.value(value).map(|known| (*variable, known));
        }
        if self.is_changed_in(attempt.address.clone(), looped, &taken) {
            return None;
        }
        if let Some(branches) = self.branches(attempt, looped, &free, &taken) {
            let asks_for_result = assigned.is_some_and(|(name, _)| self.names(looped, name));
            return self.waits_in_branch(looped, attempt, branches, asks_for_result);
        }
        let condition = Operand::read(self.document, looped.condition.clone());
        let ends = free.value(&condition) == Some(0);
        let goes_on = taken.value(&condition).is_some_and(|value| value != 0);
        (ends && goes_on).then_some(WaitsFor::Lock)
    }

    /// What a loop waits for that goes other ways with and without the lock.
    fn waits_in_branch(
        &self,
        looped: &Loop,
        attempt: &Attempt,
        (gets, lacks): (Range<TokenIdx>, Range<TokenIdx>),
        asks_for_result: bool,
    ) -> Option<WaitsFor> {
        let leaves = |part: &Range<TokenIdx>| part.clone().any(|idx| leaves(self.document, idx));
        let ends = |part: &Range<TokenIdx>| part.clone().any(|idx| self.is_assigned_in_condition(idx, looped));
        if leaves(&lacks) || ends(&lacks) {
            return None;
        }
        if leaves(&gets) {
            let works = self.works(gets, attempt);
            return Some(if works { WaitsFor::Work { leaves: true } } else { WaitsFor::Lock });
        }
        if !ends(&gets) && !asks_for_result {
            return None;
        }
        Some(if self.works(gets, attempt) { WaitsFor::Work { leaves: false } } else { WaitsFor::Lock })
    }

    /// Whether the condition of a loop names a variable.
    fn names(&self, looped: &Loop, name: &str) -> bool {
        looped.condition.clone().any(|idx| self.document.token_text(idx) == name)
    }

    /// Whether the token assigns to a variable that the condition of a loop asks for.
    fn is_assigned_in_condition(&self, idx: TokenIdx, looped: &Loop) -> bool {
        self.document.kind(idx) == Some(TokenKind::Ident)
            && self.names(looped, self.document.token_text(idx))
            && may_change(self.document, idx, false)
    }

    /// Whether something is released among some tokens: by an atomic operation or a function of the file, or by writing to it.
    fn works(&self, mut tokens: Range<TokenIdx>, attempt: &Attempt) -> bool {
        let document = self.document;
        let address = document.slice(document.range_of(attempt.address.clone()));
        let target = address.strip_prefix('&').unwrap_or(address);
        tokens.any(|idx| {
            let word = document.token_text(idx);
            let is_call = document.is(idx + 1, b'(') && document.kind(idx) == Some(TokenKind::Ident);
            let is_own = is_call && self.numbers.is_function(word);
            let is_target = word == target && may_change(document, idx, false);
            idx != attempt.call && (is_own || is_target || word.starts_with("atomic"))
        })
    }

    /// What is done with the lock and without it, by the first `if` of the loop that asks for it.
    fn branches(
        &self,
        attempt: &Attempt,
        looped: &Loop,
        free: &Outcome<'a, 'd>,
        taken: &Outcome<'a, 'd>,
    ) -> Option<(Range<TokenIdx>, Range<TokenIdx>)> {
        let document = self.document;
        let around = self.if_around(attempt.call).filter(|found| looped.body.contains(&found.keyword));
        let found = around.or_else(|| {
            let places = self.by_names.get(free.variable?.0)?;
            let is_before = |&place: &usize| self.ifs.get(place).is_some_and(|found| found.keyword < attempt.call);
            self.ifs.get(*places.get(places.partition_point(is_before))?)
        })?;
        if !looped.body.contains(&found.keyword) {
            return None;
        }
        let condition = Operand::read(document, found.condition.clone());
        let (gets, lacks) = (free.value(&condition)? != 0, taken.value(&condition)? != 0);
        let then = found.then.clone();
        let goes_on = |idx: TokenIdx| document.token_text(idx) == "continue";
        let is_rest = found.other.is_empty() && then.clone().any(goes_on);
        let other = if is_rest { then.end..looped.body.end } else { found.other.clone() };
        match (gets, lacks) {
            (true, false) => Some((then, other)),
            (false, true) => Some((other, then)),
            _ => None,
        }
    }

    /// The `if` whose condition holds a token.
    fn if_around(&self, idx: TokenIdx) -> Option<&If> {
        let places = self.by_names.get(self.document.token_text(idx))?;
        let before = places.partition_point(|&place| self.ifs.get(place).is_some_and(|found| found.keyword < idx));
        let found = self.ifs.get(*places.get(before.checked_sub(1)?)?)?;
        found.condition.contains(&idx).then_some(found)
    }

    /// Whether a name among some tokens may be changed in a round of a loop that ends as `taken` says.
    fn is_changed_in(&self, mut tokens: Range<TokenIdx>, looped: &Loop, taken: &Outcome<'a, 'd>) -> bool {
        let document = self.document;
        let rounds = looped.condition.clone().chain(looped.step.clone()).chain(looped.body.clone());
        tokens.any(|name| {
            let text = document.token_text(name);
            // What it points to is not the place itself.
            let is_pointee =
                |idx: TokenIdx| document.before(idx).is_some_and(|before| is_dereference(document, before));
            let is_same = |idx: TokenIdx| document.token_text(idx) == text && !is_pointee(idx);
            let is_changed = |idx: TokenIdx| is_same(idx) && is_written(document, idx) && !self.is_skipped(idx, taken);
            document.kind(name) == Some(TokenKind::Ident) && rounds.clone().any(is_changed)
        })
    }

    /// Whether an `if` that asks for the result leads past a token: `if (state == READY) slot = slot + 1;`
    fn is_skipped(&self, idx: TokenIdx, taken: &Outcome<'a, 'd>) -> bool {
        let asking = taken.variable.and_then(|(name, _)| self.by_names.get(name)).into_iter().flatten();
        asking.filter_map(|&place| self.ifs.get(place)).any(|found| {
            let value = || taken.value(&Operand::read(self.document, found.condition.clone()));
            found.then.contains(&idx) && value() == Some(0)
                || found.other.contains(&idx) && value().is_some_and(|value| value != 0)
        })
    }
}

/// Whether a `*` stands before a statement's first name, and not behind a type.
fn is_dereference(document: &Document, idx: TokenIdx) -> bool {
    let is_type = |before: TokenIdx| document.kind(before) == Some(TokenKind::Ident);
    document.is(idx, b'*') && !document.before(idx).is_some_and(is_type)
}

/// Whether a loop may be left at a token.
fn leaves(document: &Document, idx: TokenIdx) -> bool {
    matches!(document.token_text(idx), "break" | "return" | "goto")
}
