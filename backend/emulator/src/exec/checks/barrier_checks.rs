//! Barriers that only a part of a wave comes to.
//!
//! The hardware counts waves, not lanes, so such a barrier does not hang; but a lane that was missing and goes on later
//! has not met anybody. Lanes that never come back have ended: nothing is wrong with those.

use crate::exec::launch::context::Context;
use crate::exec::state::evidence::MissingLanes;
use crate::exec::state::wave::Wave;
use crate::fault::FaultKind;

/// A wave has come to a barrier.
pub(crate) fn arrive(wave: &mut Wave, context: &Context) {
    if !context.shared.options.checks.are_on() {
        return;
    }
    back(wave, context);
    wave.missing_lanes = MissingLanes { lanes: wave.present & !wave.scalars.exec(), step: wave.pc.saturating_sub(1) };
}

/// Memory of the block or of all is accessed, or a barrier reached: lanes that were missing at the barrier before must not take part.
#[inline]
pub(crate) fn back(wave: &mut Wave, context: &Context) {
    back_unless(wave, context, |_| false);
}

/// As [`back`], unless the access is one to private memory. Compilers switch on all lanes, those that have ended too, to save
/// registers there: where a function begins and ends, and where registers do not suffice. Who does no more than that has not gone on.
#[inline]
pub(crate) fn back_unless(wave: &mut Wave, context: &Context, is_private: impl FnOnce(&Wave) -> bool) {
    if wave.missing_lanes.lanes & wave.scalars.exec() != 0 && !is_private(wave) {
        tell(wave, context);
    }
}

#[cold]
fn tell(wave: &mut Wave, context: &Context) {
    let MissingLanes { lanes, step } = std::mem::take(&mut wave.missing_lanes);
    let there = wave.present & !lanes;
    context.report_at(wave, step, FaultKind::DivergentBarrier { there }, lanes & wave.scalars.exec());
}
