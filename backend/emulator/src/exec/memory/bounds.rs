//! Bounds of global memory, and what of accesses past them goes on.

use crate::bounds::Bounds;
use crate::exec::launch::context::Context;
use crate::exec::launch::failure::Failure;
use crate::exec::state::wave::Wave;
use crate::fault::{FaultKind, Space};

/// An error if there is no global memory of so many bytes; where the kernel goes on past the end of an allocation, a finding.
/// `lanes` are those that access it together, `None` for all active ones.
pub(super) fn check_global(
    wave: &mut Wave,
    context: &Context,
    lanes: Option<u64>,
    (address, bytes): (u64, u32),
    write: bool,
) -> Result<(), Failure> {
    if wave.cache.allows(context.memory(), address, u64::from(bytes)) {
        return Ok(());
    }
    let place = context.memory().describe(address, bytes.into());
    let kind = FaultKind::OutOfBounds { space: Space::Global, address, bytes, write, place };
    if goes_on(context, address, bytes) {
        context.report(wave, kind, lanes.unwrap_or_else(|| wave.scalars.exec()));
        return Ok(());
    }
    Err(Failure { kind, lanes })
}

/// Whether hardware lets an access to global memory pass that leaves its allocation.
pub(super) fn goes_on(context: &Context, address: u64, bytes: u32) -> bool {
    context.shared.options.bounds == Bounds::Granule && context.memory().is_in_granules(address, bytes.into())
}
