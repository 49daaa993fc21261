//! What goes on beside a launch, and may change memory that its waves wait for: other launches, copies, threads of the host.

/// What a launch that cannot go on by itself asks of those beside it.
pub trait Neighbours: Send + Sync {
    /// A mark of the time: another one than before whenever somebody beside the launch may have changed memory.
    fn mark(&self) -> u64;

    /// Told that every wave of the launch repeats what it did, with memory as it was at `mark` and since; `changes` is another
    /// number than at an earlier call where the launch itself has changed memory in between. Gives whether others may still
    /// act, so that going on makes sense.
    fn may_act(&self, mark: u64, changes: u64) -> bool;
}

/// Nothing goes on beside the launch.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alone;

impl Neighbours for Alone {
    fn mark(&self) -> u64 {
        0
    }

    fn may_act(&self, _: u64, _: u64) -> bool {
        false
    }
}
