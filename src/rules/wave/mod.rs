//! Rules about lanes, masks and the width of a wave.

mod lane_function;
mod narrow_lane_mask;
mod wave_size;
mod wave_wide_function;

pub(super) use lane_function::reports;
pub(super) use narrow_lane_mask::NarrowLaneMask;
pub(super) use wave_size::WaveSize;
pub(super) use wave_wide_function::{WaveWideFunction, stand_in};
