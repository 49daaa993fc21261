//! Instructions that compute: scalar, vector and those on lanes.

mod dpp;
mod hardware_registers;
#[cfg(test)]
mod instruction_tests;
mod lane;
#[cfg(test)]
mod mode_tests;
pub(super) mod ops;
#[cfg(test)]
pub(super) mod reference_tests;
#[cfg(test)]
mod references;
mod result;
pub(super) mod scalar;
mod scalar_float;
mod scalar_mode;
#[cfg(test)]
mod scalar_reference_tests;
mod scalar_values;
mod source;
pub(super) mod special;
#[cfg(test)]
mod special_tests;
pub(super) mod vector;
