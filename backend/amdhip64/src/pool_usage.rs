//! How much memory of each pool is in use, now and at most.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use crate::abi::Address;
use crate::lock::lock;

/// Bytes of a pool.
#[derive(Clone, Copy, Default)]
pub(crate) struct Usage {
    pub(crate) now: u64,
    /// Since the pool was made, or since this was set back.
    pub(crate) most: u64,
}

/// Pools, and the allocations from them.
#[derive(Default)]
struct Pools {
    usage: HashMap<Address, Usage>,
    /// The pool and the bytes of each allocation.
    allocations: HashMap<Address, (Address, u64)>,
}

static POOLS: LazyLock<Mutex<Pools>> = LazyLock::new(Mutex::default);

/// Notes an allocation from a pool.
pub(crate) fn note_taken(pool: Address, memory: Address, bytes: usize) {
    let mut pools = lock(&POOLS);
    let bytes = bytes as u64;
    pools.allocations.insert(memory, (pool, bytes));
    let usage = pools.usage.entry(pool).or_default();
    usage.now += bytes;
    usage.most = usage.most.max(usage.now);
}

/// Notes that memory was freed, of a pool or not.
pub(crate) fn note_freed(memory: Address) {
    let mut pools = lock(&POOLS);
    if let Some((pool, bytes)) = pools.allocations.remove(&memory)
        && let Some(usage) = pools.usage.get_mut(&pool)
    {
        usage.now -= bytes;
    }
}

/// What a pool uses.
pub(crate) fn of(pool: Address) -> Usage {
    lock(&POOLS).usage.get(&pool).copied().unwrap_or_default()
}

/// Counts the most from now on.
pub(crate) fn set_back(pool: Address) {
    if let Some(usage) = lock(&POOLS).usage.get_mut(&pool) {
        usage.most = usage.now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_knows_what_is_in_use_and_the_most_that_was() {
        let [pool, other] = [Address::new(0x1000), Address::new(0x1008)];
        let memory = |number: u64| Address::new(0x10_0000 + number);
        note_taken(pool, memory(0), 100);
        note_taken(pool, memory(1), 50);
        note_taken(other, memory(2), 7);
        note_freed(memory(0));
        note_freed(memory(3));
        assert_eq!((of(pool).now, of(pool).most, of(other).now), (50, 150, 7));
        set_back(pool);
        note_taken(pool, memory(0), 10);
        assert_eq!((of(pool).now, of(pool).most), (60, 60));
    }
}
