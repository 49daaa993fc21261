//! Floats: sums, products, roundings to integers, parts.

use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::{Float, Round};

use super::{Case, Kind, Operands, case, signed};

const NEAREST: Round = Round::NearestTiesToEven;

/// Operations that each width of floats has, under the names of that width.
fn floats<F: Float + 'static>(width: u32, names: [&'static str; 12]) -> Vec<Case> {
    let number = |bits: u64| F::from_bits(u128::from(bits));
    let bits = |value: F| value.to_bits() as u64;
    let [add, sub, subrev, mul, fma, min, max, trunc, ceil, floor, rndne, fmac] = names;
    let exact = Kind::Float(width, false);
    let extreme = Kind::Float(width, true);
    let integral = move |round: Round| move |[a, _, _]: Operands| bits(number(a).round_to_integral(round).value);
    let fused = move |[a, b, c]: Operands| bits(number(a).mul_add_r(number(b), number(c), NEAREST).value);
    vec![
        case(add, [width; 3], exact, move |[a, b, _]| bits(number(a).add_r(number(b), NEAREST).value)),
        case(sub, [width; 3], exact, move |[a, b, _]| bits(number(a).sub_r(number(b), NEAREST).value)),
        case(subrev, [width; 3], exact, move |[a, b, _]| bits(number(b).sub_r(number(a), NEAREST).value)),
        case(mul, [width; 3], exact, move |[a, b, _]| bits(number(a).mul_r(number(b), NEAREST).value)),
        case(fma, [width; 3], exact, fused),
        case(fmac, [width, width, width], exact, fused),
        // A number wins over what is none.
        case(min, [width; 3], extreme, move |[a, b, _]| bits(number(a).min(number(b)))),
        case(max, [width; 3], extreme, move |[a, b, _]| bits(number(a).max(number(b)))),
        case(trunc, [width; 3], exact, integral(Round::TowardZero)),
        case(ceil, [width; 3], exact, integral(Round::TowardPositive)),
        case(floor, [width; 3], exact, integral(Round::TowardNegative)),
        case(rndne, [width; 3], exact, integral(NEAREST)),
    ]
}

/// Exponents apart from the rest, under the names of a width: `ldexp`, mantissa, exponent, fraction.
fn parts<F: Float + 'static>(width: u32, shift: u32, exponent: u32, names: [&'static str; 4]) -> Vec<Case> {
    let number = |bits: u64| F::from_bits(u128::from(bits));
    let bits = |value: F| value.to_bits() as u64;
    let [ldexp, mantissa, place, fract] = names;
    let split = move |bits: u64| {
        let mut exponent = 0;
        let mantissa = number(bits).frexp_r(&mut exponent, NEAREST);
        (mantissa, if number(bits).is_finite_non_zero() { exponent } else { 0 })
    };
    vec![
        case(ldexp, [width, shift, 0], Kind::Float(width, false), move |[a, b, _]| {
            // More than any float can be scaled by.
            let by = signed(b, shift).clamp(-5000, 5000) as i32;
            bits(number(a).scalbn_r(by, NEAREST))
        }),
        case(mantissa, [width; 3], Kind::Float(width, false), move |[a, _, _]| bits(split(a).0)),
        case(place, [width; 3], Kind::Bits(exponent), move |[a, _, _]| i64::from(split(a).1).cast_unsigned()),
        case(fract, [width; 3], Kind::Float(width, true), move |[a, _, _]| {
            let value = number(a);
            let rest = value.sub_r(value.round_to_integral(Round::TowardNegative).value, NEAREST).value;
            // Always less than one.
            let most = F::from_u128(1).value.next_down().value;
            bits(if rest.is_nan() { rest } else { rest.min(most) })
        }),
    ]
}

