//! Numbers: the formats that registers hold, and how results are rounded.

pub(super) mod approximate;
pub(super) mod bf16;
pub(super) mod directed;
pub(super) mod element;
pub(super) mod exact;
pub(super) mod float_mode;
pub(super) mod fp8;
pub(super) mod half;
