//! Conversions.

use super::registry::Registry;
use crate::exec::alu::lane::{binary, ternary, unary};
use crate::exec::number::bf16;
use crate::exec::number::element::Pair;
use crate::exec::number::half::F16;

fn byte(value: u32, index: u32) -> f32 {
    (value >> (8 * index) & 255) as f32
}

/// A number from -1 to 1 as a fixed-point number.
fn signed_norm(value: f32) -> i16 {
    (value.clamp(-1.0, 1.0) * 32767.0).round_ties_even() as i16
}

/// A number from 0 to 1 as a fixed-point number.
fn unsigned_norm(value: f32) -> u16 {
    (value.clamp(0.0, 1.0) * 65535.0).round_ties_even() as u16
}

pub(super) fn add(registry: &mut Registry) {
    registry.add("v_cvt_f32_i32", unary(|a: i32| a as f32));
    registry.add("v_cvt_f32_u32", unary(|a: u32| a as f32));
    registry.add("v_cvt_i32_f32", unary(|a: f32| a as i32));
    registry.add("v_cvt_u32_f32", unary(|a: f32| a as u32));
    registry.add("v_cvt_rpi_i32_f32 v_cvt_nearest_i32_f32", unary(|a: f32| (a + 0.5).floor() as i32));
    registry.add("v_cvt_flr_i32_f32 v_cvt_floor_i32_f32", unary(|a: f32| a.floor() as i32));
    registry.add("v_cvt_f64_i32", unary(|a: i32| f64::from(a)));
    registry.add("v_cvt_f64_u32", unary(|a: u32| f64::from(a)));
    registry.add("v_cvt_i32_f64", unary(|a: f64| a as i32));
    registry.add("v_cvt_u32_f64", unary(|a: f64| a as u32));
    registry.add("v_cvt_f32_f64", unary(|a: f64| a as f32));
    registry.add("v_cvt_f64_f32", unary(|a: f32| f64::from(a)));
    registry.add("v_cvt_f32_f16", unary(F16::single));
    registry.add("v_cvt_f16_f32", unary(F16::nearest));
    registry.add("v_cvt_f32_bf16", unary(bf16::single));
    registry.add("v_cvt_f16_i16", unary(|a: i16| F16::nearest(f32::from(a))));
    registry.add("v_cvt_f16_u16", unary(|a: u16| F16::nearest(f32::from(a))));
    registry.add("v_cvt_i16_f16", unary(|a: F16| a.single() as i16));
    registry.add("v_cvt_u16_f16", unary(|a: F16| a.single() as u16));
    registry.add("v_cvt_f32_ubyte0", unary(|a: u32| byte(a, 0)));
    registry.add("v_cvt_f32_ubyte1", unary(|a: u32| byte(a, 1)));
    registry.add("v_cvt_f32_ubyte2", unary(|a: u32| byte(a, 2)));
    registry.add("v_cvt_f32_ubyte3", unary(|a: u32| byte(a, 3)));
    let off = |a: u32| ((a << 28).cast_signed() >> 28) as f32 / 16.0;
    registry.add("v_cvt_off_f32_i4", unary(off));
    packed(registry);
}

fn packed(registry: &mut Registry) {
    registry.add(
        "v_cvt_pkrtz_f16_f32 v_cvt_pk_rtz_f16_f32",
        binary(|a: f32, b: f32| Pair(F16::truncated(a), F16::truncated(b))),
    );
    registry.add("v_cvt_pk_u16_u32", binary(|a: u32, b: u32| Pair(a.min(0xffff) as u16, b.min(0xffff) as u16)));
    let limit = |a: i32| a.clamp(-32768, 32767) as i16;
    registry.add("v_cvt_pk_i16_i32", binary(move |a: i32, b: i32| Pair(limit(a), limit(b))));
    registry.add("v_cvt_pk_u16_f32", binary(|a: f32, b: f32| Pair(a as u16, b as u16)));
    registry.add("v_cvt_pk_i16_f32", binary(|a: f32, b: f32| Pair(a as i16, b as i16)));
    registry.add(
        "v_cvt_pknorm_i16_f32 v_cvt_pk_norm_i16_f32",
        binary(|a: f32, b: f32| Pair(signed_norm(a), signed_norm(b))),
    );
    registry.add(
        "v_cvt_pknorm_u16_f32 v_cvt_pk_norm_u16_f32",
        binary(|a: f32, b: f32| Pair(unsigned_norm(a), unsigned_norm(b))),
    );
    registry.add(
        "v_cvt_pk_u8_f32",
        ternary(|a: f32, at: u32, old: u32| {
            let shift = 8 * (at & 3);
            old & !(255 << shift) | u32::from(a.round_ties_even() as u8) << shift
        }),
    );
    registry.add("v_cvt_pk_f16_f32", binary(|a: f32, b: f32| Pair(F16::nearest(a), F16::nearest(b))));
    registry.add("v_cvt_pk_bf16_f32", binary(|a: f32, b: f32| Pair(bf16::nearest(a), bf16::nearest(b))));
    for (name, least, most) in [("v_ashr_pk_i8_i32", -128, 127), ("v_ashr_pk_u8_i32", 0, 255)] {
        let byte = move |value: i32, by: u32| u16::from((value >> (by & 31)).clamp(least, most) as u8);
        registry.add(name, ternary(move |a: i32, b: i32, by: u32| byte(a, by) | byte(b, by) << 8).keeping());
    }
    registry.add("v_pack_b32_f16", binary(|a: F16, b: F16| Pair(a, b)));
    registry.add("v_sat_pk_u8_i16", unary(|a: Pair<i16>| a.0.clamp(0, 255) as u16 | (a.1.clamp(0, 255) as u16) << 8));
}
