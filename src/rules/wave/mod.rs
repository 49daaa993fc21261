//! Rules about lanes, masks and the width of a wave.

mod narrow_lane_mask;

pub(super) use narrow_lane_mask::{NarrowLaneMask, takes_narrow_mask};
