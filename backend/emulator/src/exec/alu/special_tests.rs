//! Lanes by number, exchanged and indexed registers, against lists of what each lane has to hold.

use super::instruction_tests::long_prefixes;
use super::special::{Special, lanes};
use crate::exec::state::wave::Wave;
use crate::isa::{Encoding, Operand, Table, decode};
use crate::target::{Generation, Target};

fn table(name: &str) -> &'static Table {
    Table::of(Target::parse(name).unwrap().processor)
}

/// An instruction from its words; they depend on generation and opcode.
fn special(table: &'static Table, name: &str, words: impl Fn(Generation, u32) -> [u32; 2]) -> Special {
    let is_vector = |encoding| matches!(encoding, Encoding::Vop1 | Encoding::Vop3 | Encoding::Vop2);
    let mut entries: Vec<_> = table.entries().filter(|it| it.base == name && is_vector(it.encoding)).collect();
    entries.sort_by_key(|entry| entry.encoding != Encoding::Vop1);
    let entry = entries.first().unwrap_or_else(|| panic!("no {name}"));
    let inst = decode(table, &words(table.generation, u32::from(entry.opcode))).unwrap();
    assert_eq!(inst.entry.base, name);
    Special::new(&inst, table.generation).unwrap_or_else(|| panic!("{}", inst.text(table.generation)))
}

/// VOP1 with a destination and a source.
fn short(dst: u32, source: u32) -> impl Fn(Generation, u32) -> [u32; 2] {
    move |_, opcode| [0x7e00_0000 | dst << 17 | opcode << 9 | source, 0]
}

/// VOP3 with a destination, three sources and further bits.
fn long(dst: u32, [a, b, c]: [u32; 3], bits: u32) -> impl Fn(Generation, u32) -> [u32; 2] {
    move |generation, opcode| [long_prefixes(generation)[0] | opcode << 16 | bits | dst, a | b << 9 | c << 18]
}

const V: u32 = 0x100;

/// A wave whose `v2` has 100 and the number of each lane.
fn numbered(size: usize, active: u64) -> Wave {
    let mut wave = Wave::new(size);
    wave.scalars.set64(Operand::EXEC, active);
    (0..size).for_each(|lane| wave.rows.set_lane(2, lane, 100 + lane as u32));
    wave.rows.fill(0, 7);
    wave
}

fn row(wave: &Wave, number: usize) -> Vec<u32> {
    (0..wave.lanes).map(|lane| wave.rows.lane(number, lane)).collect()
}

#[test]
fn the_first_active_lane_is_read() {
    for (name, size, active, expected) in [
        ("gfx90a", 64, u64::MAX, 100),
        ("gfx90a", 64, 0xff00_0000_0000, 140),
        ("gfx90a", 64, 0, 100),
        ("gfx1100", 32, 0x8000_0000, 131),
        ("gfx1201", 32, 0x10, 104),
    ] {
        let mut wave = numbered(size, active);
        lanes(&mut wave, &special(table(name), "v_readfirstlane_b32", short(5, V | 2)));
        assert_eq!(wave.scalars.get(Operand(5)), expected, "{name} {active:#x}");
        // A scalar source is the same for all.
        wave.scalars.set(Operand(9), 55);
        lanes(&mut wave, &special(table(name), "v_readfirstlane_b32", short(5, 9)));
        assert_eq!(wave.scalars.get(Operand(5)), 55);
    }
}

#[test]
fn lanes_are_read_and_written_by_number_whether_active_or_not() {
    for (name, size) in [("gfx90a", 64), ("gfx1030", 32), ("gfx1100", 32), ("gfx1201", 32)] {
        for number in [0, 1, 31, 32, 63, 64, 77, u32::MAX] {
            let lane = number as usize % size;
            let mut wave = numbered(size, 0x2);
            wave.scalars.set(Operand(9), number);
            wave.scalars.set(Operand(10), 4242);
            lanes(&mut wave, &special(table(name), "v_readlane_b32", long(5, [V | 2, 9, 0], 0)));
            assert_eq!(wave.scalars.get(Operand(5)), 100 + lane as u32, "{name} {number}");
            lanes(&mut wave, &special(table(name), "v_writelane_b32", long(0, [10, 9, 0], 0)));
            let expected: Vec<u32> = (0..size).map(|at| if at == lane { 4242 } else { 7 }).collect();
            assert_eq!(row(&wave, 0), expected, "{name} {number}");
        }
    }
}

#[test]
fn active_lanes_of_two_registers_change_places() {
    let mut wave = numbered(64, 0xf0);
    lanes(&mut wave, &special(table("gfx90a"), "v_swap_b32", short(0, V | 2)));
    for lane in 0..64_u32 {
        let (own, other) = (7, 100 + lane);
        let expected = if (4..8).contains(&lane) { (other, own) } else { (own, other) };
        assert_eq!((wave.rows.lane(0, lane as usize), wave.rows.lane(2, lane as usize)), expected);
    }
}

