//! Accesses past the end of an allocation and of LDS: stopped, or gone on with as hardware does.

use std::collections::BTreeSet;

use super::atomic_references::Rules;
use super::bench::{Bench, LOCAL_BYTES, LOCAL_REST, State};
use super::words::{self, ADDRESS, DATA, DESCRIPTOR, Form, SCALAR_ADDRESS, SCALAR_RESULT, SECOND};
use super::{TARGETS, sorted};
use crate::bounds::Bounds;
use crate::exec::launch::failure::Failure;
use crate::exec::state::wave::{LDS_APERTURE, PRIVATE_APERTURE};
use crate::fault::{FaultKind, Space};
use crate::isa::{Encoding, Inst};
use crate::memory::access;

const BYTES: u64 = 100;
const END: u32 = LOCAL_BYTES as u32;
/// The end of what the block has of LDS.
const LAST: u32 = END + LOCAL_REST as u32;

fn benches(bounds: Bounds) -> impl Iterator<Item = Bench> {
    TARGETS.into_iter().map(move |(target, checks)| Bench::with_bounds(target, checks, bounds))
}

/// An instruction by its names before gfx11 and from then on.
fn inst(bench: &Bench, encoding: Encoding, names: [&str; 2]) -> Inst {
    let is_wanted = |entry: &crate::isa::Entry| entry.encoding == encoding && names.contains(&entry.base);
    let entry = bench.table.entries().find(|entry| is_wanted(entry)).unwrap();
    words::inst(bench.table, entry, Form::new(0))
}

/// A state whose lanes 0 and 1 are active.
fn state(bench: &Bench) -> State {
    let mut state = State::new(bench.lanes, 5);
    state.set_exec(3);
    state
}

/// Which access was out of bounds: the space, the address, and whether it writes.
fn place(kind: &FaultKind) -> (Space, u64, bool) {
    match kind {
        FaultKind::OutOfBounds { space, address, write, .. } => (*space, *address, *write),
        other => panic!("{other}"),
    }
}

/// Runs an instruction that is to go on, with one finding about lane 1. Gives what it leaves, and whether a change was noted.
fn passes(bench: &mut Bench, inst: &Inst, state: &State, expected: (Space, u64, bool)) -> (State, bool) {
    let (result, after, changed) = bench.attempt(inst, state);
    assert_eq!(result, Ok(()), "{}", bench.text(inst));
    let findings = bench.findings();
    let findings: Vec<_> =
        findings.iter().filter(|found| matches!(found.kind, FaultKind::OutOfBounds { .. })).collect();
    assert_eq!(findings.len(), 1, "{}", bench.text(inst));
    assert_eq!(place(&findings[0].kind), expected, "{}", bench.text(inst));
    // A scalar load is one of all lanes.
    let lanes = if inst.entry.encoding == Encoding::Smem { 3 } else { 2 };
    assert_eq!(findings[0].lanes, lanes, "{}", bench.text(inst));
    (after, changed)
}

/// Runs an instruction that is to be stopped for lane 1, or for all lanes.
fn stops(bench: &mut Bench, inst: &Inst, state: &State, expected: (Space, u64, bool)) {
    let (result, ..) = bench.attempt(inst, state);
    let Err(Failure { kind, lanes }) = result else { panic!("{} goes on", bench.text(inst)) };
    assert_eq!(place(&kind), expected, "{}", bench.text(inst));
    let is_scalar = inst.entry.encoding == Encoding::Smem;
    assert_eq!(lanes, (!is_scalar).then_some(2), "{}", bench.text(inst));
    assert_eq!(bench.findings(), [], "{}", bench.text(inst));
}

/// Lane 0 in an allocation, lane 1 where it is told.
fn aimed(bench: &Bench, start: u64, at: u64) -> State {
    let mut state = state(bench);
    state.set_wide(ADDRESS, 0, start);
    state.set_wide(ADDRESS, 1, start + at);
    state
}

