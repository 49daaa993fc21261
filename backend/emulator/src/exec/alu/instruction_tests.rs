//! Single instructions, decoded from words as kernels have them, against arithmetic written anew.

use std::collections::BTreeSet;

use super::scalar::{self, Scalar};
use super::vector::{self, Vector};
use crate::exec::state::wave::Wave;
use crate::isa::{Encoding, Entry, Field, Inst, Operand, Table, decode};
use crate::target::{Generation, Target};

const EDGES: [u32; 20] = [
    0,
    1,
    2,
    3,
    31,
    32,
    63,
    64,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
];

/// The bits of VOP3 that are the same in all instructions of a generation, and those of VOP3P.
pub(super) fn long_prefixes(generation: Generation) -> [u32; 2] {
    if generation.is_gfx9() { [0xd000_0000, 0xd380_0000] } else { [0xd400_0000, 0xcc00_0000] }
}

/// The words of a VOP3 instruction on `v0` with sources `v2`, `v4`, `v6`; `first` and `second` are further bits.
pub(super) fn vop3(table: &'static Table, name: &str, first: u32, second: u32) -> Inst {
    let is_named = |entry: &&Entry| entry.base == name && entry.encoding == Encoding::Vop3;
    let entry = table.entries().find(is_named).unwrap_or_else(|| panic!("no {name}"));
    let [prefix, _] = long_prefixes(table.generation);
    let words = [prefix | u32::from(entry.opcode) << 16 | first, 0x102 | 0x104 << 9 | 0x106 << 18 | second];
    decode(table, &words).unwrap()
}

/// The words of a VOP3P instruction, as those of [`vop3`]; the upper half of the result comes from the upper halves of the
/// sources. `second` are further bits.
pub(super) fn vop3p(table: &'static Table, name: &str, second: u32) -> Inst {
    let is_named = |entry: &&Entry| entry.base == name && entry.encoding == Encoding::Vop3p;
    let entry = table.entries().find(is_named).unwrap_or_else(|| panic!("no {name}"));
    let [_, prefix] = long_prefixes(table.generation);
    let is_mixed = name.starts_with("v_fma_mix");
    let halves = if is_mixed { [0, 0] } else { [1 << 14, 0x1800_0000] };
    let words =
        [prefix | u32::from(entry.opcode) << 16 | halves[0], halves[1] | 0x102 | 0x104 << 9 | 0x106 << 18 | second];
    decode(table, &words).unwrap()
}

/// A wave whose lanes hold all triples of some values, one wave after another; calls back with results.
fn on_triples(inst: &Inst, generation: Generation, mut check: impl FnMut([u32; 3], u32)) {
    let vector = Vector::new(inst, generation).unwrap();
    let lanes = if generation.is_gfx9() { 64 } else { 32 };
    let mut wave = Wave::new(lanes);
    let all: Vec<[u32; 3]> =
        EDGES.iter().flat_map(|a| EDGES.iter().flat_map(move |b| EDGES.iter().map(move |c| [*a, *b, *c]))).collect();
    for triples in all.chunks(lanes) {
        wave.scalars.set64(Operand::EXEC, wave.all_lanes());
        for (lane, values) in triples.iter().enumerate() {
            for (value, row) in values.iter().zip([2, 4, 6]) {
                wave.rows.set_lane(row, lane, *value);
            }
        }
        vector::run(&mut wave, &vector);
        for (lane, values) in triples.iter().enumerate() {
            check(*values, wave.rows.lane(0, lane));
        }
    }
}

type Reference = fn(u64, u64, u64) -> u64;

