//! The heap of device code: `malloc` in a kernel gives out blocks of pieces that device code has of the host. A piece is one allocation, and
//! its blocks are known where the functions that manage the heap are, as these are told of here.

use std::sync::atomic::{AtomicBool, Ordering};

use super::ranges::Ranges;

/// The blocks that kernels have and have not given back.
#[derive(Debug, Default)]
pub(super) struct Heap {
    pub(super) live: Ranges,
    /// Code that tells nothing has used the heap.
    is_unknown: AtomicBool,
}

impl Heap {
    pub(super) fn is_known(&self) -> bool {
        !self.is_unknown.load(Ordering::Acquire)
    }

    /// From now on nothing is known of blocks.
    pub(super) fn forget(&self) {
        self.is_unknown.store(true, Ordering::Release);
    }

    /// Where an access to the piece that begins at `piece` lies, if its blocks are known.
    pub(super) fn describe(&self, piece: u64, address: u64, bytes: u64) -> Option<String> {
        if !self.is_known() {
            return None;
        }
        let Some((start, size)) = self.live.before(address).filter(|(start, _)| *start >= piece) else {
            return Some("where `malloc` of the device gave nothing".to_owned());
        };
        let end = start + size;
        let outside = address.saturating_add(bytes).saturating_sub(end);
        Some(if address < end {
            format!("whose last {outside} bytes lie behind the end of {size} bytes that `malloc` of the device gave")
        } else {
            format!("{} bytes behind the end of {size} bytes that `malloc` of the device gave", address - end)
        })
    }
}