#[test]
fn global_memory_goes_on_to_the_end_of_the_granule() {
    for mut bench in benches(Bounds::Granule) {
        let start = bench.allocate(BYTES);
        let load = inst(&bench, Encoding::Global, ["global_load_dword", "global_load_b32"]);
        let store = inst(&bench, Encoding::Global, ["global_store_dword", "global_store_b32"]);
        let add = inst(&bench, Encoding::GlobalReturn, ["global_atomic_add", "global_atomic_add_u32"]);
        let result = Form::new(0).result();
        for at in [BYTES, BYTES - 2, 4092] {
            access::store_u32(start, 70);
            access::store_u32(start + at, 71);
            let state = aimed(&bench, start, at);
            let (after, _) = passes(&mut bench, &load, &state, (Space::Global, start + at, false));
            assert_eq!([0, 1].map(|lane| after.register(result, lane)), [70, 71], "{}", bench.text(&load));
            let (_, changed) = passes(&mut bench, &store, &state, (Space::Global, start + at, true));
            assert_eq!(access::load_u32(start + at), state.register(DATA, 1), "{}", bench.text(&store));
            // Whoever waits for a change there is not stopped.
            assert_eq!(changed, is_watched(&bench), "{}", bench.text(&store));
        }
        let state = aimed(&bench, start, BYTES);
        access::store_u32(start + BYTES, 72);
        let (after, _) = passes(&mut bench, &add, &state, (Space::Global, start + BYTES, true));
        assert_eq!(after.register(result, 1), 72, "{}", bench.text(&add));
        assert_eq!(access::load_u32(start + BYTES), 72_u32.wrapping_add(state.register(DATA, 1)));
        for inst in [load, store, add] {
            let beyond = aimed(&bench, start, 4096);
            stops(&mut bench, &inst, &beyond, (Space::Global, start + 4096, beyond_writes(&inst)));
        }
    }
}

/// Whether changes of memory are looked for.
fn is_watched(bench: &Bench) -> bool {
    TARGETS.contains(&(bench.target, crate::checks::Checks::All))
}

fn beyond_writes(inst: &Inst) -> bool {
    !inst.entry.base.starts_with("global_load")
}

#[test]
fn exact_bounds_stop_kernels_at_the_end() {
    for mut bench in benches(Bounds::Exact) {
        let start = bench.allocate(BYTES);
        for names in [["global_load_dword", "global_load_b32"], ["global_store_dword", "global_store_b32"]] {
            let inst = inst(&bench, Encoding::Global, names);
            let state = aimed(&bench, start, BYTES);
            stops(&mut bench, &inst, &state, (Space::Global, start + BYTES, beyond_writes(&inst)));
        }
        for (names, write) in [(["ds_read_b32", "ds_load_b32"], false), (["ds_write_b32", "ds_store_b32"], true)] {
            let inst = inst(&bench, Encoding::Ds, names);
            let mut state = state(&bench);
            state.set(ADDRESS, 0, 0);
            state.set(ADDRESS, 1, END);
            stops(&mut bench, &inst, &state, (Space::Lds, END.into(), write));
        }
        let load = inst(&bench, Encoding::Smem, ["s_load_dword", "s_load_b32"]);
        let mut state = state(&bench);
        state.set_scalar_wide(SCALAR_ADDRESS, start + BYTES);
        stops(&mut bench, &load, &state, (Space::Global, start + BYTES, false));
    }
}

#[test]
fn scalar_loads_go_on_to_the_end_of_the_granule() {
    for mut bench in benches(Bounds::Granule) {
        let start = bench.allocate(BYTES);
        let load = inst(&bench, Encoding::Smem, ["s_load_dwordx4", "s_load_b128"]);
        let mut state = state(&bench);
        let at = start + BYTES - 4;
        (0..4).for_each(|word| access::store_u32(at + 4 * u64::from(word), 80 + word));
        state.set_scalar_wide(SCALAR_ADDRESS, at);
        let (after, _) = passes(&mut bench, &load, &state, (Space::Global, at, false));
        assert_eq!(after.scalars[SCALAR_RESULT..][..4], [80, 81, 82, 83], "{}", bench.text(&load));
        state.set_scalar_wide(SCALAR_ADDRESS, start + 4096 - 12);
        stops(&mut bench, &load, &state, (Space::Global, start + 4096 - 12, false));
    }
}

#[test]
fn buffers_that_say_more_than_there_is_go_on_to_the_end_of_the_granule() {
    for mut bench in benches(Bounds::Granule) {
        let start = bench.allocate(BYTES);
        let mut state = state(&bench);
        state.set_scalar_wide(DESCRIPTOR, start);
        state.scalars[DESCRIPTOR + 2] = 0x10000;
        state.scalars[DESCRIPTOR + 3] = if bench.table.generation.is_gfx9() { 0x0002_0000 } else { 3 << 28 };
        state.set(ADDRESS, 0, 0);
        state.set(ADDRESS, 1, BYTES as u32);
        access::store_u32(start + BYTES, 90);
        let load = inst(&bench, Encoding::Mubuf, ["buffer_load_dword", "buffer_load_b32"]);
        let store = inst(&bench, Encoding::Mubuf, ["buffer_store_dword", "buffer_store_b32"]);
        let (after, _) = passes(&mut bench, &load, &state, (Space::Global, start + BYTES, false));
        assert_eq!(after.register(DATA, 1), 90, "{}", bench.text(&load));
        passes(&mut bench, &store, &state, (Space::Global, start + BYTES, true));
        assert_eq!(access::load_u32(start + BYTES), state.register(DATA, 1), "{}", bench.text(&store));
        state.set(ADDRESS, 1, 4096);
        stops(&mut bench, &load, &state, (Space::Global, start + 4096, false));
    }
}

