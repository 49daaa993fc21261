//! The grid of a launch: its blocks, and the place where all of them meet.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The place where all blocks of a grid meet.
#[derive(Debug)]
pub(crate) struct Grid {
    pub(crate) size: [u32; 3],
    arrived: Mutex<u64>,
    meetings: AtomicU64,
}

impl Grid {
    pub(crate) fn new(size: [u32; 3]) -> Grid {
        Grid { size, arrived: Mutex::new(0), meetings: AtomicU64::new(0) }
    }

    /// Blocks of the grid.
    pub(crate) fn blocks(&self) -> u64 {
        self.size.iter().map(|size| u64::from(*size)).product()
    }

    /// How often all blocks have met.
    pub(crate) fn meetings(&self) -> u64 {
        self.meetings.load(Ordering::Acquire)
    }

    /// Announces a block. Returns how often all have met before.
    pub(crate) fn arrive(&self) -> u64 {
        let mut arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.meetings();
        *arrived += 1;
        if *arrived == self.blocks() {
            *arrived = 0;
            self.meetings.store(before + 1, Ordering::Release);
        }
        before
    }

    pub(crate) fn coordinates(&self, number: u64) -> [u32; 3] {
        let [width, height, _] = self.size.map(u64::from);
        [number % width, number / width % height, number / width / height].map(|coordinate| coordinate as u32)
    }
}
