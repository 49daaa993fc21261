//! Atomic operations on all pairs of edge values, and of many lanes on one place.

use std::collections::{BTreeMap, BTreeSet};

use super::aim::{LOCAL_OFFSET, Space, aim, forms, space};
use super::atomic_references::{Format, Input, Operands, Rule, Rules};
use super::bench::{Bench, LOCAL, State, private};
use super::words::{self, DATA, Form, SECOND};
use super::{Counter, benches, sorted};
use crate::exec::alu::reference_tests::edges;
use crate::isa::{Encoding, Entry};

/// Where LDS is used: far enough from its beginning for all offsets.
const LOCAL_START: usize = LOCAL + LOCAL_OFFSET as usize + 1;

/// What a lane's instruction meets.
fn set(state: &mut State, rule: &Rule, form: Form, (lane, place): (usize, usize), it: Input) {
    let bytes = rule.format.bytes();
    state.set_number(place, bytes, it.old);
    let registers = match rule.operands {
        Operands::One => [(DATA, it.data), (SECOND, !it.data)],
        Operands::Joined => [(DATA, it.data), (DATA + bytes / 4, it.compare)],
        Operands::Apart => [(DATA, it.data), (SECOND, it.compare)],
        Operands::CompareFirst => [(DATA, it.compare), (SECOND, it.data)],
    };
    for (row, value) in registers {
        for word in 0..bytes / 4 {
            state.set(form.row(row) + word, lane, (value >> (32 * word)) as u32);
        }
    }
}

/// Whether an instruction gives what it found.
fn returns(entry: &Entry) -> bool {
    matches!(entry.encoding, Encoding::FlatReturn | Encoding::GlobalReturn) || entry.base.contains("_rtn_")
}

/// Puts what an instruction found into its destination.
fn give(state: &mut State, rule: &Rule, row: usize, lane: usize, old: u64) {
    state.set(row, lane, old as u32);
    if rule.format.bytes() == 8 {
        state.set(row + 1, lane, (old >> 32) as u32);
    }
}

/// Values at which results change, for the parts of a format.
fn values(format: Format) -> Vec<u64> {
    if !format.is_bfloat() {
        return edges(format.part());
    }
    // The upper halves of single precision.
    let upper: BTreeSet<u64> = edges(32).into_iter().map(|bits| bits >> 16).chain([0x3b80, 0x3f81, 0x0080]).collect();
    upper.into_iter().collect()
}

/// All pairs of edge values, in all parts, with a third value that is often equal to the first.
fn inputs(format: Format) -> Vec<Input> {
    let values = values(format);
    let pairs: Vec<[u64; 2]> = values.iter().flat_map(|a| values.iter().map(|b| [*a, *b])).collect();
    let backwards = pairs.iter().rev();
    let joined = pairs.iter().zip(backwards).map(|([a, b], [c, d])| match format.part() {
        16 => [a | c << 16, b | d << 16],
        _ => [*a, *b],
    });
    let compare = |at: usize, old: u64| if at.is_multiple_of(2) { old } else { values[at % values.len()] };
    joined.enumerate().map(|(at, [old, data])| Input { old, data, compare: compare(at, old) }).collect()
}

/// A place for each lane, in a space that the instruction reaches.
fn places(space: Space, lanes: usize, turn: usize) -> Vec<usize> {
    let place = |lane: usize| match (space, turn % 3) {
        (Space::Local, _) | (Space::Flat, 1) => LOCAL_START + 8 * lane,
        (Space::Flat, 2) => private(lane, 48),
        _ => 8 * (lane ^ 5),
    };
    (0..lanes).map(place).collect()
}

fn check_pairs(bench: &mut Bench, entry: &Entry, rule: &Rule, counter: &mut Counter) {
    let space = space(entry.encoding).unwrap();
    let near = |form: &Form| space != Space::Flat || form.offset.unsigned_abs() <= 20;
    let forms: Vec<Form> = forms(space, bench.table.generation).into_iter().filter(near).collect();
    for chunk in inputs(rule.format).chunks(bench.lanes) {
        let turn = counter.next();
        let (form, places) = (forms[turn % forms.len()], places(space, bench.lanes, turn / forms.len()));
        let inst = words::inst(bench.table, entry, form);
        let mut state = State::new(bench.lanes, turn as u64);
        aim(&mut state, bench, space, form, &places);
        for (lane, it) in chunk.iter().enumerate() {
            set(&mut state, rule, form, (lane, places[lane]), *it);
        }
        // Lanes without a value are off, and now and then others.
        let given = u64::MAX >> (64 - chunk.len());
        for exec in [given, given & counter.exec()].into_iter().take(if turn.is_multiple_of(4) { 2 } else { 1 }) {
            state.set_exec(exec);
            let found = bench.run(&inst, &state);
            let mut expected = state.clone();
            for lane in state.active() {
                let (it, place, bytes) = (chunk[lane], places[lane], rule.format.bytes());
                let (new, value) = ((rule.function)(it), found.number(place, bytes));
                let is_right = rule.format.agrees(value, new);
                assert!(is_right, "{} {it:x?}: {value:#x}, not {new:#x}", bench.text(&inst));
                expected.set_number(place, bytes, value);
                if returns(entry) {
                    give(&mut expected, rule, form.result(), lane, it.old);
                }
            }
            found.expect(&expected, || bench.text(&inst));
        }
    }
}

