//! Kernel descriptors: what the hardware sets up before the first instruction.

use super::bytes::{u16_at, u32_at, u64_at};

/// Bytes of a descriptor.
pub(super) const SIZE: usize = 64;

/// The descriptor `NAME.kd` of a kernel, as far as the executor needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    /// Bytes of LDS that the kernel itself uses.
    pub lds_size: u32,
    /// Bytes of private memory of one lane.
    pub private_size: u32,
    /// Bytes of the kernel arguments.
    pub kernarg_size: u32,
    /// First instruction, as address in the code object.
    pub entry: u64,
    /// Third resource word: AGPR offset on gfx90a.
    pub rsrc3: u32,
    /// First resource word: float modes.
    pub rsrc1: u32,
    /// Second resource word: user registers and ids.
    pub rsrc2: u32,
    /// Which pointers the user registers hold.
    pub properties: u16,
}

impl Descriptor {
    /// Reads the descriptor that lies at `address` in the code object.
    pub(super) fn parse(bytes: &[u8], address: u64) -> Option<Descriptor> {
        Some(Descriptor {
            lds_size: u32_at(bytes, 0)?,
            private_size: u32_at(bytes, 4)?,
            kernarg_size: u32_at(bytes, 8)?,
            entry: address.wrapping_add(u64_at(bytes, 16)?),
            rsrc3: u32_at(bytes, 44)?,
            rsrc1: u32_at(bytes, 48)?,
            rsrc2: u32_at(bytes, 52)?,
            properties: u16_at(bytes, 56)?,
        })
    }

    /// Number of user SGPRs, 0 to 31.
    pub(crate) fn user_sgprs(&self) -> u32 {
        self.rsrc2 >> 1 & 0x1f
    }

    /// Whether the block's coordinate in a dimension (0 to 2) is given.
    pub(crate) fn has_block_id(&self, dimension: u32) -> bool {
        self.rsrc2 >> (7 + dimension) & 1 != 0
    }

    /// How many of the thread's coordinates are given, 1 to 3.
    pub(crate) fn thread_ids(&self) -> u32 {
        (self.rsrc2 >> 11 & 3).min(2) + 1
    }

    /// Whether property `bit` is set.
    pub(crate) fn has(&self, bit: u32) -> bool {
        self.properties >> bit & 1 != 0
    }

    /// Whether short floats become the largest number instead of infinite (`FP16_OVFL`).
    pub(crate) fn limits_overflow(&self) -> bool {
        self.rsrc1 >> 26 & 1 != 0
    }

    /// Whether waves have 32 lanes.
    pub(crate) fn is_wave32(&self) -> bool {
        self.has(10)
    }
}
