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
}

impl Cache {
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
            *self = Cache { generation, ..Cache::default() };
        }
        let Some(found) = memory.find(address) else { return false };
        self.ranges.copy_within(..KEPT - 1, 1);
        self.ranges[0] = Range { start: found.start, end: found.end() };
        end <= found.end()
    }
}
