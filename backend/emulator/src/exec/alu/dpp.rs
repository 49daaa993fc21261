//! Sources from other lanes.

use super::source::{self, Source};
use crate::exec::state::registers::SCRATCH;
use crate::exec::state::wave::Wave;
use crate::isa::{Dpp, Form};

/// Rows where gathered lanes lie before they are changed.
const GATHERED: usize = SCRATCH + 60;

/// Gathers a source from other lanes. Returns its row, and the lanes that may be written.
pub(super) fn gather(wave: &mut Wave, form: Form, source: &Source) -> (usize, u64) {
    let first = source::ready_row(wave, source);
    let active = wave.scalars.exec();
    let mut allowed = 0_u64;
    for lane in 0..wave.lanes {
        let (from, any, zero_allowed, written) = match form {
            Form::Dpp(dpp) => {
                (dpp_lane(dpp.control, lane, wave.lanes), dpp.fetch_inactive, dpp.bound_control, is_written(dpp, lane))
            }
            Form::Dpp8(lanes, any) => (Some(lane & !7 | (lanes >> (3 * (lane & 7)) & 7) as usize), any, true, true),
            _ => (Some(lane), true, true, true),
        };
        let from = from.filter(|from| any || active >> from & 1 != 0);
        if written && (from.is_some() || zero_allowed) {
            allowed |= 1 << lane;
        }
        for row in 0..source.kind().rows() {
            let value = from.map_or(0, |from| wave.rows.lane(first + row, from));
            wave.rows.set_lane(GATHERED + row, lane, value);
        }
    }
    source::change_rows(wave, source, GATHERED);
    (source.scratch(), allowed)
}

/// Whether the masks of rows and banks let a lane be written.
fn is_written(dpp: Dpp, lane: usize) -> bool {
    dpp.row_mask >> (lane / 16) & 1 != 0 && dpp.bank_mask >> (lane / 4 % 4) & 1 != 0
}

/// The lane that a lane reads, if there is one.
fn dpp_lane(control: u16, lane: usize, lanes: usize) -> Option<usize> {
    let (row, at) = (lane & !15, lane & 15);
    let amount = usize::from(control & 15);
    let inside = |at: usize| (at < 16).then_some(row + at);
    match control {
        0..=0xff => Some(lane & !3 | usize::from(control >> (2 * (lane & 3)) & 3)),
        0x101..=0x10f => inside(at + amount),
        0x111..=0x11f => at.checked_sub(amount).and_then(inside),
        0x121..=0x12f => inside((at + 16 - amount) & 15),
        0x130 => Some(lane + 1).filter(|from| *from < lanes),
        0x134 => Some((lane + 1) % lanes),
        0x138 => lane.checked_sub(1),
        0x13c => Some((lane + lanes - 1) % lanes),
        0x140 => inside(15 - at),
        0x141 => inside(at ^ 7),
        0x142 => row.checked_sub(1),
        0x143 => (lane >= 32).then_some(31),
        0x150..=0x15f => inside(amount),
        0x160..=0x16f => inside(at ^ amount),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_read_from_where_the_manual_says() {
        assert_eq!(dpp_lane(0x1b, 4, 64), Some(7));
        assert_eq!(dpp_lane(0x111, 16, 64), None);
        assert_eq!(dpp_lane(0x111, 17, 64), Some(16));
        assert_eq!(dpp_lane(0x101, 15, 64), None);
        assert_eq!(dpp_lane(0x121, 16, 64), Some(31));
        assert_eq!(dpp_lane(0x142, 15, 64), None);
        assert_eq!(dpp_lane(0x142, 16, 64), Some(15));
        assert_eq!(dpp_lane(0x142, 47, 64), Some(31));
        assert_eq!(dpp_lane(0x143, 31, 64), None);
        assert_eq!(dpp_lane(0x143, 63, 64), Some(31));
        assert_eq!(dpp_lane(0x140, 3, 64), Some(12));
        assert_eq!(dpp_lane(0x141, 10, 64), Some(13));
        assert_eq!(dpp_lane(0x161, 6, 32), Some(7));
    }
}
