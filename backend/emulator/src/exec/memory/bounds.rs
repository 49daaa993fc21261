//! Bounds of global memory, for accesses that all lanes make together.

use crate::exec::launch::context::Context;
use crate::exec::launch::failure::Failure;
use crate::exec::state::wave::Wave;
use crate::fault::{FaultKind, Space};

/// An error if there is no global memory of so many bytes.
pub(super) fn check_global(
    wave: &mut Wave,
    context: &Context,
    address: u64,
    bytes: u32,
    write: bool,
) -> Result<(), Failure> {
    if wave.cache.allows(context.memory(), address, u64::from(bytes)) {
        return Ok(());
    }
    let place = context.memory().describe(address);
    Err(FaultKind::OutOfBounds { space: Space::Global, address, bytes, write, place }.into())
}
