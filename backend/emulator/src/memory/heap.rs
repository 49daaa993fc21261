//! The heap of device code: `malloc` in a kernel gives out blocks of pieces that device code has of the host. A piece is one allocation, and
//! its blocks are known where the functions that manage the heap are, as these are told of here.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

use super::table::{Allocation, Kind, Memory};

/// The blocks that kernels have and have not given back.
#[derive(Debug, Default)]
pub(super) struct Heap {
    /// Bytes by address.
    live: RwLock<BTreeMap<u64, u64>>,
    /// Code that tells nothing has used the heap.
    is_unknown: AtomicBool,
}

impl Heap {
    fn is_known(&self) -> bool {
        !self.is_unknown.load(Ordering::Acquire)
    }

    /// The last block that begins at an address or before.
    fn before(&self, address: u64) -> Option<(u64, u64)> {
        let live = self.live.read().unwrap_or_else(PoisonError::into_inner);
        live.range(..=address).next_back().map(|(start, bytes)| (*start, *bytes))
    }

    /// Where an access to a piece lies, if its blocks are known.
    pub(super) fn describe(&self, found: Option<Allocation>, address: u64, bytes: u64) -> Option<String> {
        let piece = found.filter(|found| found.kind == Kind::Heap && self.is_known())?;
        let Some((start, size)) = self.before(address).filter(|(start, _)| *start >= piece.start) else {
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
    /// Device code has given out a block.
    pub(crate) fn note_given(&self, address: u64, bytes: u64) {
        self.heap.live.write().unwrap_or_else(PoisonError::into_inner).insert(address, bytes);
    }

    /// Device code takes a block back.
    pub(crate) fn note_returned(&self, address: u64) {
        self.heap.live.write().unwrap_or_else(PoisonError::into_inner).remove(&address);
        self.generation.fetch_add(1, Ordering::Release);
    }

    /// Code uses the heap that tells nothing: from now on blocks have no bounds.
    pub(crate) fn forget_blocks(&self) {
        self.heap.is_unknown.store(true, Ordering::Release);
    }

    /// What kernels may use around an address: an allocation, or a block of the heap. The functions that manage the heap see its pieces.
    pub(super) fn usable(&self, address: u64, sees_pieces: bool) -> Option<Allocation> {
        let found = self.find(address)?;
        if found.kind != Kind::Heap || sees_pieces || !self.heap.is_known() {
            return Some(found);
        }
        let (start, bytes) = self.heap.before(address).filter(|(start, bytes)| address < start + bytes)?;
        Some(Allocation { start, bytes, kind: Kind::Heap })
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
        assert_eq!(memory.describe(piece + 80, 4), "6 bytes behind the end of 10 bytes that `malloc` of the device gave");
        memory.note_returned(piece + 64);
        assert_eq!(memory.usable(piece + 64, false), None);
        memory.forget_blocks();
        assert_eq!(memory.usable(piece + 64, false).map(|found| found.bytes), Some(4096));
    }
}
