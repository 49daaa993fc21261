//! Lanes that read inactive ones: a shuffle then gives zero on this hardware, and nothing that CUDA defines.
//!
//! Data that moves by DPP, permutation of rows or a constant lane number is not looked at: compilers and libraries read
//! inactive lanes that way on purpose, and what they get is defined.

use crate::exec::launch::context::Context;
use crate::exec::state::lanes::each;
use crate::exec::state::wave::Wave;
use crate::fault::FaultKind;

/// Checks that the lanes that active ones read are active.
pub(crate) fn read(wave: &Wave, context: &Context, from: impl Fn(usize) -> usize) {
    let active = wave.scalars.exec();
    let (mut readers, mut sources) = (0_u64, 0_u64);
    for lane in each(active) {
        let source = from(lane) & 63;
        if active >> source & 1 == 0 {
            readers |= 1 << lane;
            sources |= 1 << source;
        }
    }
    if readers != 0 {
        context.report(wave, FaultKind::InactiveLanes { sources }, readers);
    }
}
