//! Accesses to global memory whose lanes use words side by side, the most common case.

use super::address::{Addressing, Global};
use super::shape::Access;
use crate::exec::launch::context::Context;
use crate::exec::state::spread;
use crate::exec::state::wave::Wave;
use crate::memory::access as guest;

/// Runs an instruction whose lanes access words side by side in one allocation. Does nothing and gives nothing if they do
/// not.
pub(super) fn run(wave: &mut Wave, op: &Global, lanes: u64, context: &Context) -> Option<()> {
    let (Access::Load(item) | Access::Store(item)) = op.access else { return None };
    let row = op.address?;
    if item.bytes != 4 || item.half.is_some() {
        return None;
    }
    let places = spread::sequence(context.arch, wave.rows.row(row), 4, lanes)?;
    let first = u64::from(wave.rows.lane(row, places.start));
    let base = match op.addressing {
        Addressing::Scalar => wave.scalars.get64(op.scalar),
        Addressing::Vector => {
            spread::sequence(context.arch, wave.rows.row(row + 1), 0, lanes)?;
            u64::from(wave.rows.lane(row + 1, places.start)) << 32
        }
        _ => return None,
    };
    let address = base.wrapping_add(first).wrapping_add_signed(i64::from(op.offset));
    let is_allowed = wave.cache.allows(context.memory(), address, 4 * places.len() as u64);
    if !is_allowed || !address.is_multiple_of(4) {
        return None;
    }
    match op.access {
        Access::Load(_) => {
            let row = wave.rows.row_mut(op.dst.unwrap_or(0)).as_flattened_mut();
            guest::load_row(address, row.get_mut(places)?);
        }
        _ => guest::store_row(address, wave.rows.row(op.data).as_flattened().get(places)?),
    }
    Some(())
}
