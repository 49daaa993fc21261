//! No vector instruction that is executed is without a test of its own.

use super::*;
use crate::exec::alu::ops;

/// Tests of their own, by how names begin: comparisons, halves of pairs, steps of divisions, packed and mixed ones,
/// moves of accumulators, tables of truth and products of bytes whose signs the instruction tells (`instruction_tests.rs`),
/// floats of eight bits.
const ELSEWHERE: [&str; 22] = [
    "v_cmp",
    "v_dual_",
    "v_div_",
    "v_trig_preop_",
    "v_fma_mix",
    "v_pk_",
    "v_mbcnt_",
    "v_accvgpr_",
    "v_bitop3_",
    "v_dot4_i32_iu8",
    "v_dot8_i32_iu4",
    "v_mfma_",
    "v_smfmac_",
    "v_wmma_",
    "v_swmmac_",
    "v_dot4_f32_",
    "v_cvt_f32_fp8",
    "v_cvt_f32_bf8",
    "v_cvt_pk_f32_fp8",
    "v_cvt_pk_f32_bf8",
    "v_cvt_pk_fp8_f32",
    "v_cvt_pk_bf8_f32",
];

#[test]
fn all_instructions_that_are_executed_have_references() {
    let cases = cases();
    let known: BTreeSet<&str> =
        cases.iter().flat_map(|case| case.names.split_whitespace()).chain(carries::names()).collect();
    let mut missing = BTreeSet::new();
    for table in tables() {
        let is_executed = |entry: &&Entry| {
            let inst = || encoded(table, entry, 0).filter(|inst| inst.entry == *entry);
            ops::find(entry.base, false).is_some()
                || inst().is_some_and(|inst| Vector::new(&inst, table.generation).is_some())
        };
        for entry in table.entries().filter(is_executed) {
            let is_elsewhere = ELSEWHERE.iter().any(|start| entry.base.starts_with(start));
            if !is_elsewhere && !known.contains(entry.base) && !approximations::is_one(entry) {
                missing.insert(entry.base);
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}
