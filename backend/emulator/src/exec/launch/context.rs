//! What steps can reach beside their wave.

use pulp::Arch;

use super::listing::Listing;
use super::shared::Shared;
use crate::exec::state::lds::Lds;
use crate::memory::Memory;

/// What steps can reach beside their wave.
pub(crate) struct Context<'l> {
    pub(crate) shared: &'l Shared,
    pub(crate) listing: &'l Listing,
    pub(crate) lds: &'l mut Lds,
    pub(crate) arch: Arch,
    /// Coordinates of the block.
    pub(crate) at: [u32; 3],
    /// Set where memory changes, while that is looked at because nothing else seems to happen.
    pub(crate) changed: Option<&'l mut bool>,
}

impl Context<'_> {
    #[inline]
    pub(crate) fn memory(&self) -> &Memory {
        &self.shared.memory
    }

    /// Notes that memory may have been changed, if anybody wants to know.
    pub(crate) fn note_change(&mut self, changes: bool) {
        if let Some(changed) = &mut self.changed {
            **changed |= changes;
        }
    }

    /// Announces a wave where all blocks meet. Returns how often they have met before.
    pub(crate) fn arrive_at_grid(&self) -> u64 {
        self.shared.grid.arrive()
    }
}
