//! The allocations that a wave used last: most accesses go where one shortly before went.

use super::table::Memory;

/// Ranges that are kept.
const KEPT: usize = 4;

/// A range of addresses that was found valid.
#[derive(Debug, Clone, Copy, Default)]
struct Range {
    start: u64,
    end: u64,
}

/// Ranges of addresses that were found valid, the newest first.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cache {
    ranges: [Range; KEPT],
    generation: u64,
    /// The code that uses it manages the heap of device code.
    manages_heap: bool,
}

impl Cache {
    /// That of code which manages the heap of device code, or of other code.
    pub(crate) fn new(manages_heap: bool) -> Cache {
        Cache { manages_heap, ..Cache::default() }
    }

    /// Whether all of `address..address + bytes` may be accessed.
    #[inline]
    pub(crate) fn allows(&mut self, memory: &Memory, address: u64, bytes: u64) -> bool {
        let Some(end) = address.checked_add(bytes) else { return false };
        let holds = |range: &Range| address >= range.start && end <= range.end;
        (self.generation == memory.generation() && self.ranges.iter().any(holds)) || self.refill(memory, address, end)
    }

    #[cold]
    fn refill(&mut self, memory: &Memory, address: u64, end: u64) -> bool {
        let generation = memory.generation();
        if self.generation != generation {
            *self = Cache { generation, ..Cache::new(self.manages_heap) };
        }
        let Some(found) = memory.usable(address, self.manages_heap) else { return false };
        self.ranges.copy_within(..KEPT - 1, 1);
        self.ranges[0] = Range { start: found.start, end: found.end() };
        end <= found.end()
    }
}
