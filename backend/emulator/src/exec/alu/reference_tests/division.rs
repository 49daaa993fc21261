//! The steps of divisions, by the rules that make quotients exact, written over exponents of floats in software; and the
//! reduction of large angles.

use rustc_apfloat::ieee::{Double, Half, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

use super::*;

const NEAREST: Round = Round::NearestTiesToEven;

/// What depends on the width: powers of two that scale, and where exponents are too far apart.
struct Limits {
    scale: i32,
    far: i32,
    small: i32,
    lost: i32,
    mantissa: u32,
}

const SINGLE: Limits = Limits { scale: 64, far: 96, small: 23, lost: -150, mantissa: 23 };
const DOUBLE: Limits = Limits { scale: 128, far: 768, small: 53, lost: -1075, mantissa: 52 };

/// The exponent as it is stored.
fn exponent<F: Float>(value: F, limits: &Limits) -> i32 {
    let bits = (value.to_bits() as u64) >> limits.mantissa;
    (bits & ((1 << (F::BITS as u32 - 1 - limits.mantissa)) - 1)) as i32
}

/// Numerator or denominator of a division, scaled, and whether the quotient has to be scaled back.
fn scaled<F: Float>([value, denominator, numerator]: [F; 3], limits: &Limits) -> (F, bool) {
    let by = |power: i32| value.scalbn_r(power, NEAREST);
    let is_tiny = |value: F| value.is_denormal() || value.is_zero();
    let (up, down) = (by(limits.scale), by(-limits.scale));
    let is_denominator = value.bitwise_eq(denominator);
    let is_numerator = value.bitwise_eq(numerator);
    let one = F::from_u128(1).value;
    let tiny_inverse = is_tiny(one.div_r(denominator, NEAREST).value);
    let tiny_quotient = is_tiny(numerator.div_r(denominator, NEAREST).value);
    let distance = exponent(numerator, limits) - exponent(denominator, limits);
    if denominator.is_zero() || numerator.is_zero() {
        (F::NAN, false)
    } else if distance >= limits.far {
        (if is_denominator { up } else { value }, true)
    } else if denominator.is_denormal() {
        (up, false)
    } else if tiny_inverse && tiny_quotient {
        (if is_denominator { down } else { value }, true)
    } else if tiny_inverse {
        (down, false)
    } else if tiny_quotient {
        (if is_numerator { up } else { value }, true)
    } else if exponent(numerator, limits) <= limits.small {
        (up, false)
    } else {
        (value, false)
    }
}

/// A quotient with the special cases of divisions.
fn fixed<F: Float>([quotient, denominator, numerator]: [F; 3], lost: Option<&Limits>) -> F {
    let sign = if denominator.is_negative() == numerator.is_negative() { F::ZERO } else { -F::ZERO };
    let is_lost = |limits: &Limits| exponent(numerator, limits) - exponent(denominator, limits) < limits.lost;
    if numerator.is_nan() || denominator.is_nan() {
        return F::NAN;
    }
    if (numerator.is_zero() && denominator.is_zero()) || (numerator.is_infinite() && denominator.is_infinite()) {
        return F::NAN;
    }
    if denominator.is_zero() || numerator.is_infinite() {
        return F::INFINITY.copy_sign(sign);
    }
    if denominator.is_infinite() || numerator.is_zero() || lost.is_some_and(is_lost) {
        return sign;
    }
    if quotient.is_nan() && lost.is_some() {
        return F::INFINITY.copy_sign(sign);
    }
    quotient.copy_sign(sign)
}

/// Pairs of a denominator and a numerator, with a quotient or one of them as first operand.
fn divisions(width: u32) -> Vec<Operands> {
    let values = edges(width);
    let pairs = values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b)));
    pairs.flat_map(|(a, b)| [[a, a, b], [b, a, b], [a ^ b, a, b]]).collect()
}

fn check_scale<F: Float>(table: &'static Table, name: &str, width: u32, limits: &Limits) {
    let entry = table.entries().find(|entry| entry.base == name).unwrap();
    let vector = Vector::new(&encoded(table, entry, 0).unwrap(), table.generation).unwrap();
    for chunk in divisions(width).chunks(32) {
        let mut wave = loaded(table.generation, entry, chunk);
        vector::run(&mut wave, &vector);
        for (lane, operands) in chunk.iter().enumerate().filter(|(_, it)| it[0] == it[1] || it[0] == it[2]) {
            let (expected, bit) = scaled(operands.map(|bits| F::from_bits(bits.into())), limits);
            let found = wave.rows.lane64(0, lane);
            let is_right = agrees(Kind::Float(width, false), found, expected.to_bits() as u64);
            assert!(is_right, "{name} {operands:x?}: {found:#x}, not {expected}");
            assert_eq!(wave.scalars.get64(MASK_OUT) >> lane & 1 != 0, bit, "{name} {operands:x?}");
        }
    }
}

