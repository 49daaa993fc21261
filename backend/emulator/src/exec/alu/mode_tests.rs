//! Instructions in other modes of floats than the usual one, against arithmetic of doubles whose errors are known.

use super::instruction_tests::{sop, vop3, vop3p};
use super::scalar::{self, Scalar};
use super::vector::{self, Vector};
use crate::exec::number::directed::Effect;
use crate::exec::number::float_mode::FloatMode;
use crate::exec::state::wave::Wave;
use crate::isa::{Encoding, Operand, Table};
use crate::target::{Generation, Target};

/// A number as a sum of two doubles, the second smaller than the last bit of the first.
type Exact = (f64, f64);

fn sum(a: f64, b: f64) -> Exact {
    let total = a + b;
    let other = total - a;
    (total, (a - (total - other)) + (b - other))
}

fn exact(value: f64) -> Exact {
    (value, 0.0)
}

/// A format of floats, by the bits of its parts.
#[derive(Clone, Copy)]
struct Format {
    exponent: u32,
    mantissa: u32,
}

const HALF: Format = Format { exponent: 5, mantissa: 10 };
const SINGLE: Format = Format { exponent: 8, mantissa: 23 };

impl Format {
    /// The number with this place in the order of all numbers, zero being 0.
    fn number(self, place: i64) -> f64 {
        let bits = place.unsigned_abs();
        let (exponent, mantissa) = ((bits >> self.mantissa) as i32, (bits & ((1 << self.mantissa) - 1)) as f64);
        let unit = 2_f64.powi(-(self.mantissa as i32));
        let one = (1 << (self.exponent - 1)) - 1;
        let size = match exponent {
            _ if exponent == (1 << self.exponent) - 1 => f64::INFINITY,
            0 => mantissa * unit * 2_f64.powi(1 - one),
            _ => mantissa.mul_add(unit, 1.0) * 2_f64.powi(exponent - one),
        };
        if place < 0 { -size } else { size }
    }

    /// The bits of the largest number that is not larger, or the smallest that is not smaller.
    fn beside(self, (high, low): Exact, above: bool) -> u64 {
        let infinity = ((1_i64 << self.exponent) - 1) << self.mantissa;
        let is_above = |place: i64| {
            let difference = (self.number(place) - high) - low;
            if above { difference >= 0.0 } else { difference > 0.0 }
        };
        let (mut least, mut most) = (-infinity, infinity);
        while least < most {
            let middle = (least + most).div_euclid(2);
            if is_above(middle) { most = middle } else { least = middle + 1 }
        }
        let place = if above { least } else { least - 1 };
        place.unsigned_abs() | if place < 0 { 1 << (self.exponent + self.mantissa) } else { 0 }
    }

    /// A number in one of the directions, in the order of their codes; none to the nearest.
    fn directed(self, value: Exact, direction: u32) -> u64 {
        let is_negative = value.0 < 0.0;
        let bits = self.beside(value, direction == 1 || (direction == 3 && is_negative));
        // What is too small keeps its sign.
        if bits == 0 && is_negative { 1 << (self.exponent + self.mantissa) } else { bits }
    }
}

fn half(bits: u64) -> f64 {
    let place = (bits & 0x7fff) as i64;
    HALF.number(if bits & 0x8000 != 0 { -place } else { place })
}

fn single(bits: u64) -> f64 {
    f64::from(f32::from_bits(bits as u32))
}

const HALVES: [u64; 9] = [0x0001, 0x03ff, 0x1401, 0x3c00, 0x3c01, 0x4248, 0x7bff, 0xb555, 0xfbff];
const SINGLES: [u64; 10] = [
    0x0000_0001,
    0x007f_ffff,
    0x0080_0001,
    0x3300_0001,
    0x3f80_0000,
    0x3f80_0001,
    0x4049_0fdb,
    0xc77f_e001,
    0x7f7f_ffff,
    0xbeaa_aaab,
];

/// What an instruction gives for three operands in a mode of floats. The operands are the same in all lanes.
fn result(vector: &Vector, mode: FloatMode, operands: [u64; 3]) -> u64 {
    let mut wave = Wave::new(32);
    wave.set_mode(mode);
    wave.scalars.set64(Operand::EXEC, wave.all_lanes());
    for (value, row) in operands.into_iter().zip([2, 4, 6]) {
        wave.rows.fill(row, value as u32);
        wave.rows.fill(row + 1, (value >> 32) as u32);
    }
    assert!(!vector.is_refused(&wave));
    vector::run(&mut wave, vector);
    wave.rows.lane64(0, 7)
}

