//! Instructions that access memory: global, private, LDS, images.

pub(super) mod address;
mod atomic;
mod bounds;
pub(crate) mod buffer;
pub(super) mod global;
pub(super) mod image;
mod item;
pub(super) mod lds_access;
#[cfg(test)]
mod memory_tests;
pub(super) mod scalar_load;
mod sequence;
mod shape;
mod store_check;
mod texel;
