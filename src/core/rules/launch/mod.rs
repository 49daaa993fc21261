//! Rules about kernel launches and their bounds.

mod bare_comma_in_bounds;
mod bound_without_kernel;
mod bounds;
mod chevron_launch;
mod cluster_bound;
mod device_launch;
mod helpers;
mod kept_launch;
mod launch_bounds_units;
mod missing_shared_bytes;
mod oversized_block;
mod oversized_grid;
mod pair;
mod shared_memory;
mod shared_memory_limit;
mod unbounded_kernel;
mod uncooperative_launch;
mod unreadable_launch;
mod waves;
mod waves_per_eu;

pub(super) use bare_comma_in_bounds::BareCommaInBounds;
pub(super) use bound_without_kernel::BoundWithoutKernel;
pub(super) use chevron_launch::ChevronLaunch;
pub(super) use cluster_bound::ClusterBound;
pub(super) use device_launch::DeviceLaunch;
pub(super) use kept_launch::KeptLaunch;
pub(super) use launch_bounds_units::LaunchBoundsUnits;
pub(super) use missing_shared_bytes::MissingSharedBytes;
pub(super) use oversized_block::OversizedBlock;
pub(super) use oversized_grid::OversizedGrid;
pub(super) use shared_memory_limit::SharedMemoryLimit;
pub(super) use unbounded_kernel::UnboundedKernel;
pub(super) use uncooperative_launch::UncooperativeLaunch;
pub(super) use unreadable_launch::UnreadableLaunch;
pub use waves_per_eu::waves_per_eu;