type Reference = fn([u64; 3]) -> Exact;

/// Instructions with the format of the result, and their exact results.
const ROUNDED: &[(&str, Format, Reference)] = &[
    ("v_add_f16", HALF, |[a, b, _]| exact(half(a) + half(b))),
    ("v_sub_f16", HALF, |[a, b, _]| exact(half(a) - half(b))),
    ("v_mul_f16", HALF, |[a, b, _]| exact(half(a) * half(b))),
    ("v_fma_f16", HALF, |[a, b, c]| sum(half(a) * half(b), half(c))),
    ("v_ldexp_f16", HALF, |[a, b, _]| exact(half(a) * 2_f64.powi(i32::from(b as i16).clamp(-99, 99)))),
    ("v_cvt_f16_i16", HALF, |[a, ..]| exact(f64::from(a as i16))),
    ("v_cvt_f16_u16", HALF, |[a, ..]| exact(f64::from(a as u16))),
    ("v_cvt_f16_f32", HALF, |[a, ..]| exact(single(a))),
    ("v_add_f32", SINGLE, |[a, b, _]| sum(single(a), single(b))),
    ("v_sub_f32", SINGLE, |[a, b, _]| sum(single(a), -single(b))),
    ("v_subrev_f32", SINGLE, |[a, b, _]| sum(single(b), -single(a))),
    ("v_mul_f32", SINGLE, |[a, b, _]| exact(single(a) * single(b))),
    ("v_fma_f32", SINGLE, |[a, b, c]| sum(single(a) * single(b), single(c))),
    ("v_ldexp_f32", SINGLE, |[a, b, _]| exact(single(a) * 2_f64.powi((b as i32).clamp(-300, 300)))),
    ("v_cvt_f32_i32", SINGLE, |[a, ..]| exact(f64::from(a as i32))),
    ("v_cvt_f32_u32", SINGLE, |[a, ..]| exact(f64::from(a as u32))),
    ("v_cvt_f32_f64", SINGLE, |[a, ..]| exact(f64::from_bits(a))),
];

/// The mode with one direction of rounding for all floats.
fn rounding(direction: u32) -> FloatMode {
    FloatMode::USUAL.with(0, 4, direction * 5).unwrap()
}

/// Operands of an instruction: those of halves if it works on halves, and pairs of single floats as doubles.
fn operands(name: &str) -> Vec<u64> {
    match name {
        "v_cvt_f32_f64" => SINGLES.iter().map(|bits| single(*bits).mul_add(1.000_000_01, 1e-60).to_bits()).collect(),
        _ if name.contains("f16") && !name.contains("f32") => HALVES.to_vec(),
        _ => SINGLES.to_vec(),
    }
}

#[test]
fn results_are_rounded_in_the_direction_of_the_mode() {
    for target in [Target::GFX90A, Target::GFX1100] {
        let table = Table::of(target.processor);
        for (name, format, reference) in ROUNDED {
            let vector = Vector::new(&vop3(table, name, 0, 0), table.generation).unwrap();
            let values = operands(name);
            let triples = values.iter().flat_map(|a| {
                let values = &values;
                values.iter().flat_map(move |b| values.iter().map(move |c| [*a, *b, *c]))
            });
            for triple in triples {
                for direction in 1..4 {
                    let expected = reference(triple);
                    if expected.0 == 0.0 {
                        continue;
                    }
                    let found =
                        result(&vector, rounding(direction), triple) & ((2 << (format.exponent + format.mantissa)) - 1);
                    assert_eq!(
                        found,
                        format.directed(expected, direction),
                        "{name} {triple:x?}, direction {direction}"
                    );
                }
            }
        }
    }
}

#[test]
fn both_halves_of_packed_results_are_rounded() {
    let table = Table::of(Target::GFX90A.processor);
    let vector = |name| Vector::new(&vop3p(table, name, 0), table.generation).unwrap();
    let up = |name, operands| result(&vector(name), rounding(1), operands);
    let (one, little) = (0x3f80_0000_3f80_0000, 0x3300_0000_b300_0000);
    assert_eq!(up("v_pk_add_f32", [one, little, 0]), 0x3f80_0001_3f80_0000);
    assert_eq!(up("v_pk_fma_f32", [one, one, little]), 0x3f80_0001_3f80_0000);
    assert_eq!(up("v_pk_add_f16", [0x3c00_bc00, 0x0001_0001, 0]) as u32, 0x3c01_bbff);
    assert_eq!(up("v_pk_mul_f16", [0x3c01_3c01, 0x3c01_bc01, 0]) as u32, 0x3c03_bc02);
    // The plain form takes single floats.
    let mixed = [0x3f80_0001, 0x3f80_0001, 0];
    assert_eq!(up("v_fma_mix_f32", mixed) as u32, 0x3f80_0003);
    assert_eq!(up("v_fma_mixlo_f16", mixed) as u32 & 0xffff, 0x3c01);
}

