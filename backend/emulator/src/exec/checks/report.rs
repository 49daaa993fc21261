//! Reports of what checks find: the place, and the instructions that take part.

use crate::exec::launch::context::Context;
use crate::exec::launch::listing::Listing;
use crate::exec::launch::shared::Shared;
use crate::exec::race::shadow::Earlier;
use crate::exec::state::wave::Wave;
use crate::fault::{Fault, FaultKind, Other};

/// A fault of a wave of the block at `at`, in a step.
pub(crate) fn describe(
    shared: &Shared,
    listing: &Listing,
    place: ([u32; 3], u32),
    step: usize,
    (kind, lanes): (FaultKind, u64),
) -> Fault {
    let (pc, instruction) = text(listing, step);
    Fault {
        kind,
        kernel: shared.kernel.name.clone(),
        block: place.0,
        wave: place.1,
        lanes,
        pc,
        instruction,
        source: None,
    }
}

/// Address and text of a step.
fn text(listing: &Listing, step: usize) -> (u64, String) {
    let step = listing.steps.get(step);
    let instruction = step.and_then(|step| step.inst).map(|inst| inst.text(listing.generation));
    (step.map_or(0, |step| step.address), instruction.unwrap_or_default())
}

/// The other instruction of a finding; its source line is looked up when the finding is told.
pub(crate) fn other(listing: &Listing, what: &'static str, wave: u32, step: usize) -> Other {
    let (pc, instruction) = text(listing, step);
    Other { what, wave, pc, instruction, source: None }
}

impl Context<'_> {
    /// Notes what a check found at the current step of a wave.
    #[cold]
    pub(crate) fn report(&self, wave: &Wave, kind: FaultKind, lanes: u64) {
        self.report_at(wave, wave.pc.saturating_sub(1), kind, lanes);
    }

    /// Notes what a check found at a step of a wave.
    #[cold]
    pub(crate) fn report_at(&self, wave: &Wave, step: usize, kind: FaultKind, lanes: u64) {
        let make = |kind| describe(self.shared, self.listing, (self.at, wave.number), step, (kind, lanes));
        self.shared.findings.add(step, kind, make);
    }

    /// The other side of a race.
    pub(crate) fn earlier(&self, earlier: Earlier) -> Other {
        let what = if earlier.write { "a write" } else { "a read" };
        other(self.listing, what, earlier.wave, earlier.step as usize)
    }
}
