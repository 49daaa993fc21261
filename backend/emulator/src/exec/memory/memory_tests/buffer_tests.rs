//! Accesses of real buffers: by index and offset, in range and out of it, against the bytes that they name.

use super::bench::{Bench, State};
use super::benches;
use super::words::{self, ADDRESS, DATA, DESCRIPTOR, Form, SCALAR_OFFSET};
use crate::isa::{Encoding, Entry, Inst};

/// Where the buffer begins, its bytes, and what the scalar register adds.
const START: usize = 64;
const BYTES: usize = 300;
const SCALAR: usize = 8;

/// A raw buffer: gfx10 and later are told so.
fn describe(state: &mut State, bench: &Bench, stride: u32, records: u32, choice: u32) {
    state.set_scalar_wide(DESCRIPTOR, bench.address(START));
    state.scalars[DESCRIPTOR + 1] |= stride << 16;
    state.scalars[DESCRIPTOR + 2] = records;
    state.scalars[DESCRIPTOR + 3] = if bench.table.generation.is_gfx9() { 0x0002_0000 } else { choice << 28 };
    state.scalars[SCALAR_OFFSET] = SCALAR as u32;
}

fn entry(bench: &Bench, names: [&str; 2]) -> &'static Entry {
    let is_wanted = |entry: &&Entry| entry.encoding == Encoding::Mubuf && names.contains(&entry.base);
    bench.table.entries().find(is_wanted).unwrap()
}

/// Offsets of lanes: in range, across its end, far beyond.
fn offset(lane: usize) -> usize {
    match lane % 8 {
        6 => BYTES - SCALAR - 16 + lane % 5 * 4,
        7 => 0x8000_0000 + 4 * lane,
        _ => lane % 16 * 16,
    }
}

/// How many bytes from an offset on are in range: the scalar offset counts.
const LIMIT: usize = BYTES - SCALAR;

#[test]
fn what_is_out_of_range_reads_as_zero_and_is_not_written() {
    for mut bench in benches() {
        for (names, bytes, is_load) in [
            (["buffer_load_dword", "buffer_load_b32"], 4, true),
            (["buffer_load_dwordx4", "buffer_load_b128"], 16, true),
            (["buffer_load_ushort", "buffer_load_u16"], 2, true),
            (["buffer_store_dword", "buffer_store_b32"], 4, false),
            (["buffer_store_dwordx4", "buffer_store_b128"], 16, false),
            (["buffer_store_short", "buffer_store_b16"], 2, false),
        ] {
            let inst = words::inst(bench.table, entry(&bench, names), Form { scalar: true, ..Form::new(4) });
            let mut state = State::new(bench.lanes, 7);
            describe(&mut state, &bench, 0, BYTES as u32, 3);
            // Lanes that store share no bytes.
            let apart = |lane: usize| if is_load || lane % 8 > 5 { offset(lane) } else { lane * 4 };
            let is_active =
                |lane: usize| is_load || (bytes < 16 && lane % 8 != 6) || lane == 6 || lane.is_multiple_of(16);
            let exec = (0..bench.lanes).filter(|lane| is_active(*lane)).fold(0, |exec, lane| exec | 1 << lane);
            state.set_exec(exec);
            (0..bench.lanes).for_each(|lane| state.set(ADDRESS, lane, apart(lane) as u32));
            let mut expected = state.clone();
            for lane in state.active() {
                for word in 0..usize::div_ceil(bytes, 4) {
                    let (at, item) = (apart(lane) + 4 + 4 * word, bytes.min(4));
                    let (place, row) = (START + at + SCALAR, DATA + word);
                    match (is_load, at + item <= LIMIT) {
                        (true, true) => expected.set(row, lane, state.number(place, item) as u32),
                        (true, false) => expected.set(row, lane, 0),
                        (false, true) => expected.set_number(place, item, u64::from(state.register(row, lane))),
                        (false, false) => {}
                    }
                }
            }
            bench.run(&inst, &state).expect(&expected, || bench.text(&inst));
        }
    }
}

#[test]
fn an_index_counts_records_and_comes_before_the_offset() {
    const STRIDE: usize = 20;
    for mut bench in benches() {
        let inst = words::inst(bench.table, entry(&bench, ["buffer_load_dword", "buffer_load_b32"]), Form::new(4));
        let inst = Inst { flags: 3, ..inst };
        let is_gcn = bench.table.generation.is_gfx9();
        let mut state = State::new(bench.lanes, 11);
        // GCN counts bytes where records are not swizzled, RDNA records.
        describe(&mut state, &bench, STRIDE as u32, if is_gcn { 15 * STRIDE as u32 } else { 15 }, 0);
        let (index, offset) = (|lane: usize| lane % 18, |lane: usize| lane % 3 * 4);
        for lane in 0..bench.lanes {
            state.set(ADDRESS, lane, index(lane) as u32);
            state.set(ADDRESS + 1, lane, offset(lane) as u32);
        }
        let mut expected = state.clone();
        for lane in state.active() {
            let place = START + index(lane) * STRIDE + offset(lane) + 4;
            expected.set(DATA, lane, if index(lane) < 15 { state.number(place, 4) as u32 } else { 0 });
        }
        bench.run(&inst, &state).expect(&expected, || bench.text(&inst));
    }
}

#[test]
fn atomics_out_of_range_change_nothing() {
    for mut bench in benches() {
        let inst =
            words::inst(bench.table, entry(&bench, ["buffer_atomic_add", "buffer_atomic_add_u32"]), Form::new(0));
        let inst = Inst { cache: crate::isa::Cache { glc: true, ..inst.cache }, ..inst };
        let mut state = State::new(bench.lanes, 13);
        describe(&mut state, &bench, 0, 64, 3);
        (0..bench.lanes).for_each(|lane| state.set(ADDRESS, lane, 4 * lane as u32));
        let mut expected = state.clone();
        for lane in state.active() {
            let (place, data) = (START + 4 * lane, state.register(DATA, lane));
            let old = if lane < 16 { state.number(place, 4) as u32 } else { 0 };
            expected.set(DATA, lane, old);
            if lane < 16 {
                expected.set_number(place, 4, u64::from(old.wrapping_add(data)));
            }
        }
        bench.run(&inst, &state).expect(&expected, || bench.text(&inst));
    }
}
