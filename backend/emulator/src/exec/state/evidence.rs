//! What a wave remembers of what it has done, so that checks can explain what comes of it later.

/// Lanes that were missing at the newest barrier of a wave.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MissingLanes {
    pub(crate) lanes: u64,
    pub(crate) step: usize,
}

/// A comparison of a value with the active lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExecComparison {
    pub(crate) step: usize,
    pub(crate) mask: u64,
    pub(crate) active: u64,
}
