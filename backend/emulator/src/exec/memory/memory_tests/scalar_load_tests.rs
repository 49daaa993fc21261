//! Scalar loads.

use std::collections::BTreeSet;

use super::bench::{Bench, PIECE, State};
use super::words::{self, Form, SCALAR_ADDRESS, SCALAR_OFFSET, SCALAR_RESULT};
use super::{Counter, benches, sorted};
use crate::isa::{Encoding, Entry};
use crate::target::Generation;

/// Names, bytes, and whether a short value has a sign.
const LOADS: &[(&str, usize, bool)] = &[
    ("s_load_u8", 1, false),
    ("s_load_i8", 1, true),
    ("s_load_u16", 2, false),
    ("s_load_i16", 2, true),
    ("s_load_dword s_load_b32", 4, false),
    ("s_load_dwordx2 s_load_b64", 8, false),
    ("s_load_b96", 12, false),
    ("s_load_dwordx4 s_load_b128", 16, false),
    ("s_load_dwordx8 s_load_b256", 32, false),
    ("s_load_dwordx16 s_load_b512", 64, false),
];

/// Bytes and sign of a scalar load.
pub(super) fn scalar_load(base: &str) -> Option<(usize, bool)> {
    let load = LOADS.iter().find(|(names, ..)| names.split(' ').any(|name| name == base));
    load.map(|(_, bytes, signed)| (*bytes, *signed))
}

/// What the registers from the destination on hold afterwards.
fn load(state: &mut State, (bytes, signed): (usize, bool), place: usize) {
    if bytes < 4 {
        let (raw, limit) = (state.number(place, bytes) as i64, 1 << (8 * bytes));
        let value = if signed && raw >= limit / 2 { raw - limit } else { raw };
        state.scalars[SCALAR_RESULT] = value as u32;
        return;
    }
    for word in 0..bytes / 4 {
        state.scalars[SCALAR_RESULT + word] = state.number(place + 4 * word, 4) as u32;
    }
}

fn forms(generation: Generation) -> Vec<Form> {
    let most = if generation == Generation::Gfx12 { 0x7f_fffc } else { 0xf_fffc };
    let offsets = [0, 8, 0x104, most, -16, -most];
    let forms = offsets.into_iter().map(Form::new);
    forms.flat_map(|form| [form, Form { scalar: true, ..form }]).collect()
}

fn check(bench: &mut Bench, entry: &Entry, form: Form, counter: &mut Counter) {
    let shape = scalar_load(entry.base).unwrap();
    let inst = words::inst(bench.table, entry, form);
    for (at, last) in [(64, 0), (PIECE + 12, 0x8000_0000), (0, 0xffff_fff0), (PIECE - 64, 40)] {
        let mut state = State::new(bench.lanes, counter.next() as u64);
        // Short values lie anywhere, others at multiples of four: the lowest bits of what is more are left out.
        let (place, rest) = if shape.0 < 4 { (at + counter.next() % 4, 0) } else { (at, counter.next() as u32 % 4) };
        let offset = if form.scalar { last } else { 0 };
        let base = bench.address(place).wrapping_sub(offset.into()).wrapping_add_signed(-i64::from(form.offset));
        state.set_scalar_wide(SCALAR_ADDRESS, base);
        state.scalars[SCALAR_OFFSET] = last | if form.scalar { rest } else { 0 };
        state.set_exec(counter.exec());
        let mut expected = state.clone();
        load(&mut expected, shape, place);
        bench.run(&inst, &state).expect(&expected, || bench.text(&inst));
    }
}

#[test]
fn scalar_loads_load_what_references_say() {
    let (mut counter, mut checked) = (Counter::default(), BTreeSet::new());
    for mut bench in benches() {
        let is_wanted = |entry: &Entry| entry.encoding == Encoding::Smem && scalar_load(entry.base).is_some();
        for entry in sorted(&bench, is_wanted) {
            for form in forms(bench.table.generation) {
                check(&mut bench, entry, form, &mut counter);
            }
            checked.insert(entry.base);
        }
    }
    assert_eq!(checked.len(), 15, "{checked:?}");
}