#[test]
fn products_and_sums_that_are_not_fused_are_rounded_twice() {
    let table = Table::of(Target::GFX90A.processor);
    for name in ["v_mad_f32", "v_fma_f32"] {
        let vector = Vector::new(&vop3(table, name, 0, 0), table.generation).unwrap();
        // The product is 1 - 2^-46, the sum with -1 what is left of it.
        let operands = [0x3f80_0001, 0x3f7f_fffe, 0xbf80_0000];
        let found = f32::from_bits(result(&vector, rounding(2), operands) as u32);
        let expected = if name == "v_mad_f32" { -(2_f32.powi(-24)) } else { -(2_f32.powi(-46)) };
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn each_width_has_its_own_direction() {
    let table = Table::of(Target::GFX90A.processor);
    let vector = |name| Vector::new(&vop3(table, name, 0, 0), table.generation).unwrap();
    let up_for_singles = FloatMode::USUAL.with(0, 2, 1).unwrap();
    let up_for_others = FloatMode::USUAL.with(2, 2, 1).unwrap();
    let one_and_little = [0x3f80_0000, 0x3300_0000, 0];
    assert_eq!(result(&vector("v_add_f32"), up_for_singles, one_and_little) as u32, 0x3f80_0001);
    assert_eq!(result(&vector("v_add_f32"), up_for_others, one_and_little) as u32, 0x3f80_0000);
    // A double that becomes a single float takes the direction of doubles.
    let third = [(1.0_f64 + 1e-12).to_bits(), 0, 0];
    assert_eq!(result(&vector("v_cvt_f32_f64"), up_for_singles, third) as u32, 0x3f80_0000);
    assert_eq!(result(&vector("v_cvt_f32_f64"), up_for_others, third) as u32, 0x3f80_0001);
    let doubles = [1.0_f64.to_bits(), 1e-30_f64.to_bits(), 0];
    assert_eq!(result(&vector("v_add_f64"), up_for_singles, doubles), 1.0_f64.to_bits());
    assert_eq!(result(&vector("v_add_f64"), up_for_others, doubles), 1.0_f64.to_bits() + 1);
    assert_eq!(result(&vector("v_add_f64"), rounding(2), doubles), 1.0_f64.to_bits());
}

#[test]
fn denormals_are_zero_where_the_mode_says_so() {
    let table = Table::of(Target::GFX1100.processor);
    let vector = |name| Vector::new(&vop3(table, name, 0, 0), table.generation).unwrap();
    let keeps = |single: u32, other: u32| FloatMode::USUAL.with(4, 4, single | other << 2).unwrap();
    let (denormal, least_normal, half_of_one) = (0x8000_0005, 0x0080_0000, 0x3f00_0000);
    let add = |mode| result(&vector("v_add_f32"), mode, [denormal, 0x8000_0000, 0]) as u32;
    let multiply = |mode| result(&vector("v_mul_f32"), mode, [least_normal, half_of_one, 0]) as u32;
    // Bit 0 keeps sources, bit 1 results.
    assert_eq!([0, 1, 2, 3].map(|single| add(keeps(single, 3))), [1 << 31, 1 << 31, 1 << 31, denormal as u32]);
    assert_eq!([0, 1, 2, 3].map(|single| multiply(keeps(single, 3))), [0, 0, 0x0040_0000, 0x0040_0000]);
    assert_eq!(multiply(keeps(3, 0)), 0x0040_0000);
    let doubles = [f64::MIN_POSITIVE.to_bits(), 0.5_f64.to_bits(), 0];
    assert_eq!(result(&vector("v_mul_f64"), keeps(0, 3), doubles), 1 << 51);
    assert_eq!(result(&vector("v_mul_f64"), keeps(3, 0), doubles), 0);
    // What only moves bits keeps them.
    assert_eq!(result(&vector("v_mov_b32"), keeps(0, 0), [5, 0, 0]) as u32, 5);
    assert_eq!(result(&vector("v_frexp_exp_i32_f32"), keeps(0, 0), [1, 0, 0]) as u32, (-148_i32).cast_unsigned());
    assert_eq!(result(&vector("v_cvt_f16_f32"), keeps(3, 1), [0x3300_0001, 0, 0]) & 0x7fff, 0);
}

#[test]
fn scalar_floats_have_the_same_mode() {
    let table = Table::of(Target::parse("gfx1201").unwrap().processor);
    let result = |name: &str, mode: FloatMode, [a, b, k]: [u32; 3]| {
        let operation = Scalar::new(&sop(table, name, k)).unwrap();
        let mut wave = Wave::new(32);
        wave.set_mode(mode);
        for (register, value) in [(2, a), (4, b), (6, 1.0_f32.to_bits())] {
            wave.scalars.set(Operand(register), value);
        }
        scalar::run(&mut wave, &operation);
        wave.scalars.get(Operand(6))
    };
    let one = 1.0_f32.to_bits();
    let up = rounding(1);
    assert_eq!(result("s_add_f32", up, [one, 1, 0]), one + 1);
    assert_eq!(result("s_add_f32", FloatMode::USUAL, [one, 1, 0]), one);
    assert_eq!(result("s_fmac_f32", up, [one, 1, 0]), one + 1);
    assert_eq!(result("s_fmaak_f32", up, [one, 1, one]), one + 1);
    assert_eq!(result("s_fmamk_f32", up, [one, 1, one]), one + 1);
    assert_eq!(result("s_cvt_f16_f32", up, [one + 1, 0, 0]), 0x3c01);
    assert_eq!(result("s_cvt_f32_u32", rounding(3), [u32::MAX, 0, 0]), 0x4f7f_ffff);
    let flushing = FloatMode::USUAL.with(4, 2, 0).unwrap();
    assert_eq!(result("s_add_f32", flushing, [5, 0, 0]), 0);
    assert_eq!(result("s_add_f32", FloatMode::USUAL, [5, 0, 0]), 5);
    assert_eq!(result("s_cvt_hi_f32_f16", flushing.with(6, 2, 0).unwrap(), [0x4200_0001, 0, 0]), 3.0_f32.to_bits());
}

/// Instructions on floats that stop a launch where rounding is not to the nearest: none of them is common.
#[test]
fn few_instructions_are_refused() {
    let mut refused = std::collections::BTreeSet::new();
    for target in ["gfx90a", "gfx950", "gfx1030", "gfx1100", "gfx1201"].map(|name| Target::parse(name).unwrap()) {
        let table = Table::of(target.processor);
        for entry in table.entries().filter(|entry| matches!(entry.encoding, Encoding::Vop3 | Encoding::Vop3p)) {
            let Some(valu) = crate::exec::alu::ops::find(entry.base, false) else { continue };
            if valu.dst.is_float() && Effect::of(entry.base) == Effect::Unknown {
                refused.insert(entry.base.trim_start_matches("v_"));
            }
        }
    }
    let expected = [
        "dot2_f32_bf16",
        "dot2_f32_f16",
        "dot2c_f32_bf16",
        "dot2c_f32_f16",
        "fma_dx9_zero_f32",
        "fma_legacy_f32",
        "fmac_dx9_zero_f32",
        "fmac_legacy_f32",
        "fract_f16",
        "fract_f32",
        "fract_f64",
        "mul_dx9_zero_f32",
        "mul_legacy_f32",
    ];
    assert!(refused.iter().eq(expected.iter()), "{refused:?}");
    let table = Table::of(Target::GFX90A.processor);
    let vector = Vector::new(&vop3(table, "v_fract_f32", 0, 0), table.generation).unwrap();
    let mut wave = Wave::new(64);
    assert!(!vector.is_refused(&wave));
    wave.set_mode(rounding(1));
    assert!(vector.is_refused(&wave));
}

#[test]
fn writes_change_their_field_only() {
    let mode = FloatMode::of(0x00ac_0000 | 3 << 12, Generation::Gfx9);
    assert_eq!(mode.bits(), 0x3c3 | 0x300);
    assert_eq!(mode.with(4, 2, 3).unwrap().bits(), 0x3f3);
    assert_eq!(mode.with(0, 32, 0x3f0).unwrap().bits(), 0x3f0);
    assert!(mode.with(8, 1, 0).is_none() && mode.with(23, 1, 1).is_none());
    assert!(!mode.is_usual() && mode.with(0, 8, 0xf0).unwrap().is_usual());
    assert_eq!(FloatMode::of(0x00ac_0000, Generation::Gfx12).bits(), 0xc0);
}