/// The words of LDS around the end of what the block has, and a word far behind it that nobody has.
fn words_at_the_end(bench: &mut Bench) -> [u32; 3] {
    [LAST - 8, LAST - 4, LAST].map(|at| bench.lds().load(at, 4))
}

#[test]
fn lds_past_its_granules_reads_as_zero_and_is_not_written() {
    for mut bench in benches(Bounds::Granule) {
        let load = inst(&bench, Encoding::Ds, ["ds_read_b64", "ds_load_b64"]);
        let store = inst(&bench, Encoding::Ds, ["ds_write_b64", "ds_store_b64"]);
        let add = inst(&bench, Encoding::Ds, ["ds_add_rtn_u32", "ds_add_rtn_u32"]);
        let result = Form::new(0).result();
        // In the granule, across its end, beyond it, and where the address could wrap.
        for (at, there) in [(LAST - 8, [1, 2]), (LAST - 4, [2, 0]), (LAST, [0, 0]), (0xffff_fffc, [0, 0])] {
            for (place, value) in [(LAST - 8, 1), (LAST - 4, 2), (LAST, 3)] {
                bench.lds().store(place, 4, value);
            }
            let mut state = state(&bench);
            state.set(ADDRESS, 0, 0);
            state.set(ADDRESS, 1, at);
            let (after, _) = passes(&mut bench, &load, &state, (Space::Lds, at.into(), false));
            let words = [0, 1].map(|word| after.register(result + word, 1));
            assert_eq!(words, there, "{} at {at:#x}", bench.text(&load));
            passes(&mut bench, &store, &state, (Space::Lds, at.into(), true));
            let [low, high] = [0, 1].map(|word| state.register(DATA + word, 1));
            let expected = match at {
                _ if at == LAST - 8 => [low, high, 3],
                _ if at == LAST - 4 => [1, low, 3],
                _ => [1, 2, 3],
            };
            assert_eq!(words_at_the_end(&mut bench), expected, "{} at {at:#x}", bench.text(&store));
            let (after, _) = passes(&mut bench, &add, &state, (Space::Lds, at.into(), true));
            let found = if at < LAST { expected[((at - (LAST - 8)) / 4) as usize] } else { 0 };
            assert_eq!(after.register(result, 1), found, "{} at {at:#x}", bench.text(&add));
            assert_eq!(words_at_the_end(&mut bench)[2], 3, "{} at {at:#x}", bench.text(&add));
        }
    }
}

#[test]
fn pairs_in_lds_are_looked_at_one_by_one() {
    for mut bench in benches(Bounds::Granule) {
        let load = inst(&bench, Encoding::Ds, ["ds_read2_b32", "ds_load_2addr_b32"]);
        // The second place lies 64 words behind the first.
        let load = Inst { imm: 64 << 8, ..load };
        let store = inst(&bench, Encoding::Ds, ["ds_write2_b32", "ds_store_2addr_b32"]);
        let store = Inst { imm: 64 << 8, ..store };
        let mut state = state(&bench);
        state.set(ADDRESS, 0, 0);
        state.set(ADDRESS, 1, LAST - 256);
        bench.lds().store(LAST - 256, 4, 5);
        bench.lds().store(LAST, 4, 6);
        let first = u64::from(LAST) - 256;
        let (after, _) = passes(&mut bench, &load, &state, (Space::Lds, first, false));
        let result = Form::new(0).result();
        assert_eq!([0, 1].map(|word| after.register(result + word, 1)), [5, 0], "{}", bench.text(&load));
        passes(&mut bench, &store, &state, (Space::Lds, first, true));
        let expected = [state.register(DATA, 1), 6];
        assert_eq!([LAST - 256, LAST].map(|at| bench.lds().load(at, 4)), expected, "{}", bench.text(&store));
        assert_ne!(state.register(SECOND, 1), 6);
    }
}

/// The words around the end of LDS, and what an operation found there.
fn update_at_the_end(bench: &mut Bench, inst: &Inst, at: u32) -> ([u32; 3], [u32; 2]) {
    for (place, value) in [(LAST - 8, 1), (LAST - 4, 2), (LAST, 3)] {
        bench.lds().store(place, 4, value);
    }
    let mut state = state(bench);
    if inst.entry.encoding == Encoding::Ds {
        state.set(ADDRESS, 0, 0);
        state.set(ADDRESS, 1, at);
    } else {
        state.set_wide(ADDRESS, 0, u64::from(LDS_APERTURE) << 32);
        state.set_wide(ADDRESS, 1, u64::from(LDS_APERTURE) << 32 | u64::from(at));
    }
    let (after, _) = passes(bench, inst, &state, (Space::Lds, at.into(), true));
    (words_at_the_end(bench), [0, 1].map(|word| after.register(Form::new(0).result() + word, 1)))
}