const INTEGERS: &[(&str, Reference)] = &[
    ("v_add3_u32", |a, b, c| a + b + c),
    ("v_lshl_add_u32", |a, b, c| (a << (b % 32)) + c),
    ("v_add_lshl_u32", |a, b, c| (a + b) << (c % 32)),
    ("v_lshl_or_b32", |a, b, c| a << (b % 32) | c),
    ("v_and_or_b32", |a, b, c| a & b | c),
    ("v_or3_b32", |a, b, c| a | b | c),
    ("v_xad_u32", |a, b, c| (a ^ b) + c),
    ("v_alignbit_b32", |a, b, c| (a << 32 | b) >> (c % 32)),
    ("v_alignbyte_b32", |a, b, c| (a << 32 | b) >> (c % 4 * 8)),
    ("v_bfi_b32", |a, b, c| (a & b) | (u64::from(u32::MAX) - a) & c),
    ("v_bfe_u32", |a, b, c| (a >> (b % 32)) % (1 << (c % 32))),
    ("v_mad_u32_u24", |a, b, c| (a % (1 << 24)) * (b % (1 << 24)) + c),
    ("v_max3_u32", |a, b, c| *[a, b, c].iter().max().unwrap()),
    ("v_min3_u32", |a, b, c| *[a, b, c].iter().min().unwrap()),
    ("v_med3_u32", |a, b, c| {
        let mut sorted = [a, b, c];
        sorted.sort_unstable();
        sorted[1]
    }),
    ("v_sad_u32", |a, b, c| a.max(b) - a.min(b) + c),
    ("v_mul_lo_u32", |a, b, _| a.wrapping_mul(b)),
    ("v_mul_hi_u32", |a, b, _| (u128::from(a) * u128::from(b) >> 32) as u64),
    ("v_bcnt_u32_b32", |a, b, _| u64::from(a.count_ones()) + b),
];

#[test]
fn integers_are_computed_as_on_paper() {
    for target in [Target::GFX90A, Target::GFX1100] {
        let table = Table::of(target.processor);
        for (name, reference) in INTEGERS {
            let inst = vop3(table, name, 0, 0);
            on_triples(&inst, table.generation, |[a, b, c], found| {
                let expected = reference(a.into(), b.into(), c.into()) as u32;
                assert_eq!(found, expected, "{name} {a:#x} {b:#x} {c:#x}");
            });
        }
    }
}

#[test]
fn clamped_sums_do_not_wrap() {
    for (target, add, subtract) in
        [(Target::GFX90A, "v_add_u32", "v_sub_u32"), (Target::GFX1100, "v_add_nc_u32", "v_sub_nc_u32")]
    {
        let table = Table::of(target.processor);
        let clamp = 1 << 15;
        on_triples(&vop3(table, add, clamp, 0), table.generation, |[a, b, _], found| {
            assert_eq!(u64::from(found), (u64::from(a) + u64::from(b)).min(0xffff_ffff));
        });
        on_triples(&vop3(table, subtract, clamp, 0), table.generation, |[a, b, _], found| {
            assert_eq!(i64::from(found), (i64::from(a) - i64::from(b)).max(0));
        });
    }
}

#[test]
fn floats_take_signs_and_factors() {
    let table = Table::of(Target::GFX90A.processor);
    // -|v2| * v4, twice, limited.
    let inst = vop3(table, "v_mul_f32", 1 << 8 | 1 << 15, 1 << 27 | 1 << 29);
    on_triples(&inst, table.generation, |[a, b, _], found| {
        let product = -f32::from_bits(a).abs() * f32::from_bits(b) * 2.0;
        let expected = if product > 0.0 { product.min(1.0) } else { 0.0 };
        assert_eq!(f32::from_bits(found), expected, "{a:#x} {b:#x}");
    });
}

#[test]
fn fused_products_are_rounded_once_and_mad_twice() {
    let table = Table::of(Target::GFX90A.processor);
    let (a, b, c) = (1.0 + f32::EPSILON, 1.0 - f32::EPSILON, -1.0_f32);
    let mut wave = Wave::new(64);
    wave.scalars.set64(Operand::EXEC, u64::MAX);
    for (row, value) in [(2, a), (4, b), (6, c)] {
        wave.rows.fill(row, value.to_bits());
    }
    let mut result = |name| {
        let vector = Vector::new(&vop3(table, name, 0, 0), table.generation).unwrap();
        vector::run(&mut wave, &vector);
        f32::from_bits(wave.rows.lane(0, 5))
    };
    assert_eq!(result("v_fma_f32"), -f32::EPSILON * f32::EPSILON);
    assert_eq!(result("v_mad_f32"), 0.0);
}

#[test]
fn carries_are_bits_of_lanes_that_take_part() {
    let table = Table::of(Target::GFX90A.processor);
    let inst = vop3(table, "v_add_co_u32", 20 << 8, 0);
    let vector = Vector::new(&inst, table.generation).unwrap();
    let mut wave = Wave::new(64);
    wave.scalars.set64(Operand::EXEC, 0x0f0f);
    wave.scalars.set64(Operand(20), u64::MAX);
    wave.rows.fill(2, 0xffff_ffff);
    wave.rows.fill(0, 7);
    for lane in 0..64 {
        wave.rows.set_lane(4, lane, u32::from(lane % 2 == 1));
    }
    vector::run(&mut wave, &vector);
    assert_eq!(wave.scalars.get64(Operand(20)), 0x0a0a);
    assert_eq!((wave.rows.lane(0, 1), wave.rows.lane(0, 2), wave.rows.lane(0, 4)), (0, 0xffff_ffff, 7));
}

