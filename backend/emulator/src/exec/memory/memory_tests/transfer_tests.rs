//! Loads and stores of all spaces, one value a lane.

use std::collections::BTreeSet;

use super::aim::{self, LOCAL_OFFSET, Space, aim, forms, space};
use super::bench::{Bench, LOCAL, PIECE, State, private};
use super::references::{self, Transfer, transfer};
use super::words::{self, DATA, Form};
use super::{Counter, benches, sorted};
use crate::isa::Entry;

/// Where lanes find their values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pattern {
    /// Side by side.
    Row,
    /// At any byte, in no order.
    Scattered,
    /// In two allocations.
    Apart,
    /// All at one place.
    Same,
    Local,
    Private,
    /// In all spaces.
    Mixed,
}

impl Pattern {
    fn place(self, space: Space, lane: usize, bytes: usize) -> usize {
        if space == Space::Local {
            return LOCAL + LOCAL_OFFSET as usize + 1 + self.place(Space::Global, lane, bytes);
        }
        let scattered = lane * 37 % 64 * 20 + lane % 4;
        let of_private = private(lane, 44 + lane * 7 % 100);
        match self {
            Pattern::Row => lane * bytes,
            Pattern::Scattered => scattered,
            Pattern::Apart => scattered + lane % 2 * PIECE,
            Pattern::Same => 33,
            Pattern::Local => LOCAL + 20 + scattered,
            Pattern::Private => of_private,
            Pattern::Mixed => [scattered, LOCAL + 20 + scattered, of_private][lane % 3],
        }
    }
}

/// The patterns that a space and a form allow.
fn patterns(space: Space, form: Form, is_store: bool) -> &'static [Pattern] {
    // Lanes that store at one place would do so in an order that nobody knows.
    match space {
        Space::Global if is_store => &[Pattern::Row, Pattern::Scattered, Pattern::Apart],
        Space::Global => &[Pattern::Row, Pattern::Scattered, Pattern::Apart, Pattern::Same],
        // An offset that is added to the start of a space does not lead into another one.
        Space::Flat if form.offset.unsigned_abs() > 20 => &[Pattern::Row, Pattern::Apart],
        Space::Flat => &[Pattern::Row, Pattern::Scattered, Pattern::Local, Pattern::Private, Pattern::Mixed],
        Space::Local if is_store => &[Pattern::Row, Pattern::Scattered],
        Space::Local => &[Pattern::Row, Pattern::Scattered, Pattern::Same],
        Space::Private | Space::Buffer => &[Pattern::Private],
    }
}

/// The place of each lane.
fn places(bench: &Bench, entry: &Entry, form: Form, pattern: Pattern) -> Vec<usize> {
    let (space, bytes) = (space(entry.encoding).unwrap(), transfer(entry.base).unwrap().shape().bytes);
    let common = |lane| private(lane, aim::common(form));
    let place = |lane| if form.vector { pattern.place(space, lane, bytes) } else { common(lane) };
    (0..bench.lanes).map(place).collect()
}

/// Checks one instruction in one form with lanes at their places, all active and then some of them.
fn check(bench: &mut Bench, entry: &Entry, form: Form, places: &[usize], counter: &mut Counter) {
    let (space, transfer) = (space(entry.encoding).unwrap(), transfer(entry.base).unwrap());
    let inst = words::inst(bench.table, entry, form);
    let mut state = State::new(bench.lanes, counter.next() as u64);
    aim(&mut state, bench, space, form, places);
    for exec in [u64::MAX, counter.exec()] {
        state.set_exec(exec);
        let mut expected = state.clone();
        // Buffers load into the register of the data.
        let result = if space == Space::Buffer { form.row(DATA) } else { form.result() };
        for lane in state.active() {
            match transfer {
                Transfer::Load(shape) => references::load(&mut expected, shape, (result, lane), places[lane]),
                Transfer::Store(shape) => references::store(&mut expected, shape, (form.row(DATA), lane), places[lane]),
                Transfer::LoadTwo(..) | Transfer::StoreTwo(..) => panic!("{} has two places", entry.base),
            }
        }
        bench.run(&inst, &state).expect(&expected, || bench.text(&inst));
    }
}

#[test]
fn loads_and_stores_move_the_bytes_that_references_say() {
    let (mut counter, mut checked) = (Counter::default(), BTreeSet::new());
    for mut bench in benches() {
        for entry in sorted(&bench, is_single) {
            let (space, transfer) = (space(entry.encoding).unwrap(), transfer(entry.base).unwrap());
            for form in forms(space, bench.table.generation) {
                for pattern in patterns(space, form, matches!(transfer, Transfer::Store(_))) {
                    let places = places(&bench, entry, form, *pattern);
                    check(&mut bench, entry, form, &places, &mut counter);
                }
            }
            checked.insert(entry.base);
        }
    }
    assert_eq!(checked.len(), 220, "{checked:?}");
}

/// What AMD's kernels for products of matrices clear registers with; all lanes do so, or it is an access out of bounds.
#[test]
fn zeros_are_read_far_beyond_lds() {
    for mut bench in benches() {
        let is_wanted = |entry: &&Entry| ["ds_read_b64", "ds_load_b64"].contains(&entry.base);
        let entry = bench.table.entries().find(is_wanted).unwrap();
        let form = Form::new(0);
        let inst = words::inst(bench.table, entry, form);
        let mut state = State::new(bench.lanes, 3);
        (0..bench.lanes).for_each(|lane| state.set(words::ADDRESS, lane, 0xf0_0000));
        state.set_exec(0x00ff_ff0f);
        let mut expected = state.clone();
        for lane in state.active() {
            expected.set(form.result(), lane, 0);
            expected.set(form.result() + 1, lane, 0);
        }
        bench.run(&inst, &state).expect(&expected, || bench.text(&inst));
    }
}

fn is_single(entry: &Entry) -> bool {
    let is_one = matches!(transfer(entry.base), Some(Transfer::Load(_) | Transfer::Store(_)));
    is_one && space(entry.encoding).is_some()
}