#[test]
fn atomics_across_the_end_of_lds_do_nothing_and_find_zero() {
    let (rules, mut tried) = (Rules::new(), BTreeSet::new());
    let is_tried = |entry: &crate::isa::Entry| {
        let encodings = [Encoding::Ds, Encoding::Flat, Encoding::FlatReturn];
        encodings.contains(&entry.encoding) && rules.of(entry.base).is_some()
    };
    for mut bench in benches(Bounds::Granule) {
        for entry in sorted(&bench, is_tried) {
            let bytes = rules.of(entry.base).unwrap().format.bytes();
            let inst = words::inst(bench.table, entry, Form::new(0));
            // Where half of the value is there, and where none of it is.
            for at in [LAST - bytes as u32 / 2, LAST] {
                let (left, found) = update_at_the_end(&mut bench, &inst, at);
                assert_eq!(left, [1, 2, 3], "{} at {at:#x}", bench.text(&inst));
                let returns = entry.encoding == Encoding::FlatReturn || entry.base.contains("_rtn_");
                let given = &found[..if returns { bytes / 4 } else { 0 }];
                assert!(given.iter().all(|word| *word == 0), "{}: {found:x?}", bench.text(&inst));
            }
            tried.insert((entry.base, entry.encoding == Encoding::FlatReturn));
        }
    }
    let has = |part: &str| tried.iter().any(|(base, _)| base.contains(part));
    assert!(
        ["ds_cmpst_rtn_b64", "flat_atomic_cmpswap_x2", "flat_atomic_pk_add", "ds_pk_add"].iter().all(|part| has(part))
    );
}

/// An atomic operation on global memory is aligned, so it never lies across the end of a granule.
#[test]
fn atomics_across_the_end_of_a_granule_are_stopped() {
    for mut bench in benches(Bounds::Granule) {
        let start = bench.allocate(BYTES);
        for names in [
            ["global_atomic_add_x2", "global_atomic_add_u64"],
            ["global_atomic_cmpswap_x2", "global_atomic_cmpswap_b64"],
        ] {
            let inst = inst(&bench, Encoding::GlobalReturn, names);
            for at in [4096 - 4, 4096] {
                let state = aimed(&bench, start, at);
                stops(&mut bench, &inst, &state, (Space::Global, start + at, true));
            }
            let last = aimed(&bench, start, 4096 - 8);
            passes(&mut bench, &inst, &last, (Space::Global, start + 4096 - 8, true));
        }
    }
}

#[test]
fn flat_accesses_follow_the_rules_of_the_memory_that_they_mean() {
    for mut bench in benches(Bounds::Granule) {
        let load = inst(&bench, Encoding::Flat, ["flat_load_dword", "flat_load_b32"]);
        let store = inst(&bench, Encoding::Flat, ["flat_store_dword", "flat_store_b32"]);
        let start = bench.allocate(BYTES);
        let in_space = |aperture: u32, at: u32| u64::from(aperture) << 32 | u64::from(at);
        let result = Form::new(0).result();
        for (at, there) in [(LAST - 4, 7), (LAST, 0)] {
            bench.lds().store(LAST - 4, 4, 7);
            bench.lds().store(LAST, 4, 8);
            let mut state = aimed(&bench, start, 0);
            state.set_wide(ADDRESS, 1, in_space(LDS_APERTURE, at));
            let (after, _) = passes(&mut bench, &load, &state, (Space::Lds, at.into(), false));
            assert_eq!(after.register(result, 1), there, "{}", bench.text(&load));
            passes(&mut bench, &store, &state, (Space::Lds, at.into(), true));
            let expected = if at < LAST { [state.register(DATA, 1), 8] } else { [7, 8] };
            assert_eq!([LAST - 4, LAST].map(|at| bench.lds().load(at, 4)), expected, "{}", bench.text(&store));
        }
        let mut state = aimed(&bench, start, 0);
        state.set_wide(ADDRESS, 1, in_space(PRIVATE_APERTURE, 0x10_0000));
        stops(&mut bench, &load, &state, (Space::Private, 0x10_0000, false));
        // One lane that cannot go on stops the kernel, and is the one that is told.
        state.set_exec(3);
        state.set_wide(ADDRESS, 0, start + BYTES);
        stops(&mut bench, &load, &state, (Space::Private, 0x10_0000, false));
    }
}
