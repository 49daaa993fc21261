//! The heap of device code: `malloc` in a kernel gives out blocks of pieces that device code has of the host. A piece is one allocation, and
//! its blocks are known where the functions that manage the heap are, as these are told of here.

use std::sync::atomic::{AtomicBool, Ordering};

use super::ranges::Ranges;
use super::table::{Allocation, Kind, Memory};

/// The blocks that kernels have and have not given back.
#[derive(Debug, Default)]
pub(super) struct Heap {
    live: Ranges,
    /// Code that tells nothing has used the heap.
    is_unknown: AtomicBool,
}

impl Heap {
    fn is_known(&self) -> bool {
        !self.is_unknown.load(Ordering::Acquire)
    }

    /// Where an access to a piece lies, if its blocks are known.
    pub(super) fn describe(&self, found: Option<Allocation>, address: u64, bytes: u64) -> Option<String> {
        let piece = found.filter(|found| found.kind == Kind::Heap && self.is_known())?;
        let Some((start, size)) = self.live.before(address).filter(|(start, _)| *start >= piece.start) else {
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

impl Memory {
    /// Device code has given out a block; kernels may use it to its last byte.
    pub(crate) fn note_given(&self, address: u64, bytes: u64) {
        self.heap.live.insert(address, bytes);
    }

    /// Device code takes a block back.
    pub(crate) fn note_returned(&self, address: u64) {
        self.heap.live.remove(address);
        self.generation.fetch_add(1, Ordering::Release);
    }

    /// Code uses the heap that tells nothing: from now on blocks have no bounds.
    pub(crate) fn forget_blocks(&self) {
        self.heap.is_unknown.store(true, Ordering::Release);
    }

    /// The block of the heap that holds an address, or its piece where blocks have no bounds.
    pub(super) fn block(&self, piece: Allocation, address: u64) -> Option<Allocation> {
        if !self.heap.is_known() {
            return Some(piece);
        }
        let (start, bytes) = self.heap.live.holding(address)?;
        Some(Allocation { start, bytes, ..piece })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_the_heap_have_bounds_where_they_are_known() {
        let memory = Memory::new();
        let piece = memory.allocate(4096, 1, Kind::Heap).unwrap();
        memory.note_given(piece + 64, 10);
        let block = Allocation { start: piece + 64, bytes: 10, kind: Kind::Heap };
        assert_eq!((memory.usable(piece + 73, false), memory.usable(piece + 74, false)), (Some(block), None));
        assert_eq!(memory.usable(piece, true).map(|found| found.bytes), Some(4096));
        assert_eq!(memory.describe(piece + 4, 4), "where `malloc` of the device gave nothing");
        let behind = "whose last 2 bytes lie behind the end of 10 bytes that `malloc` of the device gave";
        assert_eq!(memory.describe(piece + 72, 4), behind);
        assert_eq!(
            memory.describe(piece + 80, 4),
            "6 bytes behind the end of 10 bytes that `malloc` of the device gave"
        );
        memory.note_returned(piece + 64);
        assert_eq!(memory.usable(piece + 64, false), None);
        memory.forget_blocks();
        assert_eq!(memory.usable(piece + 64, false).map(|found| found.bytes), Some(4096));
    }
}
