//! Sums of products of the parts of registers. Integers are exact; floats take the upper product first, each fused with the
//! sum (the order is not documented).

use rustc_apfloat::ieee::{BFloat, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::{Case, Kind, Operands, case, signed, wide, word};

/// Parts of `width` bits.
fn parts(bits: u64, width: u32) -> impl Iterator<Item = u64> {
    (0..32 / width).map(move |at| bits >> (width * at) & ((1 << width) - 1))
}

fn of_signed(width: u32) -> impl Fn(Operands) -> u64 {
    move |[a, b, c]| {
        let products = parts(a, width).zip(parts(b, width)).map(|(a, b)| signed(a, width) * signed(b, width));
        (products.sum::<i64>() + wide(c)).cast_unsigned()
    }
}

fn of_unsigned(width: u32) -> impl Fn(Operands) -> u64 {
    move |[a, b, c]| parts(a, width).zip(parts(b, width)).map(|(a, b)| a * b).sum::<u64>() + c
}

fn of_floats<F: Float + FloatConvert<Single>>([a, b, c]: Operands) -> u64 {
    let number = |bits: u64| -> Single { F::from_bits(bits.into()).convert(&mut false).value };
    let fused = |a: u64, b: u64, sum: Single| number(a).mul_add_r(number(b), sum, Round::NearestTiesToEven).value;
    let upper = fused(a >> 16, b >> 16, Single::from_bits(c.into()));
    fused(a & 0xffff, b & 0xffff, upper).to_bits() as u64
}

pub(super) fn cases() -> Vec<Case> {
    let single = Kind::Float(32, false);
    vec![
        word("v_dot2_i32_i16 v_dot2c_i32_i16", of_signed(16)),
        word("v_dot4_i32_i8 v_dot4c_i32_i8", of_signed(8)),
        word("v_dot8_i32_i4 v_dot8c_i32_i4", of_signed(4)),
        word("v_dot2_u32_u16", of_unsigned(16)),
        word("v_dot4_u32_u8", of_unsigned(8)),
        word("v_dot8_u32_u4", of_unsigned(4)),
        case("v_dot2_f32_f16 v_dot2c_f32_f16 v_dot2acc_f32_f16", [32; 3], single, of_floats::<Half>),
        case("v_dot2_f32_bf16 v_dot2c_f32_bf16 v_dot2acc_f32_bf16", [32; 3], single, of_floats::<BFloat>),
    ]
}
