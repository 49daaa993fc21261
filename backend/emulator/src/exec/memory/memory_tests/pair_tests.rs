//! Loads and stores of two places of LDS at a time.

use std::collections::BTreeSet;

use super::aim::{Space, aim};
use super::bench::{Bench, LOCAL, State};
use super::references::{self, Transfer, transfer};
use super::words::{self, DATA, Form, SECOND};
use super::{Counter, benches, sorted};
use crate::isa::Entry;

/// Offsets in units, of the first and of the second place.
const OFFSETS: [[usize; 2]; 5] = [[0, 1], [3, 0], [1, 2], [2, 2], [1, 3]];

fn is_pair(entry: &Entry) -> bool {
    matches!(transfer(entry.base), Some(Transfer::LoadTwo(..) | Transfer::StoreTwo(..)))
}

fn check(bench: &mut Bench, entry: &Entry, offsets: [usize; 2], counter: &mut Counter) {
    let transfer = transfer(entry.base).unwrap();
    let (Transfer::LoadTwo(shape, unit) | Transfer::StoreTwo(shape, unit)) = transfer else { return };
    let form = Form {
        accumulates: bench.table.generation.is_gfx9() && counter.next().is_multiple_of(2),
        overlaps: counter.next().is_multiple_of(3),
        ..Form::new((offsets[0] | offsets[1] << 8) as i32)
    };
    // No lane's place is that of another: units that are large have room for all lanes, between small ones is room.
    let step = if unit > shape.bytes { shape.bytes } else { 4 * shape.bytes };
    let start = |lane: usize| LOCAL + (lane ^ 3) * step;
    let starts: Vec<usize> = (0..bench.lanes).map(start).collect();
    let inst = words::inst(bench.table, entry, form);
    let mut state = State::new(bench.lanes, counter.next() as u64);
    aim(&mut state, bench, Space::Local, Form::new(0), &starts);
    for exec in [u64::MAX, counter.exec()] {
        state.set_exec(exec);
        let mut expected = state.clone();
        for lane in state.active() {
            let [first, second] = offsets.map(|offset| starts[lane] + offset * unit);
            if let Transfer::LoadTwo(..) = transfer {
                references::load(&mut expected, shape, (form.result(), lane), first);
                references::load(&mut expected, shape, (form.result() + shape.bytes / 4, lane), second);
            } else {
                references::store(&mut expected, shape, (form.row(DATA), lane), first);
                references::store(&mut expected, shape, (form.row(SECOND), lane), second);
            }
        }
        bench.run(&inst, &state).expect(&expected, || bench.text(&inst));
    }
}

#[test]
fn two_places_are_loaded_and_stored_as_references_say() {
    let (mut counter, mut checked) = (Counter::default(), BTreeSet::new());
    for mut bench in benches() {
        for entry in sorted(&bench, is_pair) {
            for offsets in OFFSETS {
                // One place twice: which store is the last is nowhere said.
                let is_store = matches!(transfer(entry.base), Some(Transfer::StoreTwo(..)));
                if !is_store || offsets[0] != offsets[1] {
                    check(&mut bench, entry, offsets, &mut counter);
                }
            }
            checked.insert(entry.base);
        }
    }
    assert_eq!(checked.len(), 16, "{checked:?}");
}
