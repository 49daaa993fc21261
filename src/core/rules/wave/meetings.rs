//! Calls on two ways of a function that lanes of one warp go one after the other, for the same lanes.

use std::collections::BinaryHeap;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::choices::choices;
use super::lane_branches::{Parting, of_ands, of_ifs, of_switch};
use super::own_meetings::{Lanes, MeetingCall};
use crate::analysis::{ControlFlow, declaration};
use crate::syntax::{Call, Document, TokenIdx, TokenKind, among};

/// Two calls that come together in CUDA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meeting {
    pub(super) first: TokenIdx,
    /// The number of the second call.
    pub(super) second: usize,
}

/// A parting of which the condition is known.
struct Parted {
    condition: Range<TokenIdx>,
    one: Range<TokenIdx>,
    other: Range<TokenIdx>,
    /// One meeting is enough.
    has_met: bool,
}

/// The calls of a function, which are in the order of the text.
pub(super) struct Meetings<'c, 'd> {
    document: &'d Document,
    calls: &'c [MeetingCall<'d>],
    /// For each call a number that those for the same lanes have as well.
    kinds: Vec<usize>,
    /// The barriers of each kind.
    barriers: FxHashMap<usize, Vec<usize>>,
}

impl<'c, 'd> Meetings<'c, 'd> {
    pub(super) fn of(document: &'d Document, calls: &'c [MeetingCall<'d>]) -> Meetings<'c, 'd> {
        let mut numbers: FxHashMap<(&str, &Lanes<'_>), usize> = FxHashMap::default();
        let (mut kinds, mut barriers): (Vec<usize>, FxHashMap<usize, Vec<usize>>) = (Vec::new(), FxHashMap::default());
        for (number, call) in calls.iter().enumerate() {
            let next = numbers.len();
            let kind = *numbers.entry((call.function, &call.lanes)).or_insert(next);
            kinds.push(kind);
            if is_barrier(call) {
                barriers.entry(kind).or_default().push(number);
            }
        }
        Meetings { document, calls, kinds, barriers }
    }

    /// The meetings on the ways of a body. `parts` says whether a condition parts lanes, `is_own` whether the mask of a call says which
    /// lanes a condition lets through.
    pub(super) fn find(
        &self,
        (body, flow): (&Range<TokenIdx>, &ControlFlow),
        parts: &dyn Fn(&Range<TokenIdx>) -> bool,
        is_own: &dyn Fn(&MeetingCall<'d>, &Range<TokenIdx>) -> bool,
    ) -> Vec<Meeting> {
        let resolve = |parting: Parting| {
            let holds = |tokens: &Range<TokenIdx>| !self.within(tokens.clone()).is_empty();
            if !holds(&parting.one) || !holds(&parting.other) {
                return None;
            }
            let (condition, start) = parting.conditions.into_iter().find(|(condition, _)| parts(condition))?;
            Some(Parted { condition, one: start..parting.one.end, other: parting.other, has_met: false })
        };
        let mut parted: Vec<Parted> = partings(self.document, body, flow).into_iter().filter_map(resolve).collect();
        parted.sort_by_key(|parted| (parted.other.end, parted.other.start));
        let mut found = self.at_barriers(body, &mut parted, is_own);
        for group in parted.chunk_by_mut(|one, other| one.other.end == other.other.end) {
            self.sweep(group, is_own, &mut found);
        }
        found.sort_by_key(|meeting| meeting.second);
        found.dedup_by_key(|meeting| meeting.second);
        found
    }

    /// The numbers of the calls among tokens.
    fn within(&self, tokens: Range<TokenIdx>) -> Range<usize> {
        let before = |idx: TokenIdx| self.calls.partition_point(|call| call.name < idx);
        before(tokens.start)..before(tokens.end.max(tokens.start))
    }

    /// Goes through what lies behind the first ways of partings, all of which end at the same place.
    fn sweep(
        &self,
        group: &mut [Parted],
        is_own: &dyn Fn(&MeetingCall<'d>, &Range<TokenIdx>) -> bool,
        found: &mut Vec<Meeting>,
    ) {
        // For each kind of calls those on first ways that nobody has met. The one behind the last condition is on top: a mask that says
        // which lanes that one lets through says so of the others as well.
        let mut passed: FxHashMap<usize, BinaryHeap<(TokenIdx, usize, TokenIdx)>> = FxHashMap::default();
        let mut next = 0;
        for second in self.within(group[0].other.start..group[0].other.end) {
            while next < group.len() && group[next].other.start <= self.calls[second].name {
                for first in self.within(group[next].one.clone()) {
                    let top = (group[next].condition.end, next, self.calls[first].name);
                    passed.entry(self.kinds[first]).or_default().push(top);
                }
                next += 1;
            }
            let call = &self.calls[second];
            let Some(passed) = passed.get_mut(&self.kinds[second]).filter(|_| !is_barrier(call)) else { continue };
            while passed.peek().is_some_and(|(_, number, _)| group[*number].has_met) {
                passed.pop();
            }
            let Some(&(_, number, first)) = passed.peek() else { continue };
            if !is_own(call, &group[number].condition) {
                group[number].has_met = true;
                found.push(Meeting { first, second });
            }
        }
    }

    /// Barriers through which an array is handed from one way to the other.
    fn at_barriers(
        &self,
        body: &Range<TokenIdx>,
        parted: &mut [Parted],
        is_own: &dyn Fn(&MeetingCall<'d>, &Range<TokenIdx>) -> bool,
    ) -> Vec<Meeting> {
        if self.barriers.is_empty() {
            return Vec::new();
        }
        let elements = Elements::of(self.document, body, self.calls);
        let mut found = Vec::new();
        for parted in parted {
            let met = self.handed_over(parted, &elements);
            if let Some(met) = met.filter(|met| !is_own(&self.calls[met.second], &parted.condition)) {
                parted.has_met = true;
                found.push(met);
            }
        }
        found
    }

    fn handed_over(&self, parted: &Parted, elements: &Elements<'_>) -> Option<Meeting> {
        let kinds = self.within(parted.one.clone()).filter(|&call| is_barrier(&self.calls[call]));
        let kinds: FxHashSet<usize> = kinds.map(|call| self.kinds[call]).collect();
        let met = kinds.into_iter().filter_map(|kind| {
            let all = self.barriers.get(&kind)?;
            let place = |call: &usize| self.calls[*call].name;
            let (one, other) = (among(all, parted.one.clone(), place), among(all, parted.other.clone(), place));
            let (first, last) = (place(one.first()?), place(one.last()?));
            let second = *other.first()?;
            // Written in front of the barrier on one way, used behind it on the other.
            let (behind, before) = (place(&second) + 1..parted.other.end, parted.one.start..last);
            if elements.of_range(before).any(|element| element.is_written && elements.is_used(element.name, &behind)) {
                return Some(Meeting { first: last, second });
            }
            let used = elements.of_range(first..parted.one.end);
            let written = used.filter_map(|element| elements.first_written(element.name, &parted.other)).min()?;
            let second = other.iter().find(|call| place(call) > written)?;
            Some(Meeting { first, second: *second })
        });
        met.min_by_key(|met| met.second)
    }
}

/// All partings of a function with this body.
pub(super) fn partings(document: &Document, body: &Range<TokenIdx>, flow: &ControlFlow) -> Vec<Parting> {
    let mut found = of_ifs(document, body, flow);
    found.extend(choices(document, body));
    found.extend(of_ands(document, body));
    for keyword in body.clone().filter(|&idx| document.token_text(idx) == "switch") {
        found.extend(of_switch(document, keyword));
    }
    found
}

fn is_barrier(call: &MeetingCall<'_>) -> bool {
    matches!(call.function, "__syncwarp" | "sync")
}

/// `name[index]`, or a variable of the block.
struct Element<'d> {
    place: TokenIdx,
    name: &'d str,
    is_written: bool,
}

/// Whether an element from its name to its bracket gets a value: `a[i] = x`, `a[i] += x`, `++a[i]`, `atomicAdd(&a[i], x)`.
fn is_written(document: &Document, place: TokenIdx, close: TokenIdx) -> bool {
    let is_one_of = |idx: TokenIdx, signs: &[u8]| signs.iter().any(|&sign| document.is(idx, sign));
    let pair = |idx: TokenIdx| [b'+', b'-'].iter().any(|&sign| document.is(idx, sign) && document.is(idx + 1, sign));
    let shifts = || [b'<', b'>'].iter().any(|&sign| document.is(close + 1, sign) && document.is(close + 2, sign));
    let is_atomic = || {
        let call = place.checked_sub(3).filter(|&call| document.is(call + 1, b'(') && document.is(call + 2, b'&'));
        call.is_some_and(|call| document.token_text(call).starts_with("atomic"))
    };
    document.is(close + 1, b'=') && !document.is(close + 2, b'=')
        || is_one_of(close + 1, b"+-*/%&|^") && document.is(close + 2, b'=')
        || shifts() && document.is(close + 3, b'=')
        || pair(close + 1)
        || place.checked_sub(2).is_some_and(pair)
        || is_atomic()
}

/// The variables that a function declares for all threads of a block, arrays aside.
fn shared_variables<'d>(document: &'d Document, body: &Range<TokenIdx>) -> FxHashSet<&'d str> {
    let mut names = FxHashSet::default();
    for place in body.clone().filter(|&idx| document.token_text(idx) == "__shared__") {
        let end = (place..body.end).find(|&idx| document.is(idx, b';')).unwrap_or(body.end);
        let declared = declaration(document, place..end).into_iter().flat_map(|found| found.declarators);
        let single = declared.filter(|declarator| !document.is(declarator.name + 1, b'['));
        names.extend(single.map(|declarator| document.token_text(declarator.name)));
    }
    names
}

/// What functions of the project with a barrier are handed, as if the calls wrote it: `put(values, x)`.
fn handed_to_barriers<'d>(document: &'d Document, calls: &[MeetingCall<'d>]) -> Vec<Element<'d>> {
    let is_of_project = |call: &&MeetingCall<'d>| is_barrier(call) && document.token_text(call.name) != call.function;
    let handed = calls.iter().filter(is_of_project).flat_map(|call| {
        let arguments = Call::at(document, call.name).map_or(Vec::new(), |found| found.arguments);
        let names =
            arguments.into_iter().map(|argument| document.tokens_in(argument)).filter(|tokens| tokens.len() == 1);
        let names = names.map(|tokens| document.token_text(tokens.start));
        names.map(|name| Element { place: call.name, name, is_written: true })
    });
    handed.collect()
}

/// The elements of arrays that a function names, and its variables of the block.
struct Elements<'d> {
    all: Vec<Element<'d>>,
    /// For each array where it is used, and where it is written.
    places: FxHashMap<&'d str, [Vec<TokenIdx>; 2]>,
}

impl<'d> Elements<'d> {
    fn of(document: &'d Document, body: &Range<TokenIdx>, calls: &[MeetingCall<'d>]) -> Elements<'d> {
        let shared = shared_variables(document, body);
        let mut all = Vec::new();
        for place in body.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Ident)) {
            let close = document.partner(place + 1).filter(|&close| document.is(place + 1, b'[') && close > place);
            let alone = || shared.contains(document.token_text(place)).then_some(place);
            let Some(close) = close.or_else(alone) else { continue };
            let is_written = is_written(document, place, close);
            all.push(Element { place, name: document.token_text(place), is_written });
        }
        let arrays: FxHashSet<&str> = all.iter().map(|element: &Element<'_>| element.name).collect();
        all.extend(handed_to_barriers(document, calls).into_iter().filter(|element| arrays.contains(element.name)));
        all.sort_by_key(|element| element.place);
        let mut places: FxHashMap<&'d str, [Vec<TokenIdx>; 2]> = FxHashMap::default();
        for element in &all {
            let [used, written] = places.entry(element.name).or_default();
            used.push(element.place);
            written.extend(element.is_written.then_some(element.place));
        }
        Elements { all, places }
    }

    fn of_range(&self, tokens: Range<TokenIdx>) -> impl Iterator<Item = &Element<'d>> {
        among(&self.all, tokens, |element| element.place).iter()
    }

    fn is_used(&self, name: &str, tokens: &Range<TokenIdx>) -> bool {
        self.places.get(name).is_some_and(|[used, _]| !among(used, tokens.clone(), |place| *place).is_empty())
    }

    fn first_written(&self, name: &str, tokens: &Range<TokenIdx>) -> Option<TokenIdx> {
        self.places.get(name).and_then(|[_, written]| among(written, tokens.clone(), |place| *place).first().copied())
    }
}
