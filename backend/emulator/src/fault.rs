//! Why a launch did not end well.

use std::fmt;

/// A kind of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// Global memory.
    Global,
    /// Memory of the block, `__shared__`.
    Lds,
    /// Memory of one lane.
    Private,
}

/// What went wrong in a kernel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// An access outside of every allocation.
    #[error("{verb} of {bytes} bytes at {space} address {address:#x}, {place}", verb = if *write { "write" } else { "read" })]
    OutOfBounds {
        /// The memory that was accessed.
        space: Space,
        /// The first address of the access.
        address: u64,
        /// Bytes of the access.
        bytes: u32,
        /// Whether memory was to be changed.
        write: bool,
        /// Where the address lies with respect to what is allocated.
        place: String,
    },
    /// An instruction that needs alignment met an address without it.
    #[error("{bytes} bytes at address {address:#x} are not aligned")]
    Misaligned {
        /// The address.
        address: u64,
        /// Bytes of the access.
        bytes: u32,
    },
    /// The kernel stopped itself: 2 is `abort`, `__builtin_trap` and a failed assertion.
    #[error("trap {0}")]
    Trap(u8),
    /// A failed `assert`, whose message was printed.
    #[error("device-side assertion failed")]
    Assert,
    /// Waves wait at a barrier that others will never reach.
    #[error("{waiting} waves wait at a barrier that {left} waves of the block never reached")]
    Barrier {
        /// Waves at the barrier.
        waiting: u32,
        /// Waves that ended.
        left: u32,
    },
    /// The kernel ran longer than [`crate::Options::step_limit`].
    #[error("stopped after {0} instructions of one block")]
    StepLimit(u64),
    /// An instruction that the executor does not know. Nothing was guessed.
    #[error("instruction `{0}` is not implemented")]
    Unimplemented(String),
    /// Bits that are no instruction, or a jump to where none is.
    #[error("no instruction at {0:#x}")]
    IllegalInstruction(u64),
    /// A service was asked of the host that it does not offer, or a malformed request.
    #[error("{0}")]
    Service(String),
}

/// A kernel that was stopped, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// Mangled name of the kernel.
    pub kernel: String,
    /// Coordinates of the block.
    pub block: [u32; 3],
    /// Number of the wave in its block.
    pub wave: u32,
    /// Lanes that are to blame, one bit each: those of a bad access, else all active lanes.
    pub lanes: u64,
    /// Address of the instruction in the code object.
    pub pc: u64,
    /// The instruction in LLVM's syntax.
    pub instruction: String,
    /// File and line, where the code object has line tables.
    pub source: Option<String>,
}

impl std::error::Error for Fault {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { kind, kernel, block: [x, y, z], wave, lanes, pc, instruction, source } = self;
        write!(
            f,
            "{kind} in kernel `{kernel}`, block ({x}, {y}, {z}), wave {wave}, lanes {lanes:#x}, at {pc:#x}: `{instruction}`"
        )?;
        match source {
            Some(source) => write!(f, " ({source})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Global => "global",
            Space::Lds => "LDS",
            Space::Private => "private",
        })
    }
}

/// Why a launch failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// The module has no kernel of this name.
    #[error("no kernel `{0}` in the module")]
    UnknownKernel(String),
    /// Grid, block, LDS or arguments that the device or the kernel does not take.
    #[error("{0}")]
    Configuration(String),
    /// A cooperative launch of more blocks than can run together.
    #[error("{blocks} blocks of a cooperative launch, at most {most} run together")]
    TooLarge {
        /// Blocks of the grid.
        blocks: u64,
        /// Blocks that the device can hold.
        most: u64,
    },
    /// Memory for the launch could not be had.
    #[error("out of memory: {0}")]
    OutOfMemory(String),
    /// The kernel was stopped.
    #[error(transparent)]
    Fault(#[from] Box<Fault>),
}
