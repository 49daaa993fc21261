//! What kernels may use of an allocation that is made of parts: a code object, and a piece of the heap.

use std::sync::atomic::Ordering;

use super::table::{Allocation, Kind, Memory};

/// Bytes that a compiler may load in one step from the end of a part on, as wide loads of constants take what lies behind them along.
const WIDEST: u64 = 64;

impl Memory {
    /// A segment of a code object lies there.
    pub(crate) fn note_segment(&self, start: u64, bytes: u64) {
        let end = (start + bytes).next_multiple_of(WIDEST);
        self.segments.insert(start, end - start);
    }

    /// A segment is there no longer.
    pub(crate) fn forget_segment(&self, start: u64) {
        self.segments.remove(start);
    }

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
        self.heap.forget();
    }

    /// The block of the heap that holds an address, or its piece where blocks have no bounds.
    fn block(&self, piece: Allocation, address: u64) -> Option<Allocation> {
        if !self.heap.is_known() {
            return Some(piece);
        }
        let (start, bytes) = self.heap.live.holding(address)?;
        Some(Allocation { start, bytes, ..piece })
    }

    /// What may be used around an address. Functions that manage the heap of device code see its pieces, all others its blocks.
    pub(super) fn usable(&self, address: u64, manages_heap: bool) -> Option<Allocation> {
        let found = self.find(address)?;
        match found.kind {
            Kind::Heap if !manages_heap => self.block(found, address),
            Kind::Module => {
                let (start, bytes) = self.segments.holding(address)?;
                Some(Allocation { start, bytes: bytes.min(found.end() - start), ..found })
            }
            _ => Some(found),
        }
    }

    /// Where an access lies that leaves a block or a segment.
    pub(super) fn describe_part(&self, found: Allocation, address: u64, bytes: u64) -> Option<String> {
        match found.kind {
            Kind::Heap => self.heap.describe(found.start, address, bytes),
            Kind::Module => self.describe_segment(found, address),
            _ => None,
        }
    }

    fn describe_segment(&self, module: Allocation, address: u64) -> Option<String> {
        let (start, bytes) = self.segments.before(address).filter(|(start, _)| *start >= module.start)?;
        let place = match address.checked_sub(start + bytes) {
            Some(distance) => format!("{distance} bytes behind the last variable of the program's code"),
            None => "across the end of the last variable of the program's code".to_owned(),
        };
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_segments_of_a_code_object_there_is_nothing() {
        let memory = Memory::new();
        let start = memory.allocate(4096 + 100, 4096, Kind::Module).unwrap();
        memory.note_segment(start, 130);
        memory.note_segment(start + 4096, 100);
        let bytes = |offset: u64| memory.usable(start + offset, false).map(|found| found.bytes);
        assert_eq!([bytes(0), bytes(191), bytes(192), bytes(4096)], [Some(192), Some(192), None, Some(100)]);
        let place = memory.describe(start + 200, 4);
        assert_eq!(place, "8 bytes behind the last variable of the program's code");
        assert_eq!(memory.describe(start + 190, 4), "across the end of the last variable of the program's code");
        memory.forget_segment(start);
        assert_eq!(bytes(0), None);
    }

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
