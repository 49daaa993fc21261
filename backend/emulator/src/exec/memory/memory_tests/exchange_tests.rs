//! Exchange between lanes through LDS, which no memory has a part in.

use std::collections::BTreeSet;

use super::bench::{Bench, State};
use super::words::{self, ADDRESS, DATA, Form};
use super::{Counter, benches, sorted};
use crate::exec::code::action::Action;
use crate::isa::{Entry, Inst};

/// The instructions that the tests of this file check.
pub(super) const NAMES: [&str; 3] = ["ds_bpermute_b32", "ds_permute_b32", "ds_swizzle_b32"];

fn entry(bench: &Bench, name: &str) -> &'static Entry {
    let found = sorted(bench, |entry| entry.base == name);
    assert_eq!(found.len(), 1, "{name}");
    found[0]
}

/// Bits below the lane's number and above it, which do not count.
const IGNORED: [u32; 4] = [0, 3, 0x1_0000, 0xffff_ff00];

/// The lane that a lane's address names: it counts in words and wraps.
fn named(state: &State, form: Form, lane: usize) -> usize {
    let bytes = u64::from(state.register(ADDRESS, lane)) + u64::from(form.offset.cast_unsigned());
    (bytes / 4) as usize % state.lanes()
}

/// Runs an exchange with lanes that name others in many ways. The reference has what was before and what was found.
fn check(name: &str, reference: impl Fn(&State, &State, Form) -> State) {
    let mut counter = Counter::default();
    for mut bench in benches() {
        let entry = entry(&bench, name);
        for form in [Form::new(0), Form { overlaps: true, ..Form::new(4 * 7) }] {
            let inst = words::inst(bench.table, entry, form);
            for factor in [0, 1, 4, 5, 11, 31] {
                let mut state = State::new(bench.lanes, counter.next() as u64);
                let address = |lane: usize| (4 * (lane * factor + 3)) as u32 ^ IGNORED[lane / 3 % 4];
                (0..bench.lanes).for_each(|lane| state.set(ADDRESS, lane, address(lane)));
                for exec in [u64::MAX, counter.exec()] {
                    state.set_exec(exec);
                    let found = bench.run(&inst, &state);
                    found.expect(&reference(&state, &found, form), || bench.text(&inst));
                }
            }
        }
    }
}

#[test]
fn lanes_read_what_the_lanes_hold_that_they_name() {
    check("ds_bpermute_b32", |state, _, form| {
        let mut expected = state.clone();
        for lane in state.active() {
            let from = named(state, form, lane);
            expected.set(form.result(), lane, if state.is_active(from) { state.register(DATA, from) } else { 0 });
        }
        expected
    });
}

#[test]
fn lanes_send_what_they_hold_to_the_lanes_that_they_name() {
    check("ds_permute_b32", |state, found, form| {
        let mut expected = state.clone();
        for lane in state.active() {
            // Of several senders any may win.
            let senders = state.active().into_iter().filter(|from| named(state, form, *from) == lane);
            let sent: Vec<u32> = senders.map(|from| state.register(DATA, from)).collect();
            let value = found.register(form.result(), lane);
            let is_sent = sent.contains(&value);
            expected.set(form.result(), lane, if is_sent { value } else { sent.first().copied().unwrap_or(0) });
        }
        expected
    });
}

/// The lane that a pattern of `ds_swizzle_b32` names: one of four, or bits of its number that are kept, set and flipped.
fn swizzled(pattern: usize, lane: usize) -> usize {
    if pattern >> 15 != 0 {
        return lane / 4 * 4 + (pattern >> (2 * (lane % 4))) % 4;
    }
    let bit = |at: usize| {
        let [kept, set, flipped] = [0, 5, 10].map(|field| pattern >> (field + at) & 1 != 0);
        let is_set = (lane >> at & 1 != 0 && kept) || set;
        usize::from(is_set != flipped) << at
    };
    lane / 32 * 32 + (0..5).map(bit).sum::<usize>()
}

fn check_pattern(bench: &mut Bench, inst: &Inst, form: Form, counter: &mut Counter) {
    let mut state = State::new(bench.lanes, counter.next() as u64);
    for exec in [u64::MAX, counter.exec()] {
        state.set_exec(exec);
        let mut expected = state.clone();
        for lane in state.active() {
            let from = swizzled(form.offset as usize, lane);
            expected.set(form.result(), lane, if state.is_active(from) { state.register(ADDRESS, from) } else { 0 });
        }
        bench.run(inst, &state).expect(&expected, || bench.text(inst));
    }
}

#[test]
fn lanes_read_in_patterns() {
    let mut counter = Counter::default();
    for mut bench in benches() {
        let entry = entry(&bench, "ds_swizzle_b32");
        let quads = (0..256).map(|quad| 0x8000 | quad);
        let bits = (0..32).flat_map(|bits| [bits, 31 | bits << 5, 31 | bits << 10, bits * 0x0421 ^ 0x1b5]);
        let patterns: BTreeSet<i32> = quads.chain(bits).chain((0..0x8000).step_by(331)).collect();
        for pattern in patterns {
            let form = Form { overlaps: pattern % 3 == 0, ..Form::new(pattern) };
            let inst = words::inst(bench.table, entry, form);
            check_pattern(&mut bench, &inst, form, &mut counter);
        }
        // Rotations and the order of a Fourier transform are not executed.
        for pattern in [0xc020, 0xe010] {
            let inst = words::inst(bench.table, entry, Form::new(pattern));
            assert!(matches!(bench.action(&inst), Action::Unimplemented), "{}", bench.text(&inst));
        }
    }
}