#[test]
fn parts_of_registers_are_read_and_written() {
    let table = Table::of(Target::GFX90A.processor);
    // v_add_u32_sdwa v0, sext(v2), v4 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3 src1_sel:WORD_1
    let opcode = table.entries().find(|entry| entry.mnemonic == "v_add_u32_e32").unwrap().opcode;
    let words = [u32::from(opcode) << 25 | 4 << 9 | 0xf9, 2 | 1 << 8 | 2 << 11 | 3 << 16 | 1 << 19 | 5 << 24];
    let inst = decode(table, &words).unwrap();
    assert!(inst.text(Generation::Gfx9).starts_with("v_add_u32_sdwa v0, sext(v2), v4 dst_sel:BYTE_1"));
    let vector = Vector::new(&inst, table.generation).unwrap();
    let mut wave = Wave::new(64);
    wave.scalars.set64(Operand::EXEC, 2);
    wave.rows.fill(0, 0x1122_3344);
    wave.rows.fill(2, 0xfe00_0000);
    wave.rows.fill(4, 0x0005_ffff);
    vector::run(&mut wave, &vector);
    assert_eq!((wave.rows.lane(0, 0), wave.rows.lane(0, 1)), (0x1122_3344, 0x1122_0344));
}

#[test]
fn lanes_without_a_source_keep_the_old_value() {
    let table = Table::of(Target::GFX90A.processor);
    // v_mov_b32_dpp v0, v2 row_shr:1 row_mask:0xf bank_mask:0xf
    let opcode = table.entries().find(|entry| entry.mnemonic == "v_mov_b32_e32").unwrap().opcode;
    let words = [0x7e00_0000 | u32::from(opcode) << 9 | 0xfa, 2 | 0x111 << 8 | 0xff << 24];
    let inst = decode(table, &words).unwrap();
    let vector = Vector::new(&inst, table.generation).unwrap();
    let mut wave = Wave::new(64);
    // Lane 4 is off: lane 5 has no source.
    wave.scalars.set64(Operand::EXEC, !(1 << 4));
    wave.rows.fill(0, 99);
    (0..64).for_each(|lane| wave.rows.set_lane(2, lane, lane as u32));
    vector::run(&mut wave, &vector);
    let found: Vec<u32> = (0..18).map(|lane| wave.rows.lane(0, lane)).collect();
    assert_eq!(found, [99, 0, 1, 2, 99, 99, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 99, 16]);
}

#[test]
fn short_results_clear_the_other_half_on_gfx9_and_keep_it_on_gfx11() {
    for (target, name, kept) in [(Target::GFX90A, "v_add_u16", 0), (Target::GFX1100, "v_add_nc_u16", 0xabcd_0000)] {
        let table = Table::of(target.processor);
        let vector = Vector::new(&vop3(table, name, 0, 0), table.generation).unwrap();
        let mut wave = Wave::new(32);
        wave.scalars.set64(Operand::EXEC, 1);
        wave.rows.fill(0, 0xabcd_1234);
        wave.rows.fill(2, 0x5555_ffff);
        wave.rows.fill(4, 0x6666_0003);
        vector::run(&mut wave, &vector);
        assert_eq!(wave.rows.lane(0, 0), kept | 2);
    }
}

/// What an instruction leaves in `v0`, from `v0` and sources in `v2`, `v4`, `v6`, each the same in all lanes.
fn result_of(inst: &Inst, generation: Generation, rows: [u32; 4]) -> Option<u32> {
    let vector = Vector::new(inst, generation)?;
    let mut wave = Wave::new(32);
    wave.scalars.set64(Operand::EXEC, wave.all_lanes());
    for (row, value) in rows.into_iter().enumerate() {
        wave.rows.fill(2 * row, value);
    }
    vector::run(&mut wave, &vector);
    Some(wave.rows.lane(0, 0))
}

fn half(value: u32, high: bool) -> u32 {
    if high { value >> 16 } else { value & 0xffff }
}

