//! Scalar instructions against references that share no code with them, with the condition before and after.

mod complete;
mod constants;
mod floats;
mod masks;

use std::collections::BTreeSet;

use super::instruction_tests::sop;
use super::references;
use super::scalar::{self, Scalar};
use crate::exec::state::wave::Wave;
use crate::isa::{Entry, Operand, Table};
use crate::target::Target;

/// What a reference works on: both sources, the old destination, the condition.
#[derive(Clone, Copy)]
struct Input {
    a: u64,
    b: u64,
    old: u64,
    condition: bool,
}

/// The condition afterwards.
#[derive(Clone, Copy)]
enum After {
    Kept,
    NotZero,
    Is(bool),
}

struct Case {
    names: &'static str,
    /// Bits of both sources and of the result.
    widths: [u32; 3],
    reference: Box<dyn Fn(Input) -> (u64, After)>,
}

fn case(names: &'static str, widths: [u32; 3], reference: impl Fn(Input) -> (u64, After) + 'static) -> Case {
    Case { names, widths, reference: Box::new(reference) }
}

/// A number with a sign, of so many bits.
fn signed(bits: u64, width: u32) -> i128 {
    references::signed(bits, width).into()
}

fn limit(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// Functions of bits, for a width.
fn bits(width: u32, names: [&'static str; 14]) -> Vec<Case> {
    let functions: [fn(u64, u64) -> u64; 14] = [
        |a, b| a & b,
        |a, b| a | b,
        |a, b| a ^ b,
        |a, b| !(a & b),
        |a, b| !(a | b),
        |a, b| !(a ^ b),
        |a, b| a & !b,
        |a, b| a | !b,
        |a, _| !a,
        |a, _| (0..64).step_by(4).filter(|at| a >> at & 15 != 0).map(|at| 15 << at).sum(),
        |a, _| (0..64).step_by(4).filter(|at| a >> at & 15 != 0).map(|at| 1 << (at / 4)).sum(),
        |a, _| (0..64).map(|bit| a >> bit & 1).sum(),
        |_, _| 0,
        |_, _| 0,
    ];
    let mut cases = Vec::new();
    for (name, function) in names.into_iter().zip(functions).take(12) {
        cases.push(case(name, [width; 3], move |it| (function(it.a, it.b), After::NotZero)));
    }
    cases.push(case(names[12], [width; 3], move |it| {
        ((0..width).map(|bit| (it.a >> bit & 1) << (width - 1 - bit)).sum(), After::Kept)
    }));
    cases.push(case(names[13], [width; 3], |it| (it.a, After::Kept)));
    cases
}

/// Shifts and fields, for a width.
fn shifts(width: u32, names: [&'static str; 6]) -> Vec<Case> {
    let [left, right, arithmetic, unsigned_field, signed_field, mask] = names;
    let size = u64::from(width);
    vec![
        case(left, [width, 32, width], move |it| (it.a << (it.b % size), After::NotZero)),
        case(right, [width, 32, width], move |it| (it.a >> (it.b % size), After::NotZero)),
        case(arithmetic, [width, 32, width], move |it| ((signed(it.a, width) >> (it.b % size)) as u64, After::NotZero)),
        case(unsigned_field, [width, 32, width], move |it| (field(it, width, false), After::NotZero)),
        case(signed_field, [width, 32, width], move |it| (field(it, width, true), After::NotZero)),
        case(mask, [32, 32, width], move |it| {
            let ones = (1_u128 << (it.a % size)) - 1;
            ((ones << (it.b % size)) as u64, After::Kept)
        }),
    ]
}

/// So many bits (7 bits from bit 16) from a place on (5 or 6 bits).
fn field(it: Input, width: u32, has_sign: bool) -> u64 {
    let (place, count) = (it.b % u64::from(width), ((it.b >> 16) % 128).min(u64::from(width)) as u32);
    let value = if has_sign { signed(it.a, width) >> place } else { i128::from(it.a >> place) };
    match count {
        0 => 0,
        _ if has_sign => signed(value as u64 & limit(count), count) as u64,
        _ => value as u64 & limit(count),
    }
}

fn sums() -> Vec<Case> {
    let carry = |sum: u64| (sum, After::Is(sum >> 32 != 0));
    let overflow = |sum: i128| (sum as u64, After::Is(sum != signed(sum as u64 & limit(32), 32)));
    let lower = |it: Input, takes_first: bool| if takes_first { it.a } else { it.b };
    let mut cases = vec![
        case("s_add_u32 s_add_co_u32", [32; 3], move |it| carry(it.a + it.b)),
        case("s_addc_u32 s_add_co_ci_u32", [32; 3], move |it| carry(it.a + it.b + u64::from(it.condition))),
        case("s_sub_u32 s_sub_co_u32", [32; 3], |it| (it.a.wrapping_sub(it.b), After::Is(it.b > it.a))),
        case("s_subb_u32 s_sub_co_ci_u32", [32; 3], |it| {
            let taken = it.b + u64::from(it.condition);
            (it.a.wrapping_sub(taken), After::Is(taken > it.a))
        }),
        case("s_add_i32 s_add_co_i32", [32; 3], move |it| overflow(signed(it.a, 32) + signed(it.b, 32))),
        case("s_sub_i32 s_sub_co_i32", [32; 3], move |it| overflow(signed(it.a, 32) - signed(it.b, 32))),
        case("s_add_nc_u64", [64; 3], |it| (it.a.wrapping_add(it.b), After::Kept)),
        case("s_sub_nc_u64", [64; 3], |it| (it.a.wrapping_sub(it.b), After::Kept)),
        case("s_mul_u64", [64; 3], |it| (it.a.wrapping_mul(it.b), After::Kept)),
        case("s_mul_i32", [32; 3], |it| (it.a * it.b, After::Kept)),
        case("s_mul_hi_u32", [32; 3], |it| (it.a * it.b >> 32, After::Kept)),
        case("s_mul_hi_i32", [32; 3], |it| (((signed(it.a, 32) * signed(it.b, 32)) >> 32) as u64, After::Kept)),
        case("s_abs_i32", [32; 3], |it| (signed(it.a, 32).unsigned_abs() as u64, After::NotZero)),
        case("s_absdiff_i32", [32; 3], |it| {
            // The difference wraps.
            (signed(it.a.wrapping_sub(it.b) & limit(32), 32).unsigned_abs() as u64, After::NotZero)
        }),
        case("s_min_u32", [32; 3], move |it| (lower(it, it.a <= it.b), After::Is(it.a < it.b))),
        case("s_max_u32", [32; 3], move |it| (lower(it, it.a >= it.b), After::Is(it.a > it.b))),
        case("s_min_i32", [32; 3], move |it| {
            let is_less = signed(it.a, 32) < signed(it.b, 32);
            (lower(it, is_less), After::Is(is_less))
        }),
        case("s_max_i32", [32; 3], move |it| {
            let is_greater = signed(it.a, 32) > signed(it.b, 32);
            (lower(it, is_greater), After::Is(is_greater))
        }),
    ];
    let names = ["s_lshl1_add_u32", "s_lshl2_add_u32", "s_lshl3_add_u32", "s_lshl4_add_u32"];
    for (name, by) in names.into_iter().zip(1..) {
        cases.push(case(name, [32; 3], move |it| carry((it.a << by) + it.b)));
    }
    cases
}

fn others() -> Vec<Case> {
    let first =
        |bits: u64, width: u32, set: u64| (0..width).find(|bit| bits >> bit & 1 == set).map_or(u64::MAX, u64::from);
    let from_top =
        |bits: u64, width: u32| (0..width).find(|bit| bits >> (width - 1 - bit) & 1 != 0).map_or(u64::MAX, u64::from);
    let signs = |bits: u64, width: u32| {
        let sign = bits >> (width - 1) & 1;
        (1..width).find(|bit| bits >> (width - 1 - bit) & 1 != sign).map_or(u64::MAX, u64::from)
    };
    let zeros = |bits: u64, width: u32| u64::from(width) - (0..width).map(|bit| bits >> bit & 1).sum::<u64>();
    vec![
        case("s_ff1_i32_b32 s_ctz_i32_b32", [32; 3], move |it| (first(it.a, 32, 1), After::Kept)),
        case("s_ff1_i32_b64 s_ctz_i32_b64", [64, 64, 32], move |it| (first(it.a, 64, 1), After::Kept)),
        case("s_ff0_i32_b32", [32; 3], move |it| (first(it.a, 32, 0), After::Kept)),
        case("s_ff0_i32_b64", [64, 64, 32], move |it| (first(it.a, 64, 0), After::Kept)),
        case("s_flbit_i32_b32 s_clz_i32_u32", [32; 3], move |it| (from_top(it.a, 32), After::Kept)),
        case("s_flbit_i32_b64 s_clz_i32_u64", [64, 64, 32], move |it| (from_top(it.a, 64), After::Kept)),
        case("s_flbit_i32 s_cls_i32", [32; 3], move |it| (signs(it.a, 32), After::Kept)),
        case("s_flbit_i32_i64 s_cls_i32_i64", [64, 64, 32], move |it| (signs(it.a, 64), After::Kept)),
        case("s_bcnt0_i32_b32", [32; 3], move |it| (zeros(it.a, 32), After::NotZero)),
        case("s_bcnt0_i32_b64", [64, 64, 32], move |it| (zeros(it.a, 64), After::NotZero)),
        case("s_sext_i32_i8", [32; 3], |it| (signed(it.a & 0xff, 8) as u64, After::Kept)),
        case("s_sext_i32_i16", [32; 3], |it| (signed(it.a & 0xffff, 16) as u64, After::Kept)),
        case("s_bitset0_b32", [32; 3], |it| (it.old & !(1 << (it.a % 32)), After::Kept)),
        case("s_bitset1_b32", [32; 3], |it| (it.old | 1 << (it.a % 32), After::Kept)),
        case("s_bitset0_b64", [32, 32, 64], |it| (it.old & !(1 << (it.a % 64)), After::Kept)),
        case("s_bitset1_b64", [32, 32, 64], |it| (it.old | 1 << (it.a % 64), After::Kept)),
        case("s_bitreplicate_b64_b32", [32, 32, 64], |it| {
            ((0..32).map(|bit| (it.a >> bit & 1) * (3 << (2 * bit))).sum(), After::Kept)
        }),
        case("s_cselect_b32", [32; 3], |it| (if it.condition { it.a } else { it.b }, After::Kept)),
        case("s_cselect_b64", [64; 3], |it| (if it.condition { it.a } else { it.b }, After::Kept)),
        case("s_cmov_b32", [32; 3], |it| (if it.condition { it.a } else { it.old }, After::Kept)),
        case("s_cmov_b64", [64; 3], |it| (if it.condition { it.a } else { it.old }, After::Kept)),
        case("s_pack_ll_b32_b16", [32; 3], |it| (it.a & 0xffff | it.b << 16, After::Kept)),
        case("s_pack_lh_b32_b16", [32; 3], |it| (it.a & 0xffff | it.b & 0xffff_0000, After::Kept)),
        case("s_pack_hh_b32_b16", [32; 3], |it| (it.a >> 16 | it.b & 0xffff_0000, After::Kept)),
        case("s_pack_hl_b32_b16", [32; 3], |it| (it.a >> 16 | it.b << 16, After::Kept)),
    ]
}

/// Comparisons leave the destination alone.
fn comparisons() -> Vec<Case> {
    let is = |it: Input, holds: bool| (it.old, After::Is(holds));
    let mut cases = vec![
        case("s_cmp_eq_u64", [64; 3], move |it| is(it, it.a == it.b)),
        case("s_cmp_lg_u64", [64; 3], move |it| is(it, it.a != it.b)),
        case("s_bitcmp0_b32", [32; 3], move |it| is(it, it.a >> (it.b % 32) & 1 == 0)),
        case("s_bitcmp1_b32", [32; 3], move |it| is(it, it.a >> (it.b % 32) & 1 == 1)),
        case("s_bitcmp0_b64", [64, 32, 32], move |it| is(it, it.a >> (it.b % 64) & 1 == 0)),
        case("s_bitcmp1_b64", [64, 32, 32], move |it| is(it, it.a >> (it.b % 64) & 1 == 1)),
    ];
    let orders: [fn(i128, i128) -> bool; 6] =
        [|a, b| a == b, |a, b| a != b, |a, b| a < b, |a, b| a <= b, |a, b| a > b, |a, b| a >= b];
    let of_signed = ["s_cmp_eq_i32", "s_cmp_lg_i32", "s_cmp_lt_i32", "s_cmp_le_i32", "s_cmp_gt_i32", "s_cmp_ge_i32"];
    let of_unsigned = ["s_cmp_eq_u32", "s_cmp_lg_u32", "s_cmp_lt_u32", "s_cmp_le_u32", "s_cmp_gt_u32", "s_cmp_ge_u32"];
    for (at, holds) in orders.into_iter().enumerate() {
        cases.push(case(of_signed[at], [32; 3], move |it| is(it, holds(signed(it.a, 32), signed(it.b, 32)))));
        cases.push(case(of_unsigned[at], [32; 3], move |it| is(it, holds(it.a.into(), it.b.into()))));
    }
    cases
}

fn cases() -> Vec<Case> {
    let of_32 = [
        "s_and_b32",
        "s_or_b32",
        "s_xor_b32",
        "s_nand_b32",
        "s_nor_b32",
        "s_xnor_b32",
        "s_andn2_b32 s_and_not1_b32",
        "s_orn2_b32 s_or_not1_b32",
        "s_not_b32",
        "s_wqm_b32",
        "s_quadmask_b32",
        "s_bcnt1_i32_b32",
        "s_brev_b32",
        "s_mov_b32",
    ];
    let of_64 = [
        "s_and_b64",
        "s_or_b64",
        "s_xor_b64",
        "s_nand_b64",
        "s_nor_b64",
        "s_xnor_b64",
        "s_andn2_b64 s_and_not1_b64",
        "s_orn2_b64 s_or_not1_b64",
        "s_not_b64",
        "s_wqm_b64",
        "s_quadmask_b64",
        "s_bcnt1_i32_b64",
        "s_brev_b64",
        "s_mov_b64",
    ];
    let shifts_32 = ["s_lshl_b32", "s_lshr_b32", "s_ashr_i32", "s_bfe_u32", "s_bfe_i32", "s_bfm_b32"];
    let shifts_64 = ["s_lshl_b64", "s_lshr_b64", "s_ashr_i64", "s_bfe_u64", "s_bfe_i64", "s_bfm_b64"];
    let mut wide = bits(64, of_64);
    for case in wide.iter_mut().filter(|case| case.names.contains("bcnt")) {
        case.widths[2] = 32;
    }
    [bits(32, of_32), wide, shifts(32, shifts_32), shifts(64, shifts_64), sums(), others(), comparisons()]
        .into_iter()
        .flatten()
        .collect()
}

fn edges(width: u32) -> Vec<u64> {
    let words = [
        0,
        1,
        2,
        5,
        31,
        32,
        33,
        63,
        0x7f,
        0x80,
        0xffff,
        0x1_0004,
        0x8_0008,
        0x20_0000,
        0x7f_001f,
        0x1234_5678,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_fffe,
        0xffff_ffff,
    ];
    let long = [1 << 32, 0x7fff_ffff_ffff_ffff, 1 << 63, 0xf0f0_0000_0ff0_000f, u64::MAX - 1, u64::MAX];
    if width == 64 { words.into_iter().chain(long).collect() } else { words.into() }
}

fn check(table: &'static Table, case: &Case, entry: &Entry) {
    let operation = Scalar::new(&sop(table, entry.base, 0)).unwrap();
    let old = 0x5a5a_1234_8765_0ff0_u64;
    for a in edges(case.widths[0]) {
        for b in edges(case.widths[1]) {
            for condition in [false, true] {
                let mut wave = Wave::new(64);
                wave.scalars.set64(Operand(2), a);
                wave.scalars.set64(Operand(4), b);
                wave.scalars.set64(Operand(6), old);
                wave.scalars.scc = condition;
                scalar::run(&mut wave, &operation);
                let width = limit(case.widths[2]);
                let (result, after) = (case.reference)(Input { a, b, old: old & width, condition });
                let (result, found) = (result & width, wave.scalars.get64(Operand(6)));
                let after = match after {
                    After::Kept => condition,
                    After::NotZero => result != 0,
                    After::Is(holds) => holds,
                };
                assert_eq!(found, result | old & !width, "{} {a:#x} {b:#x} {condition}", entry.base);
                assert_eq!(wave.scalars.scc, after, "condition of {} {a:#x} {b:#x} {condition}", entry.base);
            }
        }
    }
}

#[test]
fn scalar_instructions_compute_what_references_say() {
    let cases = cases();
    let mut checked = BTreeSet::new();
    for target in ["gfx90a", "gfx1030", "gfx1100", "gfx1201"] {
        let table = Table::of(Target::parse(target).unwrap().processor);
        for case in &cases {
            for name in case.names.split_whitespace() {
                let Some(entry) = table.entries().find(|entry| entry.base == name) else { continue };
                check(table, case, entry);
                checked.insert(entry.base);
            }
        }
    }
    assert!(checked.len() >= 110, "{}: {checked:?}", checked.len());
}
