//! Integers of 16 bits.

use super::registry::Registry;
use crate::exec::alu::lane::{MaskSource, Valu, binary, general, ternary, unary};

pub(super) fn add(registry: &mut Registry) {
    registry.add("v_mov_b16", unary(|a: u16| a));
    registry.add("v_not_b16", unary(|a: u16| !a));
    registry.add("v_and_b16", binary(|a: u16, b: u16| a & b));
    registry.add("v_or_b16", binary(|a: u16, b: u16| a | b));
    registry.add("v_xor_b16", binary(|a: u16, b: u16| a ^ b));
    registry.add("v_add_u16 v_add_nc_u16", binary(u16::wrapping_add));
    registry.add("v_sub_u16 v_sub_nc_u16", binary(u16::wrapping_sub));
    registry.add("v_subrev_u16", binary(|a: u16, b: u16| b.wrapping_sub(a)));
    registry.add("v_add_u16/clamp v_add_nc_u16/clamp", binary(u16::saturating_add));
    registry.add("v_sub_u16/clamp v_sub_nc_u16/clamp", binary(u16::saturating_sub));
    registry.add("v_subrev_u16/clamp", binary(|a: u16, b: u16| b.saturating_sub(a)));
    registry.add("v_add_i16 v_add_nc_i16", binary(i16::wrapping_add));
    registry.add("v_sub_i16 v_sub_nc_i16", binary(i16::wrapping_sub));
    registry.add("v_add_i16/clamp v_add_nc_i16/clamp", binary(i16::saturating_add));
    registry.add("v_sub_i16/clamp v_sub_nc_i16/clamp", binary(i16::saturating_sub));
    registry.add("v_mul_lo_u16", binary(u16::wrapping_mul));
    registry.add("v_lshlrev_b16", binary(|by: u16, value: u16| value << (by & 15)));
    registry.add("v_lshrrev_b16", binary(|by: u16, value: u16| value >> (by & 15)));
    registry.add("v_ashrrev_i16", binary(|by: u16, value: i16| value >> (by & 15)));
    extremes(registry);
    let mad = |a: u16, b: u16, c: u16| a.wrapping_mul(b).wrapping_add(c);
    registry.add("v_mad_legacy_u16 v_mad_legacy_i16", ternary(mad));
    registry.add("v_mad_u16 v_mad_i16", ternary(mad).keeping());
    registry.add("v_mad_u32_u16", ternary(|a: u16, b: u16, c: u32| (u32::from(a) * u32::from(b)).wrapping_add(c)));
    registry.add("v_mad_i32_i16", ternary(|a: i16, b: i16, c: i32| (i32::from(a) * i32::from(b)).wrapping_add(c)));
    registry.add(
        "v_cndmask_b16",
        Valu { mask: MaskSource::Third, ..general(|_, a: u16, b: u16, (), bit| (if bit { b } else { a }, false)) },
    );
    registry.add("v_cvt_i32_i16", unary(|a: i16| i32::from(a)));
    registry.add("v_cvt_u32_u16", unary(|a: u16| u32::from(a)));
}

fn extremes(registry: &mut Registry) {
    registry.add("v_min_u16", binary(|a: u16, b: u16| a.min(b)));
    registry.add("v_max_u16", binary(|a: u16, b: u16| a.max(b)));
    registry.add("v_min_i16", binary(|a: i16, b: i16| a.min(b)));
    registry.add("v_max_i16", binary(|a: i16, b: i16| a.max(b)));
    registry.add("v_min3_u16", ternary(|a: u16, b: u16, c: u16| a.min(b).min(c)).keeping());
    registry.add("v_max3_u16", ternary(|a: u16, b: u16, c: u16| a.max(b).max(c)).keeping());
    registry.add("v_min3_i16", ternary(|a: i16, b: i16, c: i16| a.min(b).min(c)).keeping());
    registry.add("v_max3_i16", ternary(|a: i16, b: i16, c: i16| a.max(b).max(c)).keeping());
    registry.add("v_med3_u16", ternary(|a: u16, b: u16, c: u16| a.min(b).max(a.max(b).min(c))).keeping());
    registry.add("v_med3_i16", ternary(|a: i16, b: i16, c: i16| a.min(b).max(a.max(b).min(c))).keeping());
}
