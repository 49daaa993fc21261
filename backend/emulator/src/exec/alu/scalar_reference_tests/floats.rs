//! Scalar floats of gfx12, by the references of vector instructions.

use super::*;
use crate::exec::alu::reference_tests::comparisons::{holds, order};
use crate::exec::alu::reference_tests::{agrees, edges};
use crate::exec::alu::references::{self, Case, Operands};

/// The literal of instructions that have one.
const K: u32 = 0x4049_0fdb;

/// Operands of a vector instruction from those of the scalar one.
type Order = fn(Operands) -> Operands;

/// The vector instruction that computes the same, and how its operands follow from `s2`, `s4`, `s6` and the literal.
fn alike(base: &str) -> (String, Order) {
    let k = |[a, b, _]: Operands| [a, b, u64::from(K)];
    let k_second = |[a, b, _]: Operands| [a, u64::from(K), b];
    let upper = |[a, ..]: Operands| [a >> 16, 0, 0];
    match base {
        "s_fmaak_f32" => ("v_fmac_f32".to_owned(), k),
        "s_fmamk_f32" => ("v_fmac_f32".to_owned(), k_second),
        "s_cvt_hi_f32_f16" => ("v_cvt_f32_f16".to_owned(), upper),
        _ => (base.replacen("s_", "v_", 1), |operands| operands),
    }
}

/// The reference of a scalar instruction on floats.
fn reference<'c>(base: &str, cases: &'c [Case]) -> Option<(&'c Case, Order)> {
    let (name, operands) = alike(base);
    let is_float = base.starts_with("s_") && (base.contains("_f16") || base.contains("_f32"));
    Some((cases.iter().find(|case| case.is_of(&name)).filter(|_| is_float)?, operands))
}

/// Whether a scalar instruction is one of these.
pub(super) fn has_reference(base: &str, cases: &[Case]) -> bool {
    reference(base, cases).is_some() || comparison(base).is_some()
}

/// Condition and type of a comparison of floats.
fn comparison(base: &str) -> Option<(&str, u32)> {
    let (condition, kind) = base.strip_prefix("s_cmp_")?.split_once("_f")?;
    Some((condition, kind.parse().ok()?))
}

fn run(operation: &Scalar, [a, b, old]: Operands) -> Wave {
    let mut wave = Wave::new(32);
    for (register, value) in [(2, a), (4, b), (6, old)] {
        wave.scalars.set(Operand(register), value as u32);
    }
    scalar::run(&mut wave, operation);
    wave
}

#[test]
fn scalars_compute_what_references_of_vectors_say() {
    let table = Table::of(Target::parse("gfx1201").unwrap().processor);
    let cases = references::cases();
    let mut checked = BTreeSet::new();
    for entry in table.entries() {
        let Some((case, operands)) = reference(entry.base, &cases) else { continue };
        let operation = Scalar::new(&sop(table, entry.base, K)).unwrap();
        let (first, second) = (edges(32), edges(32));
        let olds = if entry.base.contains("fmac") { edges(32) } else { vec![0x5a5a] };
        let pairs = first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b)));
        for (a, b, old) in pairs.flat_map(|(a, b)| olds.iter().map(move |old| (a, b, *old))) {
            let limited = |at: usize, bits: u64| bits & u64::MAX >> (64 - case.sources[at].max(1));
            let [x, y, z] = operands([a, b, old]);
            let expected = (case.reference)([limited(0, x), limited(1, y), limited(2, z)]);
            let found = run(&operation, [a, b, old]).scalars.get(Operand(6));
            let is_right = agrees(case.result, found.into(), expected);
            assert!(is_right, "{} {a:#x} {b:#x} {old:#x}: {found:#x}, not {expected:#x}", entry.base);
        }
        checked.insert(entry.base);
    }
    assert!(checked.len() >= 34, "{}: {checked:?}", checked.len());
}

#[test]
fn scalar_floats_are_compared() {
    let table = Table::of(Target::parse("gfx1201").unwrap().processor);
    let mut checked = 0;
    for entry in table.entries() {
        let Some((condition, width)) = comparison(entry.base) else { continue };
        let operation = Scalar::new(&sop(table, entry.base, 0)).unwrap();
        for a in edges(width) {
            for b in edges(width) {
                let found = run(&operation, [a, b, 0]).scalars.scc;
                assert_eq!(found, holds(condition, order("f", width, a, b)), "{} {a:#x} {b:#x}", entry.base);
            }
        }
        checked += 1;
    }
    assert_eq!(checked, 28);
}