/// Any half of a register does what the lower half does, and the half beside the result stays.
#[test]
fn halves_of_registers_are_alike() {
    const ROWS: [u32; 4] = [0x4f80_4400, 0x4100_3c01, 0x4580_b800, 0x3555_4248];
    let (mut tried, mut wrong) = (0, BTreeSet::new());
    for target in ["gfx1100", "gfx1201"].map(|name| Target::parse(name).unwrap()) {
        let table = Table::of(target.processor);
        let short = |entry: &Entry, field| entry.slot(field).is_some_and(|slot| slot.registers == 0);
        let entries = table.entries().filter(|entry| entry.encoding == Encoding::Vop3 && short(entry, Field::Dst));
        for entry in entries {
            let inst = vop3(table, entry.base, 0, 0);
            for op_sel in 0..16_u8 {
                let is_half = |bit: u8| op_sel >> bit & 1 != 0;
                let fields = [Field::A, Field::B, Field::C];
                if fields.into_iter().zip(0..).any(|(field, bit)| is_half(bit) && !short(entry, field)) {
                    continue;
                }
                let mut changed = inst;
                changed.modifiers.op_sel = op_sel;
                let Some(found) = result_of(&changed, table.generation, ROWS) else { continue };
                let lower = [(0, 3), (1, 0), (2, 1), (3, 2)]
                    .map(|(row, bit)| if is_half(bit) { ROWS[row] >> 16 } else { ROWS[row] });
                let expected = result_of(&inst, table.generation, lower).unwrap();
                let is_right = half(found, is_half(3)) == half(expected, false);
                let is_kept = half(found, !is_half(3)) == half(ROWS[0], !is_half(3));
                if !is_right || !is_kept {
                    wrong.insert(entry.base);
                }
                tried += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(tried > 500, "{tried}");
}

#[test]
fn an_accumulator_is_read_from_the_half_that_is_written() {
    let table = Table::of(Target::GFX1100.processor);
    // v_fmac_f16_e32 v0.h, s8, v0.l and v_fmac_f16_e64 v0.h, s8, v0.l op_sel:[0,0,1]
    let forms: [&[u32]; 2] = [&[0x6d00_0008], &[0xd536_4000, 0x0002_0008]];
    for words in forms {
        let vector = Vector::new(&decode(table, words).unwrap(), table.generation).unwrap();
        let mut wave = Wave::new(32);
        wave.scalars.set64(Operand::EXEC, wave.all_lanes());
        wave.scalars.set(Operand(8), 0x4100); // 2.5
        wave.rows.set_lane(0, 0, 0x4f80_4400); // 30 and 4
        vector::run(&mut wave, &vector);
        assert_eq!(wave.rows.lane(0, 0), 0x5100_4400, "{words:x?}"); // 40 and 4
    }
}

#[test]
fn tables_of_truth_are_looked_up_bit_by_bit() {
    let table = Table::of(Target::parse("gfx950").unwrap().processor);
    // The same for all three: the table of `a ? b : c`.
    let inst = vop3(table, "v_bitop3_b32", 1 << 8, 2 << 29 | 3 << 27);
    assert_eq!(inst.imm, 0xca);
    on_triples(&inst, table.generation, |[a, b, c], found| assert_eq!(found, a & b | !a & c, "{a:#x} {b:#x} {c:#x}"));
    let short = vop3(table, "v_bitop3_b16", 0, 4 << 29 | 3 << 27);
    on_triples(&short, table.generation, |[a, b, c], found| {
        // Bits 7, 6 and 2 of the table: all set, all but the last, only the first and none beside the second.
        let expected = a & b & c | a & b & !c | !a & b & !c;
        assert_eq!(found & 0xffff, expected & 0xffff, "{a:#x} {b:#x} {c:#x}");
    });
}

#[test]
fn functions_of_scalars_need_no_active_lane() {
    let table = Table::of(Target::parse("gfx1201").unwrap().processor);
    // v_s_rcp_f32 s5, -s2
    let entry = table.entries().find(|entry| entry.base == "v_s_rcp_f32").unwrap();
    let words = [0xd400_0000 | u32::from(entry.opcode) << 16 | 5, 2 | 1 << 29];
    let inst = decode(table, &words).unwrap();
    assert_eq!(inst.text(table.generation), "v_s_rcp_f32 s5, -s2");
    let vector = Vector::new(&inst, table.generation).unwrap();
    let mut wave = Wave::new(32);
    wave.scalars.set(Operand(2), 4.0_f32.to_bits());
    vector::run(&mut wave, &vector);
    assert_eq!(f32::from_bits(wave.scalars.get(Operand(5))), -0.25);
}

/// A scalar instruction on `s[2:3]` and `s[4:5]` with its result in `s[6:7]`; `k` is a literal.
pub(super) fn sop(table: &'static Table, name: &str, k: u32) -> Inst {
    let entry = table.entries().find(|entry| entry.base == name).unwrap_or_else(|| panic!("no {name}"));
    let opcode = u32::from(entry.opcode);
    let first = match entry.encoding {
        Encoding::Sop2 => 0x8000_0000 | opcode << 23 | 6 << 16 | 4 << 8 | 2,
        Encoding::Sop1 => 0xbe80_0000 | 6 << 16 | opcode << 8 | 2,
        _ => 0xbf00_0000 | opcode << 16 | 4 << 8 | 2,
    };
    decode(table, &[first, k]).unwrap()
}

/// The result and the condition of a scalar instruction of gfx12 on `s2` and `s4`; `k` is a literal.
fn scalar(name: &str, a: u32, b: u32, k: u32) -> (u32, bool) {
    let inst = sop(Table::of(Target::parse("gfx1201").unwrap().processor), name, k);
    let operation = Scalar::new(&inst).unwrap();
    let mut wave = Wave::new(32);
    for (register, value) in [(2, a), (4, b), (6, 1.0_f32.to_bits())] {
        wave.scalars.set(Operand(register), value);
    }
    scalar::run(&mut wave, &operation);
    (wave.scalars.get(Operand(6)), wave.scalars.scc)
}

#[test]
fn scalars_are_floats_on_gfx12() {
    let of = |name: &str, a: f32, b: f32| f32::from_bits(scalar(name, a.to_bits(), b.to_bits(), 10.0_f32.to_bits()).0);
    assert_eq!(of("s_add_f32", 1.5, 2.0), 3.5);
    assert_eq!(of("s_sub_f32", 1.5, 2.0), -0.5);
    assert_eq!(of("s_mul_f32", 1.5, 2.0), 3.0);
    assert_eq!(of("s_fmac_f32", 1.5, 2.0), 4.0);
    assert_eq!(of("s_fmaak_f32", 1.5, 2.0), 13.0);
    assert_eq!(of("s_fmamk_f32", 1.5, 2.0), 17.0);
    assert_eq!(of("s_min_num_f32", f32::NAN, 2.0), 2.0);
    assert!(of("s_minimum_f32", f32::NAN, 2.0).is_nan());
    assert_eq!(of("s_rndne_f32", 2.5, 0.0), 2.0);
    assert_eq!(scalar("s_cvt_i32_f32", (-7.9_f32).to_bits(), 0, 0).0, (-7_i32).cast_unsigned());
    assert_eq!(scalar("s_add_f16", 0x3c00, 0x4000, 0).0, 0x4200);
    assert_eq!(scalar("s_cvt_hi_f32_f16", 0x4200_0000, 0, 0).0, 3.0_f32.to_bits());
    let nan = f32::NAN.to_bits();
    for (name, less, none) in [("lt", true, false), ("nlt", false, true), ("o", true, false), ("neq", true, true)] {
        let name = format!("s_cmp_{name}_f32");
        assert_eq!(scalar(&name, 1.0_f32.to_bits(), 2.0_f32.to_bits(), 0).1, less, "{name}");
        assert_eq!(scalar(&name, nan, 2.0_f32.to_bits(), 0).1, none, "{name}");
    }
    assert!(scalar("s_cmp_gt_f16", 0x4000, 0x3c00, 0).1 && !scalar("s_cmp_gt_f16", 0xc000, 0x3c00, 0).1);
}

#[test]
fn products_of_bytes_have_the_signs_that_the_instruction_tells() {
    let table = Table::of(Target::parse("gfx1201").unwrap().processor);
    for signs in 0..4_u32 {
        let inst = vop3p(table, "v_dot4_i32_iu8", signs << 29);
        on_triples(&inst, table.generation, |[a, b, c], found| {
            let byte = |value: u32, index: u32, is_signed: bool| {
                let byte = value.to_le_bytes()[index as usize];
                if is_signed { i64::from(byte.cast_signed()) } else { i64::from(byte) }
            };
            let sum: i64 = (0..4).map(|index| byte(a, index, signs & 1 != 0) * byte(b, index, signs & 2 != 0)).sum();
            assert_eq!(found, (sum + i64::from(c.cast_signed())) as u32, "{signs} {a:#x} {b:#x} {c:#x}");
        });
    }
}
