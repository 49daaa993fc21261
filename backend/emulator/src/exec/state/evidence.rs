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

/// A call of a function that manages the heap of device code.
#[derive(Debug, Clone)]
pub(crate) struct HeapCall {
    /// The step that it returns to.
    pub(crate) back: usize,
    pub(crate) lanes: u64,
    /// What each lane asks for; nothing where blocks are given back.
    pub(crate) wanted: Option<Box<[u64; 64]>>,
}