fn check_fixup<F: Float>(table: &'static Table, entry: &Entry, width: u32, limits: Option<&Limits>) {
    let vector = Vector::new(&encoded(table, entry, 0).unwrap(), table.generation).unwrap();
    for chunk in divisions(width).chunks(32) {
        for (operands, found) in chunk.iter().zip(results(&vector, table.generation, entry, chunk)) {
            let expected = fixed(operands.map(|bits| F::from_bits(bits.into())), limits);
            let is_right = agrees(Kind::Float(width, false), found, expected.to_bits() as u64);
            assert!(is_right, "{} {operands:x?}: {found:#x}, not {expected}", entry.base);
        }
    }
}

/// A product and a sum times a power of two, rounded once.
fn fused<F: Float + FloatConvert<Quad>>(operands: [F; 3], power: i32) -> F
where
    Quad: FloatConvert<F>,
{
    let [a, b, c]: [Quad; 3] = operands.map(|number| number.convert(&mut false).value);
    let sum = a.mul_add_r(b, c, Round::TowardZero);
    // The last bit remembers that something was cut off.
    let sum = Quad::from_bits(sum.value.to_bits() | u128::from(sum.status.contains(Status::INEXACT)));
    sum.scalbn_r(power, NEAREST).convert_r(NEAREST, &mut false).value
}

/// A product and a sum, scaled back where a bit says so: by the power of two that the size of the third operand asks for.
fn check_fmas<F: Float + FloatConvert<Quad>>(table: &'static Table, name: &str, width: u32, limits: &Limits)
where
    Quad: FloatConvert<F>,
{
    let entry = table.entries().find(|entry| entry.base == name).unwrap();
    let vector = Vector::new(&encoded(table, entry, 0).unwrap(), table.generation).unwrap();
    let one = exponent(F::from_u128(1).value, limits);
    for chunk in triples(entry, [width; 3]).chunks(32) {
        for bits in [0, 0x5555_5555, 0xffff_ffff_u64] {
            let mut wave = loaded(table.generation, entry, chunk);
            wave.scalars.set64(Operand::VCC, bits);
            vector::run(&mut wave, &vector);
            for (lane, operands) in chunk.iter().enumerate() {
                let [a, b, c] = operands.map(|bits| F::from_bits(bits.into()));
                let by = if exponent(c, limits) > one { limits.scale } else { -limits.scale };
                let expected = fused([a, b, c], if bits >> lane & 1 != 0 { by } else { 0 });
                let found = wave.rows.lane64(0, lane);
                let is_right = agrees(Kind::Float(width, false), found, expected.to_bits() as u64);
                assert!(is_right, "{name} {operands:x?}: {found:#x}, not {expected}");
            }
        }
    }
}

#[test]
fn steps_of_divisions_follow_their_rules() {
    for table in tables() {
        check_scale::<Single>(table, "v_div_scale_f32", 32, &SINGLE);
        check_scale::<Double>(table, "v_div_scale_f64", 64, &DOUBLE);
        check_fmas::<Single>(table, "v_div_fmas_f32", 32, &SINGLE);
        check_fmas::<Double>(table, "v_div_fmas_f64", 64, &DOUBLE);
        let named = |name: &'static str| table.entries().filter(move |entry| entry.base.starts_with(name));
        named("v_div_fixup_f32").for_each(|entry| check_fixup::<Single>(table, entry, 32, Some(&SINGLE)));
        named("v_div_fixup_f64").for_each(|entry| check_fixup::<Double>(table, entry, 64, Some(&DOUBLE)));
        let of_half =
            table.entries().filter(|entry| entry.base.starts_with("v_div_fixup") && entry.base.ends_with("f16"));
        of_half.for_each(|entry| check_fixup::<Half>(table, entry, 16, None));
    }
}

/// Parts of 2/pi: the sum of the first three is 2/pi as exactly as two doubles have it, and for large angles the parts are
/// those further behind the point.
#[test]
fn parts_of_two_over_pi_continue_each_other() {
    let table = Table::of(Target::GFX90A.processor);
    let entry = table.entries().find(|entry| entry.base == "v_trig_preop_f64").unwrap();
    let vector = Vector::new(&encoded(table, entry, 0).unwrap(), table.generation).unwrap();
    let part = |angle: f64, number: u64| {
        f64::from_bits(results(&vector, table.generation, entry, &[[angle.to_bits(), number, 0]])[0])
    };
    let [first, second, third] = [0, 1, 2].map(|number| part(1.0, number));
    // 2/pi as a sum of doubles: the nearest one, and what is left.
    let (near, rest) = (std::f64::consts::FRAC_2_PI, -3.935_735_335_036_497_e-17);
    assert_eq!(first + (second + third), near);
    assert!(((first - near) + second + third - rest).abs() < 1e-32);
    assert!(second.abs() < first * 2_f64.powi(-52) && third.abs() < first * 2_f64.powi(-105));
    // 53 places further on, each part is that of the number before.
    let large = 2_f64.powi(54 + 53);
    assert_eq!(part(large, 0), part(2_f64.powi(54), 1));
}
