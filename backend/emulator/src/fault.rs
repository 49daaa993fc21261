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
    /// The kernel halted its wave, as code behind a trap does where no handler took it.
    #[error("the wave halted itself, and only a debugger could let it go on")]
    Halted,
    /// HIP's check of a `_sync` function stopped the kernel.
    #[error(
        "a `_sync` function was called with mask {mask:#x} while lanes {active:#x} are active; {}", mask_advice(*mask, *active)
    )]
    SyncMask {
        /// The mask that the kernel gave.
        mask: u64,
        /// The lanes that came to the function together.
        active: u64,
    },
    /// Accesses of two waves of a block to the same bytes of LDS, of which one writes, and which nothing orders.
    #[error("race in LDS: {verb} of {bytes} bytes at offset {offset:#x} and {other}, without a barrier in between", verb = if *write { "write" } else { "read" })]
    Race {
        /// Place in LDS.
        offset: u32,
        /// Bytes of the later access.
        bytes: u32,
        /// Whether the later access writes.
        write: bool,
        /// The earlier access.
        other: Other,
    },
    /// LDS was read where the block had not written.
    #[error("read of {bytes} bytes of LDS at offset {offset:#x} that the block never wrote")]
    Uninitialised {
        /// Place in LDS.
        offset: u32,
        /// Bytes of the access.
        bytes: u32,
    },
    /// Global memory was read that nobody wrote.
    #[error(
        "read of {bytes} bytes at global address {address:#x}, {offset} bytes from the start of an allocation of {allocation} bytes, that nobody wrote"
    )]
    Unwritten {
        /// The first address of the access.
        address: u64,
        /// Bytes of the access.
        bytes: u32,
        /// Where that is in the allocation.
        offset: u64,
        /// Bytes of the allocation.
        allocation: u64,
    },
    /// Lanes went past a barrier without the others of their wave, which go on afterwards.
    #[error("barrier that only lanes {there:#x} of the wave came to; these lanes go on later without it")]
    DivergentBarrier {
        /// Lanes that came to the barrier.
        there: u64,
    },
    /// Waves of a block met at different barriers.
    #[error("waves of a block meet at different barriers: this one, and {other}")]
    DifferentBarriers {
        /// The other barrier.
        other: Other,
    },
    /// Lanes read a register of lanes that are not active: zero on this hardware, undefined in CUDA.
    #[error("lanes read from lanes {sources:#x}, which are not active")]
    InactiveLanes {
        /// Lanes that were read.
        sources: u64,
    },
    /// The state of all waves repeats and memory does not change: nothing can end the kernel.
    #[error("no progress: {0}")]
    NoProgress(String),
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

fn mask_advice(mask: u64, active: u64) -> String {
    let (missing, extra) = (mask & !active, active & !mask);
    match (missing, extra) {
        (0, extra) => format!("lanes {extra:#x} called it and are not in their mask"),
        (missing, 0) => format!("lanes {missing:#x} of the mask did not call it"),
        (missing, extra) => {
            format!("lanes {missing:#x} of the mask did not call it, lanes {extra:#x} called it and are not in it")
        }
    }
}

/// Another instruction that has to do with a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Other {
    /// What it does there.
    pub what: &'static str,
    /// The wave that executed it.
    pub wave: u32,
    /// Address of the instruction in the code object.
    pub pc: u64,
    /// The instruction in LLVM's syntax.
    pub instruction: String,
    /// File and line, where the code object has line tables.
    pub source: Option<String>,
}

impl fmt::Display for Other {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Other { what, wave, pc, instruction, source } = self;
        write!(f, "{what} by wave {wave} at {pc:#x}: `{instruction}`")?;
        match source {
            Some(source) => write!(f, " ({source})"),
            None => Ok(()),
        }
    }
}

impl FaultKind {
    /// The other instruction of a finding about two.
    pub(crate) fn other_mut(&mut self) -> Option<&mut Other> {
        match self {
            FaultKind::Race { other, .. } | FaultKind::DifferentBarriers { other } => Some(other),
            _ => None,
        }
    }
}

/// A kernel that was stopped, and where; or what a check found in one that goes on.
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

/// What is wrong with a launch that never began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No blocks, or no threads.
    Empty,
    /// A block of more threads than the device holds.
    Block,
    /// A block of more threads than the kernel was compiled for.
    Bound,
    /// A grid that is too large for the device.
    Grid,
    /// More LDS than a block can have.
    Lds,
    /// Something that the emulator does not do.
    Other,
}

/// Why a launch failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// The module has no kernel of this name.
    #[error("no kernel `{0}` in the module")]
    UnknownKernel(String),
    /// Grid, block, LDS or arguments that the device or the kernel does not take.
    #[error("{text}")]
    Refused {
        /// What is wrong with the launch.
        why: Refusal,
        /// That, for people.
        text: String,
    },
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
