//! The allocation that a wave used last: most accesses go where the one before went.

use super::table::Memory;

/// A range of addresses that was found valid.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cache {
    start: u64,
    end: u64,
    generation: u64,
}

impl Cache {
    /// Whether all of `address..address + bytes` may be accessed.
    #[inline]
    pub(crate) fn allows(&mut self, memory: &Memory, address: u64, bytes: u64) -> bool {
        let Some(end) = address.checked_add(bytes) else { return false };
        (address >= self.start && end <= self.end && self.generation == memory.generation())
            || self.refill(memory, address, end)
    }

    #[cold]
    fn refill(&mut self, memory: &Memory, address: u64, end: u64) -> bool {
        let generation = memory.generation();
        let Some(found) = memory.find(address) else { return false };
        *self = Cache { start: found.start, end: found.end(), generation };
        end <= found.end()
    }
}
