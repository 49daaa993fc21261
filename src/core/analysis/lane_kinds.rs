//! What values are about: lane masks, lanes, threads; and what functions say about their arguments.

/// What a value is about. A value may be several things at once, or nothing of interest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LaneKinds {
    /// A set of lanes, one bit for each.
    pub mask: bool,
    /// The number of a lane within its warp.
    pub lane: bool,
    /// The number of a thread within its block.
    pub thread: bool,
}

impl LaneKinds {
    pub(super) const MASK: LaneKinds = LaneKinds { mask: true, lane: false, thread: false };
    pub(super) const LANE: LaneKinds = LaneKinds { mask: false, lane: true, thread: false };
    pub(super) const THREAD: LaneKinds = LaneKinds { mask: false, lane: false, thread: true };

    /// What either is about.
    pub(super) fn or(self, other: LaneKinds) -> LaneKinds {
        LaneKinds { mask: self.mask || other.mask, lane: self.lane || other.lane, thread: self.thread || other.thread }
    }
}

/// Whether the first argument of a function of CUDA's is a lane mask.
pub(super) fn takes_mask(function: &str) -> bool {
    (function.starts_with("__") && function.ends_with("_sync")) || function == "__syncwarp"
}

/// Whether a function may be the project's own, so that its parameters are what it is given.
pub(super) fn is_own(function: &str) -> bool {
    !function.starts_with("__")
        && !function.starts_with("atomic")
        && !matches!(function, "min" | "max" | "abs" | "printf" | "assert" | "memcpy" | "memset" | "sizeof")
}

/// Whether a function of CUDA's returns a lane mask.
pub fn gives_mask(function: &str) -> bool {
    matches!(
        function,
        "__ballot"
            | "__ballot_sync"
            | "__activemask"
            | "__match_any"
            | "__match_any_sync"
            | "__match_all"
            | "__match_all_sync"
    )
}
