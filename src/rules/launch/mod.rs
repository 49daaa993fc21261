//! Rules about kernel launches.

mod chevron_launch;
mod device_launch;
mod helpers;
mod kept_launch;
mod unreadable_launch;

pub(super) use chevron_launch::ChevronLaunch;
pub(super) use device_launch::DeviceLaunch;
pub(super) use kept_launch::KeptLaunch;
pub(super) use unreadable_launch::UnreadableLaunch;
