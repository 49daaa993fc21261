//! What vector instructions compute, by mnemonic.

mod catalogue;
mod compare;
mod convert;
mod division;
mod dot;
mod float;
mod fp8;
mod half;
mod integer;
mod packed;
mod registry;
mod short;

pub(super) use catalogue::find;
pub(super) use dot::mixed_dot;
pub(crate) use float::{max_f32, max_f64, maximum_f32, min_f32, min_f64, minimum_f32};
pub(super) use fp8::{small_float, small_float_dot};
pub(super) use integer::truth_table;