/// Those of buffers only name their addresses in another way: `buffer_tests`.
fn is_atomic(rules: &Rules, entry: &Entry) -> bool {
    rules.of(entry.base).is_some() && space(entry.encoding).is_some_and(|space| space != Space::Buffer)
}

#[test]
fn atomics_compute_what_references_say() {
    let (rules, mut counter, mut checked) = (Rules::new(), Counter::default(), BTreeSet::new());
    for mut bench in benches() {
        for entry in sorted(&bench, |entry| is_atomic(&rules, entry)) {
            check_pairs(&mut bench, entry, rules.of(entry.base).unwrap(), &mut counter);
            checked.insert((entry.base, returns(entry)));
        }
    }
    assert_eq!(checked.len(), 360, "{checked:?}");
}

/// Whether lanes that found some values can have come one after another, and left what was found at last. Each lane leads
/// from a value to the next: that is a way through all of them if it leaves each value as often as it comes to it, but for
/// the first and the last one, and if none lies apart.
fn is_sequence(rule: &Rule, first: u64, lanes: &[(u64, Input)], last: u64) -> bool {
    let next = |(found, it): &(u64, Input)| (rule.function)(Input { old: *found, ..*it });
    let mut balance = BTreeMap::from([(first, -1)]);
    *balance.entry(last).or_default() += 1;
    for lane in lanes {
        *balance.entry(lane.0).or_default() += 1;
        *balance.entry(next(lane)).or_default() -= 1;
    }
    let mut reached = BTreeSet::from([first]);
    for _ in lanes {
        reached.extend(lanes.iter().filter(|lane| reached.contains(&lane.0)).map(next).collect::<Vec<_>>());
    }
    balance.values().all(|balance| *balance == 0) && lanes.iter().all(|lane| reached.contains(&lane.0))
}

/// All lanes at one place: each finds what another has left.
fn check_shared(bench: &mut Bench, entry: &Entry, rule: &Rule, (first, data): (u64, fn(u64) -> u64)) {
    let space = space(entry.encoding).unwrap();
    let form = Form::new(8);
    for (place, exec) in [(64, u64::MAX), (LOCAL_START + 64, 0x5a5a_0001_00ff_ff13)] {
        if (space == Space::Global && place >= LOCAL) || (space == Space::Local && place < LOCAL) {
            continue;
        }
        let inst = words::inst(bench.table, entry, form);
        let mut state = State::new(bench.lanes, first);
        aim(&mut state, bench, space, form, &vec![place; bench.lanes]);
        let input = |lane| Input { old: first, data: data(lane as u64), compare: 90 + lane as u64 };
        (0..bench.lanes).for_each(|lane| set(&mut state, rule, form, (lane, place), input(lane)));
        state.set_exec(exec);
        let found = bench.run(&inst, &state);
        let last = found.number(place, rule.format.bytes());
        let result = |lane| {
            let high =
                if rule.format.bytes() == 8 { u64::from(found.register(form.result() + 1, lane)) << 32 } else { 0 };
            high | u64::from(found.register(form.result(), lane))
        };
        if returns(entry) {
            let lanes: Vec<_> = state.active().into_iter().map(|lane| (result(lane), input(lane))).collect();
            assert!(is_sequence(rule, first, &lanes, last), "{} {last:#x}", bench.text(&inst));
        } else if rule.operands == Operands::One && !entry.base.contains("swap") {
            // The order does not matter.
            let apply = |old, lane| (rule.function)(Input { old, ..input(lane) });
            assert_eq!(last, state.active().into_iter().fold(first, apply), "{}", bench.text(&inst));
        }
    }
}

#[test]
fn lanes_at_one_place_come_one_after_another() {
    let (rules, mut checked) = (Rules::new(), BTreeSet::new());
    for mut bench in benches() {
        for entry in sorted(&bench, |entry| is_atomic(&rules, entry)) {
            let rule = rules.of(entry.base).unwrap();
            let count: fn(u64) -> u64 = |_| 5;
            for data in [(90, (|lane| 91 + lane) as fn(u64) -> u64), (0, count), (90_000, count)] {
                check_shared(&mut bench, entry, rule, data);
            }
            checked.insert((entry.base, returns(entry)));
        }
    }
    assert_eq!(checked.len(), 360, "{checked:?}");
}
