//! Conversions from and to floats of eight bits, in all forms that choose parts of registers.

use super::super::references::small_floats::Format;
use super::*;
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

/// An instruction on `v0`, with further bits of its first and second word.
fn made(table: &'static Table, name: &str, encoding: Encoding, [first, second]: [u32; 2]) -> Option<Vector> {
    let mut words = match encoding {
        Encoding::Vop1 => [0x7e00_0000 | u32::from(entry(table, name, encoding).opcode) << 9, second],
        _ => {
            let prefix = if table.generation.is_gfx9() { 0xd000_0000 } else { 0xd400_0000 };
            [prefix | u32::from(entry(table, name, encoding).opcode) << 16, (0x100 | B as u32) << 9 | second]
        }
    };
    words[0] |= first;
    if second & 0xff == 0 {
        words[usize::from(encoding != Encoding::Vop1)] |= 0x100 | A as u32;
    }
    Vector::new(&decode(table, &words).unwrap(), table.generation)
}

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
    let mut all = vec![one(Encoding::Vop1, [0, 0], 0), one(Encoding::Vop3, [0, 0], 0)];
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

#[test]
fn eight_bits_become_single_floats() {
    let registers: Vec<u32> = (0..=255_u32).map(|byte| byte * 0x0101_0101 ^ 0x005a_c396).collect();
    for (processor, name) in TARGETS.iter().flat_map(|target| ["fp8", "bf8"].map(|name| (*target, name))) {
        let (table, format) = (table(processor), Format::named(name, processor));
        let number = |bits: u32| format.value(bits as u8) as f32;
        for is_pair in [false, true] {
            let mnemonic = format!("v_cvt_{}f32_{name}", if is_pair { "pk_" } else { "" });
            for (vector, byte) in forms(table, &mnemonic, is_pair) {
                for chunk in registers.chunks(32) {
                    for (register, found) in chunk.iter().zip(run(table, &vector, [chunk, &[]])) {
                        let low = number(register >> (8 * byte));
                        let high = if is_pair { number(register >> (8 * byte + 8)).to_bits() } else { OLD };
                        let expected = u64::from(low.to_bits()) | u64::from(high) << 32;
                        let is_right = [0, 32].iter().all(|at| {
                            agrees(
                                self::Kind::Float(32, false),
                                found >> at & 0xffff_ffff,
                                expected >> at & 0xffff_ffff,
                            )
                        });
                        assert!(is_right, "{processor} {mnemonic} {byte} {register:#x}: {found:#x}, not {expected:#x}");
                    }
                }
            }
        }
    }
}

#[test]
fn single_floats_become_eight_bits_in_half_of_a_register() {
    for (processor, name) in TARGETS.iter().flat_map(|target| ["fp8", "bf8"].map(|name| (*target, name))) {
        let (table, format) = (table(processor), Format::named(name, processor));
        let mnemonic = format!("v_cvt_pk_{name}_f32");
        let lows = format.edges();
        let highs: Vec<u32> = lows.iter().rev().copied().collect();
        for (bits, first) in [(0, 0), (8 << 11, 16)] {
            let vector = made(table, &mnemonic, Encoding::Vop3, [bits, 0]).unwrap();
            for (low, high) in lows.chunks(32).zip(highs.chunks(32)) {
                for ((low, high), found) in low.iter().zip(high).zip(run(table, &vector, [low, high])) {
                    let text = format!("{processor} {mnemonic} {low:#x} {high:#x}: {found:#x}");
                    let [first_byte, second_byte] = [0, 8].map(|at| (found >> (first + at)) as u8);
                    assert!(format.agrees(first_byte, format.nearest(*low)), "{text}, {:#x}", format.nearest(*low));
                    assert!(format.agrees(second_byte, format.nearest(*high)), "{text}, {:#x}", format.nearest(*high));
                    let kept = 0xffff << (16 - first);
                    assert_eq!(found as u32 & kept, OLD & kept, "{text}");
                }
            }
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