#[test]
fn rows_of_two_registers_change_places() {
    for (name, size) in [("v_permlane16_swap_b32", 16), ("v_permlane32_swap_b32", 32)] {
        let mut wave = numbered(64, u64::MAX);
        (0..64).for_each(|lane| wave.rows.set_lane(0, lane, 500 + lane as u32));
        lanes(&mut wave, &special(table("gfx950"), name, short(0, V | 2)));
        let (first, second) = (row(&wave, 0), row(&wave, 2));
        for lane in 0..64_u32 {
            let is_odd = lane / size % 2 == 1;
            assert_eq!(
                first[lane as usize],
                if is_odd { 100 + lane - size } else { 500 + lane },
                "{name}, lane {lane}"
            );
            assert_eq!(
                second[lane as usize],
                if is_odd { 100 + lane } else { 500 + lane + size },
                "{name}, lane {lane}"
            );
        }
    }
}

#[test]
fn halves_of_registers_change_places() {
    // Bit 7 of a register's number tells the upper half.
    for (dst, source, expected) in [
        (0, 2, (0x1111_4444, 0x3333_2222)),
        (128, 2, (0x4444_2222, 0x3333_1111)),
        (0, 130, (0x1111_3333, 0x2222_4444)),
        (128, 130, (0x3333_2222, 0x1111_4444)),
    ] {
        let mut wave = numbered(32, 0b10);
        wave.rows.fill(0, 0x1111_2222);
        wave.rows.fill(2, 0x3333_4444);
        lanes(&mut wave, &special(table("gfx1100"), "v_swap_b16", short(dst, V | source)));
        assert_eq!((wave.rows.lane(0, 1), wave.rows.lane(2, 1)), expected, "{dst} {source}");
        assert_eq!((wave.rows.lane(0, 0), wave.rows.lane(2, 0)), (0x1111_2222, 0x3333_4444), "a lane that is off");
    }
}

#[test]
fn the_halves_of_a_wave_change_places() {
    let mut wave = numbered(64, 0xffff_ffff_0000_000f);
    lanes(&mut wave, &special(table("gfx1100"), "v_permlane64_b32", short(0, V | 2)));
    for lane in 0..64_u32 {
        let expected = if (4..32).contains(&lane) { 7 } else { 100 + (lane + 32) % 64 };
        assert_eq!(wave.rows.lane(0, lane as usize), expected, "lane {lane}");
    }
}

#[test]
fn registers_are_indexed_by_m0() {
    let mut wave = numbered(32, 0xffff_fff0);
    wave.scalars.set(Operand::M0, 1);
    lanes(&mut wave, &special(table("gfx1100"), "v_movrels_b32", short(0, V | 1)));
    let expected: Vec<u32> = (0..32).map(|lane| if lane < 4 { 7 } else { 100 + lane }).collect();
    assert_eq!(row(&wave, 0), expected);
    lanes(&mut wave, &special(table("gfx1100"), "v_movreld_b32", short(8, V | 2)));
    let expected: Vec<u32> = (0..32).map(|lane| if lane < 4 { 0 } else { 100 + lane }).collect();
    assert_eq!((row(&wave, 9), row(&wave, 8)), (expected, vec![0; 32]));
}

#[test]
fn lanes_of_rows_are_permuted_by_two_scalars() {
    // Four bits for each lane of a row, all rows alike.
    let (low, high) = (0x3210_7654, 0xffff_89ab_u32);
    let selector = |lane: u32| (u64::from(high) << 32 | u64::from(low)) >> (4 * (lane % 16)) & 15;
    for name in ["gfx1030", "gfx1100", "gfx1201"] {
        for (mnemonic, flip) in [("v_permlane16_b32", 0), ("v_permlanex16_b32", 16)] {
            for (bits, any, zero) in
                [(0, false, false), (1 << 11, true, false), (2 << 11, false, true), (3 << 11, true, true)]
            {
                let active = 0xffff_0fff_u64;
                let mut wave = numbered(32, active);
                wave.scalars.set(Operand(8), low);
                wave.scalars.set(Operand(9), high);
                lanes(&mut wave, &special(table(name), mnemonic, long(0, [V | 2, 8, 9], bits)));
                for lane in 0..32 {
                    let from = (lane & 16 ^ flip) + selector(lane) as u32;
                    let is_on = |lane: u32| active >> lane & 1 != 0;
                    let expected = match (is_on(lane), any || is_on(from)) {
                        (true, true) => 100 + from,
                        (true, false) if zero => 0,
                        _ => 7,
                    };
                    assert_eq!(wave.rows.lane(0, lane as usize), expected, "{name} {mnemonic} {bits:#x}, lane {lane}");
                }
            }
        }
    }
}
