//! Blocks that are kept from one launch to the next: room for registers and LDS takes long to get from the host.

use std::sync::{Mutex, PoisonError};

use super::block::Block;

/// Blocks that no launch uses.
#[derive(Default)]
pub(crate) struct FreeBlocks(Mutex<Vec<Block>>);

impl FreeBlocks {
    /// A block, if one is left. Whoever takes it starts it.
    pub(super) fn take(&self) -> Option<Block> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Keeps blocks, up to `most` of all.
    pub(super) fn keep(&self, blocks: Vec<Block>, most: usize) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = most.saturating_sub(kept.len());
        kept.extend(blocks.into_iter().take(room));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_blocks_are_kept_than_wanted() {
        let free = FreeBlocks::default();
        free.keep(vec![Block::new(), Block::new(), Block::new()], 2);
        free.keep(vec![Block::new()], 2);
        assert!(free.take().is_some() && free.take().is_some() && free.take().is_none());
    }
}
