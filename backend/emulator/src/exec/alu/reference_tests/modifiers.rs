//! Modifiers of VOP3: magnitudes and negations of sources, limits of results.

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Half, Single};

use super::*;

const CLAMP: u8 = 1;

/// How many sources are floats, which have a sign to change.
fn floats_of(entry: &Entry) -> usize {
    let is_float = ["f16", "f32", "f64"].iter().any(|kind| entry.base.ends_with(kind));
    match entry.base {
        "v_cvt_pk_u8_f32" => 1,
        base if base.starts_with("v_ldexp") => 1,
        _ if is_float => 3,
        _ => 0,
    }
}

/// Limits a float to 0 and 1; what is no number becomes 0.
fn limited(kind: Kind, bits: u64) -> u64 {
    fn of<F: Float>(bits: u64) -> u64 {
        let (value, one) = (F::from_bits(bits.into()), F::from_u128(1).value);
        let value = if value.is_nan() || value <= F::ZERO { F::ZERO } else { value };
        (if value > one { one } else { value }).to_bits() as u64
    }
    match kind {
        Kind::Float(16, _) => of::<Half>(bits),
        Kind::Float(32, _) => of::<Single>(bits),
        _ => of::<Double>(bits),
    }
}

#[test]
fn signs_of_sources_are_changed_and_results_limited() {
    let cases = cases();
    let mut checked = BTreeSet::new();
    for table in tables() {
        for (entry, case) in with_cases(table, &cases) {
            // An accumulator has no modifiers.
            let floats = floats_of(entry).min(places(entry).len() - usize::from(accumulates(entry)));
            if entry.encoding != Encoding::Vop3 || floats == 0 {
                continue;
            }
            for bits in 1..1_u8 << (2 * floats) {
                let (abs, neg) = (bits & ((1 << floats) - 1), bits >> floats);
                check_changed(table, entry, case, [abs, neg, 0]);
            }
            if let Kind::Float(..) = case.result {
                check_changed(table, entry, case, [0, 0, CLAMP]);
                check_changed(table, entry, case, [1, 1, CLAMP]);
            }
            checked.insert(entry.base);
        }
    }
    assert!(checked.len() >= 110, "{}: {checked:?}", checked.len());
}

fn check_changed(table: &'static Table, entry: &Entry, case: &Case, [abs, neg, clamp]: [u8; 3]) {
    let mut inst = encoded(table, entry, u32::from(neg) << 29).unwrap();
    assert_eq!(inst.modifiers.neg, neg);
    (inst.modifiers.abs, inst.modifiers.clamp) = (abs, clamp != 0);
    let vector = Vector::new(&inst, table.generation).unwrap();
    let all = triples(entry, case.sources);
    // Of three sources some: all triples were tried without modifiers.
    let some: Vec<Operands> = all.iter().copied().step_by(if all.len() > 2000 { 37 } else { 1 }).collect();
    for chunk in some.chunks(32) {
        let found = results(&vector, table.generation, entry, chunk);
        for (operands, found) in chunk.iter().zip(found) {
            let changed = std::array::from_fn(|at| {
                let sign = 1_u64.checked_shl(case.sources[at].wrapping_sub(1)).unwrap_or(0);
                let bits = if abs >> at & 1 != 0 { operands[at] & !sign } else { operands[at] };
                if neg >> at & 1 != 0 { bits ^ sign } else { bits }
            });
            let result = (case.reference)(changed);
            let expected = if clamp != 0 { limited(case.result, result) } else { result };
            let text = inst.text(table.generation);
            assert!(agrees(case.result, found, expected), "{text} {operands:x?}: {found:#x}, not {expected:#x}");
        }
    }
}

/// Integers that are limited to their type: width, sign, exact result.
type Exact = fn([i64; 3]) -> i64;

const LIMITED: [(&str, u32, bool, Exact); 17] = [
    ("v_add_u32 v_add_nc_u32", 32, false, |[a, b, _]| a + b),
    ("v_sub_u32 v_sub_nc_u32", 32, false, |[a, b, _]| a - b),
    ("v_subrev_u32 v_subrev_nc_u32", 32, false, |[a, b, _]| b - a),
    ("v_add_i32 v_add_nc_i32", 32, true, |[a, b, _]| a + b),
    ("v_sub_i32 v_sub_nc_i32", 32, true, |[a, b, _]| a - b),
    ("v_add_u16 v_add_nc_u16", 16, false, |[a, b, _]| a + b),
    ("v_sub_u16 v_sub_nc_u16", 16, false, |[a, b, _]| a - b),
    ("v_subrev_u16", 16, false, |[a, b, _]| b - a),
    ("v_add_i16 v_add_nc_i16", 16, true, |[a, b, _]| a + b),
    ("v_sub_i16 v_sub_nc_i16", 16, true, |[a, b, _]| a - b),
    ("v_mad_u32_u24", 32, false, |[a, b, c]| (a & 0xff_ffff) * (b & 0xff_ffff) + c),
    ("v_dot2_u32_u16", 32, false, |[a, b, c]| (a & 0xffff) * (b & 0xffff) + (a >> 16) * (b >> 16) + c),
    ("v_dot4_u32_u8", 32, false, |[a, b, c]| {
        (0..4).map(|at| (a >> (8 * at) & 255) * (b >> (8 * at) & 255)).sum::<i64>() + c
    }),
    ("v_dot8_u32_u4", 32, false, |[a, b, c]| {
        (0..8).map(|at| (a >> (4 * at) & 15) * (b >> (4 * at) & 15)).sum::<i64>() + c
    }),
    ("v_dot2_i32_i16", 32, true, |operands| of_signed(operands, 16)),
    ("v_dot4_i32_i8", 32, true, |operands| of_signed(operands, 8)),
    ("v_dot8_i32_i4", 32, true, |operands| of_signed(operands, 4)),
];

fn of_signed([a, b, c]: [i64; 3], width: u32) -> i64 {
    let part = |bits: i64, at: u32| signed(bits.cast_unsigned() >> (width * at), width);
    (0..32 / width).map(|at| part(a, at) * part(b, at)).sum::<i64>() + c
}

#[test]
fn integers_do_not_wrap_where_they_are_limited() {
    let mut checked = BTreeSet::new();
    for table in tables() {
        for (names, width, has_sign, exact) in LIMITED {
            let is_it = |entry: &&Entry| names.split_whitespace().any(|name| name == entry.base);
            let entries = table.entries().filter(is_it);
            for entry in entries.filter(|entry| matches!(entry.encoding, Encoding::Vop3 | Encoding::Vop3p)) {
                let mut inst = encoded(table, entry, 0).unwrap();
                inst.modifiers.clamp = true;
                let (least, most) =
                    if has_sign { (-1_i64 << (width - 1), (1 << (width - 1)) - 1) } else { (0, (1_i64 << width) - 1) };
                check(table, entry, &inst, ([width; 3], Kind::Bits(width)), |operands| {
                    let number = |bits| if has_sign { signed(bits, width) } else { bits.cast_signed() };
                    exact(operands.map(number)).clamp(least, most).cast_unsigned()
                });
                checked.insert(entry.base);
            }
        }
    }
    assert!(checked.len() >= 20, "{checked:?}");
}
