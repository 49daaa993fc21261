//! Instructions with a bit for each lane that comes in or goes out: carries, choices, overflows.

use super::*;

/// Operands and the bit that comes in; the result and the bit that goes out.
type Reference = fn(Operands, bool) -> (u64, bool);

struct WithBit {
    names: &'static str,
    widths: [u32; 3],
    result: u32,
    gives_bit: bool,
    reference: Reference,
}

const fn with_bit(
    names: &'static str,
    widths: [u32; 3],
    result: u32,
    gives_bit: bool,
    reference: Reference,
) -> WithBit {
    WithBit { names, widths, result, gives_bit, reference }
}

fn sum(a: u64, b: u64, carry: u64) -> (u64, bool) {
    (a + b + carry, a + b + carry > 0xffff_ffff)
}

fn difference(a: u64, b: u64, borrow: u64) -> (u64, bool) {
    (a.wrapping_sub(b + borrow), a < b + borrow)
}

const WITH_BITS: [WithBit; 10] = [
    with_bit("v_add_co_u32", [32; 3], 32, true, |[a, b, _], _| sum(a, b, 0)),
    with_bit("v_sub_co_u32", [32; 3], 32, true, |[a, b, _], _| difference(a, b, 0)),
    with_bit("v_subrev_co_u32", [32; 3], 32, true, |[a, b, _], _| difference(b, a, 0)),
    with_bit("v_addc_co_u32 v_add_co_ci_u32", [32; 3], 32, true, |[a, b, _], bit| sum(a, b, bit.into())),
    with_bit("v_subb_co_u32 v_sub_co_ci_u32", [32; 3], 32, true, |[a, b, _], bit| difference(a, b, bit.into())),
    with_bit("v_subbrev_co_u32 v_subrev_co_ci_u32", [32; 3], 32, true, |[a, b, _], bit| difference(b, a, bit.into())),
    with_bit("v_cndmask_b32", [32; 3], 32, false, |[a, b, _], bit| (if bit { b } else { a }, false)),
    with_bit("v_cndmask_b16", [16; 3], 16, false, |[a, b, _], bit| (if bit { b } else { a }, false)),
    with_bit("v_mad_u64_u32 v_mad_co_u64_u32", [32, 32, 64], 64, true, |[a, b, c], _| {
        let exact = u128::from(a) * u128::from(b) + u128::from(c);
        (exact as u64, exact >> 64 != 0)
    }),
    with_bit("v_mad_i64_i32 v_mad_co_i64_i32", [32, 32, 64], 64, true, |[a, b, c], _| {
        let exact = i128::from(signed(a, 32)) * i128::from(signed(b, 32)) + i128::from(c.cast_signed());
        (exact as u64, exact != i128::from(exact as i64))
    }),
];

/// Names of these instructions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    WITH_BITS.iter().flat_map(|case| case.names.split_whitespace())
}

/// Lanes that take part, and bits that come in.
const ACTIVE: u64 = 0x7fff_ffff_f7f7_ffff;
const BITS: u64 = 0x5a5a_3333_5a5a_3333;

fn check_bits(table: &'static Table, entry: &Entry, case: &WithBit) {
    let inst = encoded(table, entry, 0).unwrap();
    let vector = Vector::new(&inst, table.generation).unwrap();
    let is_long = entry.encoding == Encoding::Vop3;
    let limit = |bits: u64| bits & u64::MAX >> (64 - case.result);
    let operands = triples(entry, case.widths);
    // Each chunk twice, the second time in other lanes.
    for chunk in operands.chunks(31).chain(operands[7..].chunks(29)) {
        let mut wave = loaded(table.generation, entry, chunk);
        wave.scalars.set64(Operand::EXEC, ACTIVE & wave.all_lanes());
        let mask_in = if is_long && takes_mask(entry) { MASK_IN } else { Operand::VCC };
        wave.scalars.set64(mask_in, BITS);
        let before: Vec<u64> = (0..chunk.len()).map(|lane| wave.rows.lane64(0, lane)).collect();
        vector::run(&mut wave, &vector);
        let out = wave.scalars.get64(if is_long { MASK_OUT } else { Operand::VCC });
        for (lane, operands) in chunk.iter().enumerate() {
            let is_set = |bits: u64| bits >> lane & 1 != 0;
            let (value, bit) = (case.reference)(*operands, is_set(BITS));
            let active = is_set(ACTIVE);
            let expected = if active { value } else { before[lane] };
            let text = inst.text(table.generation);
            assert_eq!(limit(wave.rows.lane64(0, lane)), limit(expected), "{text} {operands:x?}, lane {lane}");
            assert!(!case.gives_bit || is_set(out) == (active && bit), "{text} {operands:x?}, bit of lane {lane}");
        }
    }
}

#[test]
fn bits_of_lanes_come_in_and_go_out() {
    let (mut checked, mut forms) = (BTreeSet::new(), 0);
    for table in tables() {
        for entry in table.entries() {
            let is_it = |case: &&WithBit| case.names.split_whitespace().any(|name| name == entry.base);
            let Some(case) = WITH_BITS.iter().find(is_it).filter(|_| encoded(table, entry, 0).is_some()) else {
                continue;
            };
            check_bits(table, entry, case);
            checked.insert(entry.base);
            forms += 1;
        }
    }
    assert!(checked.len() == names().count() && forms >= 60, "{checked:?} in {forms} forms");
}

/// The bits of a mask below each lane: those of lanes 0 to 31 by the first instruction, the others by the second.
#[test]
fn lanes_below_are_counted() {
    for table in tables() {
        for (name, first) in [("v_mbcnt_lo_u32_b32", 0), ("v_mbcnt_hi_u32_b32", 32)] {
            let entry = table.entries().find(|entry| entry.base == name && entry.encoding == Encoding::Vop3).unwrap();
            let vector = Vector::new(&encoded(table, entry, 0).unwrap(), table.generation).unwrap();
            let lanes = if table.generation.is_gfx9() { 64 } else { 32 };
            for (mask, sum) in [(0xffff_ffff, 0), (0x8001_00f0, 7), (0, 0xffff_ffff), (0x5555_5555, 0xffff_fff0)] {
                let found = results(&vector, table.generation, entry, &vec![[mask, sum, 0]; lanes]);
                for (lane, found) in found.into_iter().enumerate() {
                    let below = (0..32).filter(|bit| first + bit < lane && mask >> bit & 1 != 0).count();
                    assert_eq!(found as u32, (sum as u32).wrapping_add(below as u32), "{name}, lane {lane}");
                }
            }
        }
    }
}
