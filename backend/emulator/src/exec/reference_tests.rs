//! Vector instructions against references that share no code with them. Each runs on all triples of edge values, on a
//! target of each generation that has it.

use std::collections::BTreeSet;

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Half, Single};

use super::instruction_tests::{vop3, vop3p};
use super::references::{Case, Kind, Operands, cases, signed};
use super::vector::{self, Vector};
use super::wave::Wave;
use crate::isa::{Encoding, Entry, Field, Operand, Table};
use crate::target::{Generation, Target};

/// Values where results change: for integers and, as bits, for floats of a width.
pub(super) fn edges(width: u32) -> Vec<u64> {
    let words = [0, 1, 2, 7, 31, 32, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
    let floats: &[u64] = match width {
        16 => &[0x0001, 0x03ff, 0x0400, 0x3800, 0x3c00, 0x3e00, 0x4248, 0x7bff, 0x7c00, 0x7e00, 0x8001, 0xbc01, 0xfc00],
        64 => &[
            0x0000_0000_0000_0001,
            0x000f_ffff_ffff_ffff,
            0x3fe0_0000_0000_0000,
            0x3ff0_0000_0000_0000,
            0x3ff8_0000_0000_0000,
            0x4009_21fb_5444_2d18,
            0x41df_ffff_ffff_ffff,
            0x47ef_ffff_f000_0000,
            0x7fef_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
            0x7ff8_0000_0000_0000,
            0xbff0_0000_0000_0001,
            0xc1e0_0000_0020_0000,
            0xffff_ffff_ffff_ffff,
            0x8000_0000_0000_0000,
        ],
        _ => &[
            0x0000_0001,
            0x007f_ffff,
            0x0080_0000,
            0x3f00_0000,
            0x3f80_0000,
            0x3fc0_0000,
            0x4049_0fdb,
            0x4eff_ffff,
            0x4f00_0000,
            0x477f_e000,
            0x477f_f000,
            0x7f7f_ffff,
            0x7f80_0000,
            0x7fc0_0000,
            0xbf80_0001,
            0xff80_0000,
        ],
    };
    let limit = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let mut all: Vec<u64> = words.into_iter().map(|value| value & limit).chain(floats.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// A wave with operands in pairs of rows, one triple a lane.
fn loaded(generation: Generation, operands: &[Operands], rows: [usize; 3]) -> Wave {
    let mut wave = Wave::new(if generation.is_gfx9() { 64 } else { 32 });
    wave.scalars.set64(Operand::EXEC, wave.all_lanes());
    for (lane, triple) in operands.iter().enumerate() {
        for (value, row) in triple.iter().zip(rows) {
            wave.rows.set_lane(row, lane, *value as u32);
            wave.rows.set_lane(row + 1, lane, (*value >> 32) as u32);
        }
    }
    wave
}

/// Runs an instruction on operands, one triple a lane, and gives each lane's result.
fn results(vector: &Vector, generation: Generation, operands: &[Operands], accumulates: bool) -> Vec<u64> {
    let mut wave = loaded(generation, operands, [2, 4, if accumulates { 0 } else { 6 }]);
    vector::run(&mut wave, vector);
    (0..operands.len()).map(|lane| wave.rows.lane64(0, lane)).collect()
}

/// Whether a result is what the reference says.
fn agrees(kind: Kind, found: u64, expected: u64) -> bool {
    let (Kind::Bits(width) | Kind::Float(width, _)) = kind;
    let limit = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let (found, expected) = (found & limit, expected & limit);
    let Kind::Float(_, zeros_alike) = kind else { return found == expected };
    let (exponent, sign) = match width {
        16 => (0x7c00, 0x8000),
        32 => (0x7f80_0000, 0x8000_0000),
        _ => (0x7ff0_0000_0000_0000, 1 << 63),
    };
    let is_nan = |bits: u64| bits & !sign > exponent;
    let is_zero = |bits: u64| bits & !sign == 0;
    found == expected || is_nan(found) && is_nan(expected) || zeros_alike && is_zero(found) && is_zero(expected)
}

fn check(table: &'static Table, case: &Case, entry: &Entry) {
    let accumulates = entry.base.starts_with("v_fmac");
    let count = [Field::A, Field::B, Field::C].iter().filter(|field| entry.slot(**field).is_some()).count();
    let values = |at: usize| if at < count + usize::from(accumulates) { edges(case.sources[at]) } else { vec![0] };
    let (first, second, third) = (values(0), values(1), values(2));
    let pairs = first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b)));
    let all: Vec<Operands> = pairs.flat_map(|(a, b)| third.iter().map(move |c| [a, b, *c])).collect();
    let vector = Vector::new(&vop3(table, entry.base, 0, 0), table.generation).unwrap();
    for chunk in all.chunks(32) {
        let found = results(&vector, table.generation, chunk, accumulates);
        for (operands, found) in chunk.iter().zip(found) {
            let expected = (case.reference)(*operands);
            let is_right = agrees(case.result, found, expected);
            assert!(is_right, "{} {operands:x?}: {found:#x}, not {expected:#x}", entry.base);
        }
    }
}

