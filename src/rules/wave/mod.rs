//! Rules about lanes, masks and the width of a wave.

mod checked_mask;
mod constant_wave_size;
mod fixed_warp_size;
mod lane_function;
mod mask_constant;
mod mixed_wave_sizes;
mod narrow_lane_bit;
mod narrow_lane_mask;
mod narrow_mask_function;
mod narrow_mask_type;
mod own_lane_function;
mod sync_builtins_off;
mod unsized_warp_collective;
mod unsynchronised_warp;
mod wave_size;
mod wave_wide_function;

pub(super) use checked_mask::CheckedMask;
pub(super) use constant_wave_size::ConstantWaveSize;
pub(super) use fixed_warp_size::FixedWarpSize;
pub(super) use lane_function::reports;
pub(super) use mixed_wave_sizes::MixedWaveSizes;
pub(super) use narrow_lane_bit::NarrowLaneBit;
pub(super) use narrow_lane_mask::NarrowLaneMask;
pub(super) use narrow_mask_function::NarrowMaskFunction;
pub(super) use narrow_mask_type::NarrowMaskType;
pub(super) use own_lane_function::OwnLaneFunction;
pub(super) use sync_builtins_off::SyncBuiltinsOff;
pub(super) use unsized_warp_collective::UnsizedWarpCollective;
pub(super) use unsynchronised_warp::UnsynchronisedWarp;
pub(super) use wave_size::WaveSize;
pub(super) use wave_wide_function::{WaveWideFunction, stand_in};
