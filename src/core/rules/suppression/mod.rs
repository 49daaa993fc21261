//! Rules about the comments that switch findings off.

mod unexplained_suppression;
mod unknown_suppression;
mod unused_suppression;

pub(super) use unexplained_suppression::UnexplainedSuppression;
pub(super) use unknown_suppression::UnknownSuppression;
pub(super) use unused_suppression::UnusedSuppression;
pub(crate) use unused_suppression::{is_about_suppressions, unused_suppression};
