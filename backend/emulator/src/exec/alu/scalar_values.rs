//! What scalar operations are and what they work on.

/// What a scalar operation reads and writes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Values {
    pub(super) a: u64,
    pub(super) b: u64,
    /// The destination: old value, then the result.
    pub(super) d: u64,
    pub(super) scc: bool,
    pub(super) exec: u64,
    /// The literal of the opcode.
    pub(super) k: u32,
}

/// A scalar operation.
pub(super) type Operation = fn(&mut Values);
