//! What threads wait for in loops.

use super::control_flow::Loop;
use crate::syntax::TokenIdx;

/// What a thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitsFor {
    /// A lock that is still held behind the loop.
    Lock,
    /// A lock, and the work with it is done within the loop.
    Work {
        /// Whether the thread with the lock leaves the loop from there, by `break` and the like.
        leaves: bool,
    },
    /// The number that the thread drew to come up.
    Turn,
    /// A variable of the block's shared memory.
    Shared(TokenIdx),
    /// A value in memory that may be that of other blocks, too; where it is read.
    Value(TokenIdx),
}

/// A loop in which a thread waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingLoop {
    /// Where it is.
    pub looped: Loop,
    /// What it waits for.
    pub waits_for: WaitsFor,
}
