//! What a device keeps from one launch to the next.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::ThreadPool;

use super::free_blocks::FreeBlocks;
use crate::launch::Options;
use crate::memory::Memory;
use crate::services::HostServices;
use crate::target::Target;

/// What the device keeps for its launches.
pub(crate) struct Device<'d> {
    pub(crate) target: Target,
    pub(crate) options: &'d Options,
    pub(crate) memory: &'d Arc<Memory>,
    pub(crate) services: &'d Arc<dyn HostServices>,
    pub(crate) pool: &'d ThreadPool,
    pub(crate) free_blocks: &'d FreeBlocks,
    /// Formats of buffered `printf` by their hash.
    pub(crate) formats: &'d HashMap<u64, Vec<u8>>,
    /// The code is that of a library for GPUs of AMD alone.
    pub(crate) runs_library: bool,
    /// Address of the block that device code manages its heap with.
    pub(crate) heap: u64,
}
