//! Conversions from and to floats of eight bits, in all forms that choose parts of registers.

use super::*;
use crate::exec::alu::references::small_floats::Format;
use crate::isa::Form;

/// Targets that have them.
const TARGETS: [&str; 4] = ["gfx942", "gfx950", "gfx1200", "gfx1201"];

const OLD: u32 = 0x89ab_cdef;

fn table(processor: &str) -> &'static Table {
    Table::of(Target::parse(processor).unwrap().processor)
}

fn entry(table: &'static Table, name: &str, encoding: Encoding) -> &'static Entry {
    table.entries().find(|entry| entry.base == name && entry.encoding == encoding).unwrap()
}

/// An instruction on `v0`: in its short encoding with the field of its first source and the word behind, in the long one
/// with further bits of both words.
fn made(table: &'static Table, name: &str, encoding: Encoding, [first, second]: [u32; 2]) -> Option<Vector> {
    let opcode = u32::from(entry(table, name, encoding).opcode);
    let words = if encoding == Encoding::Vop1 {
        [0x7e00_0000 | opcode << 9 | first, second]
    } else {
        let [prefix, _] = long_prefixes(table.generation);
        [prefix | opcode << 16 | first, 0x100 | A as u32 | (0x100 | B as u32) << 9 | second]
    };
    Vector::new(&decode(table, &words).unwrap(), table.generation)
}

/// The first source as it is.
const PLAIN: [u32; 2] = [0x100 | A as u32, 0];

/// A word of SDWA with a part of the source, and one of DPP that takes lanes as they are.
fn sdwa(part: u32) -> [u32; 2] {
    [0xf9, A as u32 | 6 << 8 | part << 16 | 6 << 24]
}

const DPP: [u32; 2] = [0xfa, A as u32 | 0xe4 << 8 | 0xff00_0000];

/// The results of a conversion of registers, one in each lane.
fn run(table: &'static Table, vector: &Vector, sources: [&[u32]; 2]) -> Vec<u64> {
    let mut wave = Wave::new(if table.generation.is_gfx9() { 64 } else { 32 });
    wave.scalars.set64(Operand::EXEC, wave.all_lanes());
    for (row, values) in [A, B].into_iter().zip(sources) {
        values.iter().enumerate().for_each(|(lane, value)| wave.rows.set_lane(row, lane, *value));
    }
    wave.rows.fill(0, OLD);
    wave.rows.fill(1, OLD);
    vector::run(&mut wave, vector);
    (0..sources[0].len()).map(|lane| wave.rows.lane64(0, lane)).collect()
}

/// Forms of a conversion from eight bits, with the byte that is read first.
fn forms(table: &'static Table, name: &str, is_pair: bool) -> Vec<(Vector, u32)> {
    let one = |encoding, bits, byte| (made(table, name, encoding, bits).unwrap(), byte);
    let mut all = vec![one(Encoding::Vop1, PLAIN, 0), one(Encoding::Vop3, [0, 0], 0)];
    if !is_pair {
        all.push(one(Encoding::Vop1, DPP, 0));
    }
    match (table.generation.is_gfx9(), is_pair) {
        (true, true) => all.extend([0, 1].map(|word| one(Encoding::Vop1, sdwa(4 + word), 2 * word))),
        (true, false) => all.extend([0, 1, 2, 3].map(|byte| one(Encoding::Vop1, sdwa(byte), byte))),
        (false, true) => all.push(one(Encoding::Vop3, [1 << 11, 0], 2)),
        // LLVM writes bytes 1 and 2 as bits 12 and 11.
        (false, false) => {
            all.extend([(2, 1), (1, 2), (3, 3)].map(|(bits, byte)| one(Encoding::Vop3, [bits << 11, 0], byte)));
        }
    }
    all
}

/// Compares a conversion from eight bits in all its forms. One of two gives a second number.
fn check_widening(processor: &str, name: &str, is_pair: bool) {
    let (table, format) = (table(processor), Format::named(name, processor));
    let mnemonic = format!("v_cvt_{}f32_{name}", if is_pair { "pk_" } else { "" });
    let number = |bits: u32| (format.value(bits as u8) as f32).to_bits();
    let single = self::Kind::Float(32, false);
    let registers: Vec<u32> = (0..=255_u32).map(|byte| byte * 0x0101_0101 ^ 0x005a_c396).collect();
    for (vector, byte) in forms(table, &mnemonic, is_pair) {
        for chunk in registers.chunks(32) {
            for (register, found) in chunk.iter().zip(run(table, &vector, [chunk, &[]])) {
                let shifted = u64::from(*register) >> (8 * byte);
                let high = if is_pair { number((shifted >> 8) as u32) } else { OLD };
                let text = format!("{processor} {mnemonic} {byte} {register:#x}: {found:#x}");
                assert!(agrees(single, found & 0xffff_ffff, number(shifted as u32).into()), "{text}");
                assert!(agrees(single, found >> 32, high.into()), "{text}");
            }
        }
    }
}

#[test]
fn eight_bits_become_single_floats() {
    for (processor, name) in TARGETS.iter().flat_map(|target| ["fp8", "bf8"].map(|name| (*target, name))) {
        check_widening(processor, name, false);
        check_widening(processor, name, true);
    }
}

/// Compares a conversion to eight bits, written to the half of the register that begins with a bit.
fn check_narrowing(table: &'static Table, format: Format, vector: &Vector, first: u32) {
    let lows = format.edges();
    let highs: Vec<u32> = lows.iter().rev().copied().collect();
    for (low, high) in lows.chunks(32).zip(highs.chunks(32)) {
        for ((low, high), found) in low.iter().zip(high).zip(run(table, vector, [low, high])) {
            let text = format!("{format:?} {low:#x} {high:#x}: {found:#x}");
            let [first_byte, second_byte] = [0, 8].map(|at| (found >> (first + at)) as u8);
            assert!(format.agrees(first_byte, format.nearest(*low)), "{text}, {:#x}", format.nearest(*low));
            assert!(format.agrees(second_byte, format.nearest(*high)), "{text}, {:#x}", format.nearest(*high));
            let kept = 0xffff << (16 - first);
            assert_eq!(found as u32 & kept, OLD & kept, "{text}");
        }
    }
}

#[test]
fn single_floats_become_eight_bits_in_half_of_a_register() {
    for (processor, name) in TARGETS.iter().flat_map(|target| ["fp8", "bf8"].map(|name| (*target, name))) {
        let (table, format) = (table(processor), Format::named(name, processor));
        for (bits, first) in [(0, 0), (8 << 11, 16)] {
            let vector = made(table, &format!("v_cvt_pk_{name}_f32"), Encoding::Vop3, [bits, 0]).unwrap();
            check_narrowing(table, format, &vector, first);
        }
    }
}

#[test]
fn signs_of_sources_are_changed_where_the_manual_has_it() {
    for processor in ["gfx942", "gfx950"] {
        // Magnitude of the first and negation of the second, on two and a half.
        let vector = made(table(processor), "v_cvt_pk_bf8_f32", Encoding::Vop3, [1 << 8, 2 << 29]).unwrap();
        let found = run(table(processor), &vector, [&[(-2.0_f32).to_bits()], &[0.5_f32.to_bits()]])[0];
        let format = Format::named("bf8", processor);
        assert_eq!([0, 8].map(|at| format.value((found >> at) as u8)), [2.0, -0.5]);
    }
}

#[test]
fn the_direction_of_rounding_has_no_effect() {
    let table = table("gfx950");
    let vector = made(table, "v_cvt_pk_fp8_f32", Encoding::Vop3, [0, 0]).unwrap();
    let mut wave = Wave::new(64);
    wave.scalars.set64(Operand::EXEC, 1);
    wave.set_mode(wave.mode().with(0, 8, 1).unwrap());
    assert!(!vector.is_refused(&wave));
    wave.rows.set_lane(A, 0, 1.01_f32.to_bits());
    wave.rows.set_lane(B, 0, (-1.01_f32).to_bits());
    vector::run(&mut wave, &vector);
    assert_eq!(wave.rows.lane(0, 0), 0xb838);
}

/// Sums of four products: in the order of the bytes, beginning with the third source.
#[test]
fn four_products_are_summed() {
    let bytes =
        |seed: u32| (0..32).map(move |lane: u32| (lane + seed).wrapping_mul(0x9e37_79b9) & 0x7f7f_7f7f ^ lane << 31);
    let table = table("gfx1201");
    for (first, second) in [("fp8", "fp8"), ("fp8", "bf8"), ("bf8", "fp8"), ("bf8", "bf8")] {
        let formats = [first, second].map(|name| Format::named(name, "gfx1201"));
        let vector = Vector::new(&vop3p(table, &format!("v_dot4_f32_{first}_{second}"), 0), table.generation).unwrap();
        for seed in 0..64 {
            let mut wave = Wave::new(32);
            wave.scalars.set64(Operand::EXEC, wave.all_lanes());
            let (a, b): (Vec<u32>, Vec<u32>) = (bytes(seed).collect(), bytes(1000 + seed).collect());
            for lane in 0..32 {
                wave.rows.set_lane(A, lane, a[lane]);
                wave.rows.set_lane(B, lane, b[lane]);
                wave.rows.set_lane(C, lane, (lane as f32 - 15.3).to_bits());
            }
            vector::run(&mut wave, &vector);
            for lane in 0..32 {
                let value = |which: usize, at: u32| formats[which].value(([&a, &b][which][lane] >> (8 * at)) as u8);
                // The product of two is exact; a sum in double precision rounded to single is the sum rounded once.
                let sum = |sum: f32, at: u32| (f64::from(sum) + value(0, at) * value(1, at)) as f32;
                let expected = (0..4).fold(lane as f32 - 15.3, sum);
                let found = wave.rows.lane(0, lane);
                let is_right = agrees(self::Kind::Float(32, false), found.into(), expected.to_bits().into());
                assert!(is_right, "{first} {second} {:x} {:x}: {found:#x}, not {expected}", a[lane], b[lane]);
            }
        }
    }
    for modifiers in [1 << 29, 4 << 29] {
        assert!(Vector::new(&vop3p(table, "v_dot4_f32_fp8_bf8", modifiers), table.generation).is_none());
    }
}

/// Forms that a manual does not have, or that the compiler and the manual do not agree on.
#[test]
fn unknown_forms_are_not_executed() {
    let is_known = |processor, name, encoding, bits| made(table(processor), name, encoding, bits).is_some();
    for processor in TARGETS {
        let is_gfx9 = table(processor).generation.is_gfx9();
        for name in ["v_cvt_f32_fp8", "v_cvt_pk_f32_bf8", "v_cvt_pk_fp8_f32"] {
            // Limits and factors.
            assert!(!is_known(processor, name, Encoding::Vop3, [1 << 15, 0]));
            assert!(!is_known(processor, name, Encoding::Vop3, [0, 1 << 27]));
            // Magnitudes and negations.
            let has_signs = is_gfx9 && name == "v_cvt_pk_fp8_f32";
            assert_eq!(is_known(processor, name, Encoding::Vop3, [1 << 8, 0]), has_signs);
            assert_eq!(is_known(processor, name, Encoding::Vop3, [0, 1 << 29]), has_signs);
        }
        assert!(!is_known(processor, "v_cvt_pk_fp8_f32", Encoding::Vop3, [1 << 11, 0]));
        assert_eq!(is_known(processor, "v_cvt_f32_bf8", Encoding::Vop3, [1 << 11, 0]), !is_gfx9);
        assert!(!is_known(processor, "v_cvt_sr_fp8_f32", Encoding::Vop3, [0, 0]));
    }
    for (name, part) in [("v_cvt_f32_fp8", 4), ("v_cvt_f32_fp8", 6), ("v_cvt_pk_f32_fp8", 1), ("v_cvt_pk_f32_fp8", 6)] {
        assert!(!is_known("gfx942", name, Encoding::Vop1, sdwa(part)), "{name} {part}");
        let inst = [0x7e00_00f9 | u32::from(entry(table("gfx942"), name, Encoding::Vop1).opcode) << 9, sdwa(part)[1]];
        assert!(matches!(decode(table("gfx942"), &inst).unwrap().form, Form::Sdwa(_)));
    }
}
