//! Sources from other lanes: which lane each control names, written as the lists of the manuals, and what masks and inactive
//! lanes do; then all instructions that have the form.

use super::*;
use crate::isa::{Dpp, Form};

/// The lane that each lane reads, for a control and waves of so many lanes.
fn sources(control: u16, lanes: usize) -> Vec<Option<usize>> {
    let mut from = vec![None; lanes];
    let amount = usize::from(control & 15);
    for row in (0..lanes).step_by(16) {
        for at in 0..16_usize {
            let in_row = match control >> 4 {
                // Two bits for each lane of four.
                0x00..=0x0f => Some(at / 4 * 4 + usize::from(control) / 4_usize.pow(at as u32 % 4) % 4),
                0x10 => Some(at + amount).filter(|at| *at < 16),
                0x11 => at.checked_sub(amount),
                0x12 => Some((at + 16 - amount) % 16),
                0x14 if amount == 0 => Some(15 - at),
                0x14 if amount == 1 => Some(at / 8 * 8 + 7 - at % 8),
                0x15 => Some(amount),
                0x16 => Some(at ^ amount),
                _ => None,
            };
            from[row + at] = in_row.map(|at| row + at);
        }
    }
    for (lane, from) in from.iter_mut().enumerate() {
        match control {
            0x130 => *from = Some(lane + 1).filter(|lane| *lane < lanes),
            0x134 => *from = Some((lane + 1) % lanes),
            0x138 => *from = lane.checked_sub(1),
            0x13c => *from = Some((lane + lanes - 1) % lanes),
            // The last lane of the row before; the last of the lower half.
            0x142 => *from = (lane / 16).checked_sub(1).map(|row| 16 * row + 15),
            0x143 => *from = (lane >= 32).then_some(31),
            _ => {}
        }
    }
    from
}

/// Controls that a generation has.
fn controls(generation: Generation) -> Vec<u16> {
    let shifts = [0x100, 0x110, 0x120].into_iter().flat_map(|first| (1..16).map(move |amount| first + amount));
    let common = (0..0x100).chain(shifts).chain([0x140, 0x141]).chain(0x150..0x160);
    if generation.is_gfx9() {
        common.chain([0x130, 0x134, 0x138, 0x13c, 0x142, 0x143]).collect()
    } else {
        common.chain(0x160..0x170).collect()
    }
}

/// The word behind the instruction.
fn word(dpp: Dpp) -> u32 {
    A as u32
        | u32::from(dpp.control) << 8
        | u32::from(dpp.fetch_inactive) << 18
        | u32::from(dpp.bound_control) << 19
        | u32::from(dpp.bank_mask) << 24
        | u32::from(dpp.row_mask) << 28
}

