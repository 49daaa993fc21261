//! Memory that a launch needs beside that of the program.

use crate::fault::LaunchError;
use crate::memory::{Kind, Memory};

/// Memory of a launch, given back at its end.
pub(crate) struct Scratch<'m> {
    memory: &'m Memory,
    addresses: Vec<u64>,
}

impl<'m> Scratch<'m> {
    pub(crate) fn new(memory: &'m Memory) -> Scratch<'m> {
        Scratch { memory, addresses: Vec::new() }
    }

    /// Zeroed memory for the launch.
    pub(crate) fn take(&mut self, bytes: u64) -> Result<u64, LaunchError> {
        let address = self.memory.allocate(bytes.max(1), 256, Kind::Runtime);
        let address = address.map_err(|error| LaunchError::OutOfMemory(error.to_string()))?;
        self.addresses.push(address);
        Ok(address)
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        for address in &self.addresses {
            // Each address came from `allocate` and is freed here only.
            let _ = self.memory.free(*address);
        }
    }
}
