//! Memory instructions, decoded from words, against references that share no code with the executor.
//!
//! A reference works on a copy of all registers and of all memory; what an instruction leaves has to be the same, so that
//! nothing else may change either. Every instruction that the executor accepts has a reference or is named in [`OTHERS`].

mod aim;
mod atomic_references;
mod atomic_tests;
mod bench;
mod buffer_tests;
mod exchange_tests;
mod pair_tests;
mod past_end_tests;
mod references;
mod scalar_load_tests;
mod transfer_tests;
mod words;

use std::collections::BTreeSet;

use self::atomic_references::Rules;
use self::bench::{Bench, State};
use self::references::transfer;
use self::words::Form;
use crate::checks::Checks;
use crate::exec::code::action::Action;
use crate::isa::{Encoding, Entry, Inst};

/// A target of each generation, and a level of checks: none changes what an instruction does.
const TARGETS: [(&str, Checks); 5] = [
    ("gfx90a", Checks::None),
    ("gfx942", Checks::All),
    ("gfx1030", Checks::Default),
    ("gfx1100", Checks::None),
    ("gfx1201", Checks::All),
];

const NOTHING: &str = "changes nothing: `some_instructions_do_nothing`";
const TEXTURE: &str = "a texture of one line: `textures.hip` of the runtime";
const CLOCK: &str = "the time";

/// Instructions without a reference, and why.
const OTHERS: &[(&str, &str)] = &[
    ("ds_nop", NOTHING),
    ("buffer_gl0_inv", NOTHING),
    ("buffer_gl1_inv", NOTHING),
    ("buffer_inv", NOTHING),
    ("buffer_invl2", NOTHING),
    ("buffer_wbinvl1", NOTHING),
    ("buffer_wbinvl1_vol", NOTHING),
    ("buffer_wbl2", NOTHING),
    ("global_inv", NOTHING),
    ("global_wb", NOTHING),
    ("global_wbinv", NOTHING),
    ("s_dcache_inv", NOTHING),
    ("s_dcache_inv_vol", NOTHING),
    ("s_dcache_wb", NOTHING),
    ("s_dcache_wb_vol", NOTHING),
    ("s_gl1_inv", NOTHING),
    ("s_prefetch_data", NOTHING),
    ("s_prefetch_data_pc_rel", NOTHING),
    ("s_prefetch_inst", NOTHING),
    ("s_prefetch_inst_pc_rel", NOTHING),
    ("ds_gws_init", NOTHING),
    ("buffer_load_format_x", TEXTURE),
    ("buffer_load_format_xy", TEXTURE),
    ("buffer_load_format_xyz", TEXTURE),
    ("buffer_load_format_xyzw", TEXTURE),
    ("ds_gws_barrier", "all blocks of a grid meet: `kernels_block`"),
    ("s_memtime", CLOCK),
    ("s_memrealtime", CLOCK),
];

/// Numbers of runs, which choose what changes from run to run.
#[derive(Debug, Default)]
struct Counter(usize);

impl Counter {
    fn next(&mut self) -> usize {
        self.0 += 1;
        self.0
    }

    /// Active lanes: none, one, neighbours, some.
    fn exec(&mut self) -> u64 {
        const LANES: [u64; 5] = [0xa5c3_0ff1_9669_5a3c, 1 << 9, 0x00ff_ff00, 0, 0xffff_0000_8000_0001];
        LANES[self.next() % LANES.len()]
    }
}

/// Benches of all targets.
fn benches() -> impl Iterator<Item = Bench> {
    TARGETS.into_iter().map(|(target, checks)| Bench::new(target, checks))
}

/// Whether the executor accepts an instruction, with an offset in a vector register or with an index.
fn is_executed(bench: &Bench, entry: &Entry) -> bool {
    let inst = words::inst(bench.table, entry, Form::new(0));
    let indexed = Inst { flags: 2, ..inst };
    let is_known = |inst| !matches!(bench.action(inst), Action::Unimplemented);
    is_known(&inst) || entry.encoding == Encoding::Mubuf && is_known(&indexed)
}

/// The executed instructions of a kind, by name.
fn sorted(bench: &Bench, is_wanted: impl Fn(&Entry) -> bool) -> Vec<&'static Entry> {
    let is_executed = |entry: &&Entry| is_executed(bench, entry);
    let mut entries: Vec<_> = bench.table.entries().filter(|entry| is_wanted(entry)).filter(is_executed).collect();
    entries.sort_by_key(|entry| (entry.base, entry.opcode));
    entries
}

/// Whether a test of this module compares an instruction with a reference.
fn has_reference(rules: &Rules, entry: &Entry) -> bool {
    let of_vectors = transfer(entry.base).is_some() || rules.of(entry.base).is_some();
    match entry.encoding {
        Encoding::Smem => scalar_load_tests::scalar_load(entry.base).is_some(),
        Encoding::Ds if exchange_tests::NAMES.contains(&entry.base) => true,
        encoding => of_vectors && aim::space(encoding).is_some(),
    }
}

fn is_of_memory(entry: &Entry) -> bool {
    matches!(entry.encoding, Encoding::Smem) || aim::space(entry.encoding).is_some()
}

#[test]
fn all_executed_instructions_have_references() {
    let rules = Rules::new();
    let (mut compared, mut missing) = (0, BTreeSet::new());
    let mut unused: BTreeSet<&str> = OTHERS.iter().map(|(name, _)| *name).collect();
    for bench in benches() {
        for entry in sorted(&bench, is_of_memory) {
            if has_reference(&rules, entry) {
                compared += 1;
            } else if !unused.remove(entry.base) && !OTHERS.iter().any(|(name, _)| *name == entry.base) {
                missing.insert(entry.base);
            }
        }
    }
    assert!(missing.is_empty(), "no references: {missing:?}");
    assert!(unused.is_empty(), "not executed: {unused:?}");
    assert_eq!(compared, 1741);
}

/// What only caches and waiting programs know of changes nothing.
#[test]
fn some_instructions_do_nothing() {
    for mut bench in benches() {
        for entry in sorted(&bench, |entry| OTHERS.contains(&(entry.base, NOTHING))) {
            let (inst, state) = (words::inst(bench.table, entry, Form::new(8)), State::new(bench.lanes, 1));
            if !matches!(bench.action(&inst), Action::Nothing) {
                bench.run(&inst, &state).expect(&state, || bench.text(&inst));
            }
        }
    }
}
