//! Reads of global memory that nobody wrote.

use crate::exec::launch::context::Context;
use crate::exec::state::lanes::each;
use crate::exec::state::wave::Wave;
use crate::fault::FaultKind;

/// Reports lanes that read `bytes` bytes of which nobody wrote one.
pub(crate) fn read(wave: &Wave, context: &Context, lanes: u64, addresses: &[u64; 64], bytes: u32) {
    let is_bare = |lane: &usize| context.memory().unwritten(addresses[*lane], bytes.into()).is_some();
    let bare = each(lanes).filter(is_bare).fold(0_u64, |bare, lane| bare | 1 << lane);
    if bare != 0 {
        report(wave, context, addresses[bare.trailing_zeros() as usize], bytes, bare);
    }
}

/// Reports a read of all lanes together.
pub(crate) fn read_at(wave: &Wave, context: &Context, address: u64, bytes: u32) {
    if context.shared.options.checks.are_all() && context.memory().unwritten(address, bytes.into()).is_some() {
        report(wave, context, address, bytes, wave.scalars.exec());
    }
}

fn report(wave: &Wave, context: &Context, address: u64, bytes: u32, lanes: u64) {
    let Some(found) = context.memory().find(address) else { return };
    let kind = FaultKind::Unwritten { address, bytes, offset: address - found.start, allocation: found.bytes };
    context.report(wave, kind, lanes);
}