/// Products in which zero wins over everything, and products and sums that are rounded twice.
fn other_products() -> Vec<Case> {
    let single = |bits: u64| Single::from_bits(bits.into());
    let half = |bits: u64| Half::from_bits(bits.into());
    let is_zero = move |a: u64, b: u64| single(a).is_zero() || single(b).is_zero();
    let product = move |[a, b, _]: Operands| {
        if is_zero(a, b) { 0 } else { single(a).mul_r(single(b), NEAREST).value.to_bits() as u64 }
    };
    let fused = move |[a, b, c]: Operands| {
        if is_zero(a, b) { c } else { single(a).mul_add_r(single(b), single(c), NEAREST).value.to_bits() as u64 }
    };
    let kept = |value: Single| if value.is_denormal() { Single::ZERO.copy_sign(value) } else { value };
    let twice = move |operands: Operands| {
        let [a, b, c] = operands.map(|bits| kept(single(bits)));
        let product = kept(a.mul_r(b, NEAREST).value);
        kept(product.add_r(c, NEAREST).value).to_bits() as u64
    };
    let twice_half = move |operands: Operands| {
        let [a, b, c] = operands.map(half);
        a.mul_r(b, NEAREST).value.add_r(c, NEAREST).value.to_bits() as u64
    };
    vec![
        case("v_mul_legacy_f32 v_mul_dx9_zero_f32", [32; 3], Kind::Float(32, true), product),
        case(
            "v_fma_legacy_f32 v_fma_dx9_zero_f32 v_fmac_legacy_f32 v_fmac_dx9_zero_f32",
            [32; 3],
            Kind::Float(32, true),
            fused,
        ),
        case("v_mad_f32 v_mac_f32 v_madmk_f32 v_madak_f32", [32; 3], Kind::Float(32, false), twice),
        case(
            "v_mad_f16 v_mad_legacy_f16 v_mac_f16 v_madmk_f16 v_madak_f16",
            [16; 3],
            Kind::Float(16, false),
            twice_half,
        ),
    ]
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = other_products();
    let of_half = ["v_ldexp_f16", "v_frexp_mant_f16", "v_frexp_exp_i16_f16", "v_fract_f16"];
    let of_single = ["v_ldexp_f32", "v_frexp_mant_f32", "v_frexp_exp_i32_f32", "v_fract_f32"];
    let of_double = ["v_ldexp_f64", "v_frexp_mant_f64", "v_frexp_exp_i32_f64", "v_fract_f64"];
    cases.extend(parts::<Half>(16, 16, 16, of_half));
    cases.extend(parts::<Single>(32, 32, 32, of_single));
    cases.extend(parts::<Double>(64, 32, 32, of_double));
    cases.extend(floats::<Half>(
        16,
        [
            "v_add_f16",
            "v_sub_f16",
            "v_subrev_f16",
            "v_mul_f16",
            "v_fma_f16",
            "v_min_f16 v_min_num_f16",
            "v_max_f16 v_max_num_f16",
            "v_trunc_f16",
            "v_ceil_f16",
            "v_floor_f16",
            "v_rndne_f16",
            "v_fmac_f16 v_fmaak_f16 v_fmamk_f16 v_fma_legacy_f16",
        ],
    ));
    cases.extend(floats::<Single>(
        32,
        [
            "v_add_f32",
            "v_sub_f32",
            "v_subrev_f32",
            "v_mul_f32",
            "v_fma_f32",
            "v_min_f32 v_min_num_f32",
            "v_max_f32 v_max_num_f32",
            "v_trunc_f32",
            "v_ceil_f32",
            "v_floor_f32",
            "v_rndne_f32",
            "v_fmac_f32 v_fmaak_f32 v_fmamk_f32",
        ],
    ));
    cases.extend(floats::<Double>(
        64,
        [
            "v_add_f64",
            "",
            "",
            "v_mul_f64",
            "v_fma_f64",
            "v_min_f64 v_min_num_f64",
            "v_max_f64 v_max_num_f64",
            "v_trunc_f64",
            "v_ceil_f64",
            "v_floor_f64",
            "v_rndne_f64",
            "v_fmac_f64",
        ],
    ));
    cases
}
