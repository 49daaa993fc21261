//! The state of waves and blocks: registers, lanes, LDS.

pub(super) mod evidence;
pub(super) mod lanes;
pub(super) mod lds;
pub(super) mod lds_pattern;
pub(super) mod mask;
pub(super) mod registers;
pub(super) mod spread;
pub(super) mod wave;
