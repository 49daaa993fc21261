//! Barriers that only a part of a wave comes to.
//!
//! The hardware counts waves, not lanes, so such a barrier does not hang; but a lane that was missing and goes on later
//! has not met anybody. Lanes that never come back have ended: nothing is wrong with those.

use super::flow::reaches;
use crate::exec::launch::context::Context;
use crate::exec::launch::listing::Listing;
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
    let is_back = wave.missing_lanes.lanes & wave.scalars.exec() != 0;
    let is_kept = context.shared.options.checks.are_all();
    if !(is_back || is_kept) || is_private(wave) {
        return;
    }
    if is_kept {
        wave.last_access = Some(wave.pc.saturating_sub(1));
    }
    if is_back {
        tell(wave, context);
    }
}

/// Whether a wave that has ended did what comes behind a barrier, of which it is the step, without it. A barrier waits for threads that have not ended, in CUDA
/// and on AMD GPUs, so that nothing is wrong with those that end before it; but what lies behind it is for those that came to it.
pub(crate) fn went_past(wave: &Wave, listing: &Listing, barrier: usize) -> bool {
    let Some(last) = wave.last_access else { return false };
    reaches(listing, barrier, last) == Some(true) && reaches(listing, last, barrier) == Some(false)
}

#[cold]
fn tell(wave: &mut Wave, context: &Context) {
    let MissingLanes { lanes, step } = std::mem::take(&mut wave.missing_lanes);
    let there = wave.present & !lanes;
    context.report_at(wave, step, FaultKind::DivergentBarrier { there }, lanes & wave.scalars.exec());
}