fn moves(table: &'static Table) -> &'static Entry {
    table.entries().find(|entry| entry.mnemonic == "v_mov_b32_e32").unwrap()
}

const OLD: u32 = 0xdead;

/// What a move leaves in each lane whose source holds its number and 100.
fn moved(table: &'static Table, inst: &Inst, active: u64) -> Vec<u32> {
    let vector = Vector::new(inst, table.generation).unwrap();
    let mut wave = loaded(table.generation, moves(table), &[]);
    wave.scalars.set64(Operand::EXEC, active);
    wave.rows.fill(0, OLD);
    (0..wave.lanes).for_each(|lane| wave.rows.set_lane(A, lane, 100 + lane as u32));
    vector::run(&mut wave, &vector);
    (0..wave.lanes).map(|lane| wave.rows.lane(0, lane)).collect()
}

/// What is left of a lane, by the rules for lanes that are off, out of bounds and masked.
fn expected(dpp: Dpp, from: Option<usize>, lane: usize, active: u64) -> u32 {
    let is_on = |lane: usize| active >> lane & 1 != 0;
    let is_masked = dpp.row_mask >> (lane / 16) & 1 == 0 || dpp.bank_mask >> (lane % 16 / 4) & 1 == 0;
    if !is_on(lane) || is_masked {
        return OLD;
    }
    match from.filter(|from| dpp.fetch_inactive || is_on(*from)) {
        Some(from) => 100 + from as u32,
        None if dpp.bound_control => 0,
        None => OLD,
    }
}

#[test]
fn controls_name_lanes() {
    for table in tables() {
        let lanes = if table.generation.is_gfx9() { 64 } else { 32 };
        let all = u64::MAX >> (64 - lanes);
        for control in controls(table.generation) {
            let from = sources(control, lanes);
            for (masks, active) in
                [(0xff, all), (0xff, all & !0x0110_8021), (0xb7, all), (0x5e, all & 0xffff_0ff0_7fff_fffe)]
            {
                for flags in 0..4_u16 {
                    let dpp = Dpp {
                        control,
                        row_mask: masks >> 4,
                        bank_mask: masks & 15,
                        bound_control: flags & 1 != 0,
                        fetch_inactive: flags & 2 != 0 && !table.generation.is_gfx9(),
                    };
                    let inst = with_word(table, moves(table), 0xfa, word(dpp));
                    assert_eq!(inst.form, Form::Dpp(dpp));
                    for (lane, found) in moved(table, &inst, active).into_iter().enumerate() {
                        let expected = expected(dpp, from[lane], lane, active);
                        let text = inst.text(table.generation);
                        assert_eq!(found, expected, "{text}, lane {lane} of {active:#x}");
                    }
                }
            }
        }
    }
}

#[test]
fn lanes_of_eight_are_chosen_freely() {
    for table in tables().filter(|table| !table.generation.is_gfx9()) {
        for lanes in [0o7654_3210_u32, 0o0123_4567, 0o1111_1111, 0o4062_5137, 0o7777_0000] {
            for (marker, any) in [(233, false), (234, true)] {
                let inst = with_word(table, moves(table), marker, A as u32 | lanes << 8);
                let active = 0xffff_fff0_u64 & !0x0400;
                for (lane, found) in moved(table, &inst, active).into_iter().enumerate() {
                    let from = lane / 8 * 8 + (lanes >> (3 * (lane % 8)) & 7) as usize;
                    let is_on = |lane: usize| active >> lane & 1 != 0;
                    let value = if any || is_on(from) { 100 + from as u32 } else { 0 };
                    let text = inst.text(table.generation);
                    assert_eq!(found, if is_on(lane) { value } else { OLD }, "{text}, lane {lane}");
                }
            }
        }
    }
}

/// All short instructions take the first source from other lanes, and the second from their own.
#[test]
fn all_short_instructions_read_other_lanes() {
    let cases = cases();
    let (mut checked, mut forms) = (BTreeSet::new(), 0);
    for table in tables() {
        for (entry, case) in with_cases(table, &cases) {
            if !takes_word(entry) {
                continue;
            }
            // Rotated by three lanes within each row.
            let dpp = Dpp { control: 0x123, row_mask: 15, bank_mask: 15, ..Dpp::default() };
            let inst = with_word(table, entry, 0xfa, word(dpp));
            let vector = Vector::new(&inst, table.generation).unwrap();
            let all = triples(entry, case.sources);
            for chunk in all.chunks_exact(32).step_by(if all.len() > 4000 { 19 } else { 1 }) {
                let from = sources(0x123, 32);
                for (lane, found) in results(&vector, table.generation, entry, chunk).into_iter().enumerate() {
                    let [_, b, c] = chunk[lane];
                    let expected = (case.reference)([chunk[from[lane].unwrap()][0], b, c]);
                    let text = inst.text(table.generation);
                    assert!(agrees(case.result, found, expected), "{text} {b:#x}: {found:#x}, not {expected:#x}");
                }
            }
            checked.insert(entry.base);
            forms += 1;
        }
    }
    assert!(checked.len() >= 110 && forms >= 400, "{} in {forms} forms", checked.len());
}
