//! What the blocks of a launch share, and what instructions reach of it.

pub(super) mod context;
pub(super) mod failure;
pub(super) mod findings;
pub(super) mod grid;
pub(super) mod hostcall;
pub(super) mod known;
pub(super) mod listing;
pub(super) mod printf;
pub(super) mod scratch;
pub(super) mod shared;
pub(super) mod stall;
