//! What vector instructions compute, by mnemonic.

mod compare;
mod convert;
mod division;
mod dot;
mod float;
mod half;
mod integer;
mod packed;
mod registry;
mod short;

pub(super) use float::{max_f32, max_f64, min_f32, min_f64};
pub(super) use registry::find;
