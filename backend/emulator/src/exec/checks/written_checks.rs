//! Reads of global memory that nobody wrote.
//!
//! A value of which a part was written is looked at more closely: compilers copy structs with the padding between their fields, and merge
//! what lies side by side into one access. That is told only where something is computed with a word that was not written.

use super::uses::computes_with;
use crate::exec::launch::context::Context;
use crate::exec::state::lanes::each;
use crate::exec::state::wave::Wave;
use crate::fault::FaultKind;
use crate::isa::Operand;

/// Reports lanes that read `bytes` bytes of which nobody wrote some. `register` is the first one that these come to; none if the
/// instruction computes with them.
pub(crate) fn read(
    wave: &Wave,
    context: &Context,
    lanes: u64,
    addresses: &[u64; 64],
    (bytes, register): (u32, Option<Operand>),
) {
    let is_bare = |lane: &usize| is_told(wave, context, (addresses[*lane], bytes), register);
    let bare = each(lanes).filter(is_bare).fold(0_u64, |bare, lane| bare | 1 << lane);
    if bare != 0 {
        report(wave, context, addresses[bare.trailing_zeros() as usize], bytes, bare);
    }
}

/// Reports a read of all lanes together.
pub(crate) fn read_at(wave: &Wave, context: &Context, address: u64, bytes: u32, register: Operand) {
    if context.shared.options.checks.are_all() && is_told(wave, context, (address, bytes), Some(register)) {
        report(wave, context, address, bytes, wave.scalars.exec());
    }
}

/// Whether bytes are read that nobody wrote, and are more than what is copied along with others.
fn is_told(wave: &Wave, context: &Context, (address, bytes): (u64, u32), register: Option<Operand>) -> bool {
    let memory = context.memory();
    if memory.unwritten(address, bytes.into()).is_none() {
        return false;
    }
    let Some(register) = register.filter(|_| !memory.is_bare(address, bytes.into())) else { return true };
    let step = wave.pc.saturating_sub(1);
    let mut words = (0..bytes.div_ceil(4)).map(|word| {
        let at = address + u64::from(4 * word);
        let bytes = u64::from(4.min(bytes - 4 * word));
        (Operand(register.0 + word as u16), at, bytes)
    });
    words.any(|(register, at, bytes)| {
        let is_in_part = !memory.is_bare(at, bytes);
        memory.unwritten(at, bytes).is_some() && computes_with(context, step, register, is_in_part)
    })
}

fn report(wave: &Wave, context: &Context, address: u64, bytes: u32, lanes: u64) {
    let Some(found) = context.memory().find(address) else { return };
    let kind = FaultKind::Unwritten { address, bytes, offset: address - found.start, allocation: found.bytes };
    context.report(wave, kind, lanes);
}
