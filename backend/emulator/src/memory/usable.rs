//! What kernels may use of an allocation that is made of parts: a code object, and a piece of the heap.

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

    /// Where an access lies that leaves a segment.
    pub(super) fn describe_segment(&self, found: Option<Allocation>, address: u64) -> Option<String> {
        let module = found.filter(|found| found.kind == Kind::Module)?;
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
}