#[test]
fn instructions_compute_what_references_say() {
    let cases = cases();
    let mut checked = BTreeSet::new();
    for target in ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"] {
        let table = Table::of(Target::parse(target).unwrap().processor);
        for case in &cases {
            for name in case.names.split_whitespace() {
                let mut entries = table.entries().filter(|entry| entry.encoding == Encoding::Vop3);
                let Some(entry) = entries.find(|entry| entry.base == name) else { continue };
                check(table, case, entry);
                checked.insert(entry.base);
            }
        }
    }
    assert!(checked.len() >= 140, "{}: {checked:?}", checked.len());
}

/// Both halves of packed instructions do what the instruction for one half does.
#[test]
fn packed_instructions_compute_each_half() {
    let cases = cases();
    let mut checked = BTreeSet::new();
    for target in ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"] {
        let table = Table::of(Target::parse(target).unwrap().processor);
        for entry in table.entries().filter(|entry| entry.encoding == Encoding::Vop3p) {
            let of_half = entry.base.replacen("v_pk_", "v_", 1);
            let is_it = |case: &&Case| case.sources == [16; 3] && case.names.split_whitespace().any(|it| it == of_half);
            let Some(case) = cases.iter().find(is_it).filter(|_| entry.base.starts_with("v_pk_")) else { continue };
            check_packed(table, case, entry);
            checked.insert(entry.base);
        }
    }
    assert!(checked.len() >= 18, "{checked:?}");
}

fn check_packed(table: &'static Table, case: &Case, entry: &Entry) {
    let vector = Vector::new(&vop3p(table, entry.base, 0), table.generation).unwrap();
    let has_third = entry.slot(Field::C).is_some();
    let (values, thirds) = (edges(16), if has_third { edges(16) } else { vec![0] });
    let pairs = values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b)));
    let low: Vec<Operands> = pairs.flat_map(|(a, b)| thirds.iter().map(move |c| [a, b, *c])).collect();
    let high: Vec<Operands> = low.iter().rev().copied().collect();
    for (low, high) in low.chunks(32).zip(high.chunks(32)) {
        let both = low.iter().zip(high).map(|(low, high)| std::array::from_fn(|at| low[at] | high[at] << 16));
        let found = results(&vector, table.generation, &both.collect::<Vec<_>>(), false);
        for (lane, found) in found.into_iter().enumerate() {
            for (operands, found) in [(low[lane], found), (high[lane], found >> 16)] {
                let expected = (case.reference)(operands);
                let is_right = agrees(case.result, found, expected);
                assert!(is_right, "{} {operands:x?}: {found:#x}, not {expected:#x}", entry.base);
            }
        }
    }
}

/// Comparisons by the condition in their name.
fn holds(condition: &str, order: Option<std::cmp::Ordering>) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    match condition {
        "f" => false,
        "lt" => order == Some(Less),
        "eq" => order == Some(Equal),
        "le" => matches!(order, Some(Less | Equal)),
        "gt" => order == Some(Greater),
        "lg" => matches!(order, Some(Less | Greater)),
        "ge" => matches!(order, Some(Greater | Equal)),
        "o" => order.is_some(),
        "u" => order.is_none(),
        "ne" => order != Some(Equal),
        "t" | "tru" => true,
        _ => !holds(&condition[1..], order),
    }
}

#[test]
fn comparisons_compare() {
    let mut checked = 0;
    for target in ["gfx90a", "gfx1030", "gfx1100", "gfx1201"] {
        let table = Table::of(Target::parse(target).unwrap().processor);
        for entry in table.entries().filter(|entry| entry.encoding == Encoding::Vop3) {
            let Some((condition, kind)) = entry.base.strip_prefix("v_cmp_").and_then(|name| name.split_once('_'))
            else {
                continue;
            };
            let width = kind[1..].parse::<u32>().unwrap_or(0);
            if condition == "class" || width == 0 {
                continue;
            }
            let order = |a: u64, b: u64| match &kind[..1] {
                "i" => Some(signed(a, width).cmp(&signed(b, width))),
                "u" => Some(a.cmp(&b)),
                _ => match width {
                    16 => Half::from_bits(a.into()).partial_cmp(&Half::from_bits(b.into())),
                    32 => Single::from_bits(a.into()).partial_cmp(&Single::from_bits(b.into())),
                    _ => Double::from_bits(a.into()).partial_cmp(&Double::from_bits(b.into())),
                },
            };
            let Some(vector) = Vector::new(&vop3(table, entry.base, 0, 0), table.generation) else { continue };
            let values = edges(width);
            let all: Vec<Operands> = values.iter().flat_map(|a| values.iter().map(move |b| [*a, *b, 0])).collect();
            for chunk in all.chunks(32) {
                let found = mask(&vector, table.generation, chunk);
                for (lane, [a, b, _]) in chunk.iter().enumerate() {
                    let expected = holds(condition, order(*a, *b));
                    assert_eq!(found >> lane & 1 != 0, expected, "{} {a:#x} {b:#x}", entry.base);
                }
            }
            checked += 1;
        }
    }
    assert!(checked > 300, "{checked}");
}

/// The bits that a comparison gives, one a lane.
fn mask(vector: &Vector, generation: Generation, operands: &[Operands]) -> u64 {
    let mut wave = loaded(generation, operands, [2, 4, 6]);
    vector::run(&mut wave, vector);
    wave.scalars.get64(Operand(0))
}
