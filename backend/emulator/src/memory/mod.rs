//! Memory that kernels may touch. Guest addresses are host addresses.

pub(crate) mod access;
mod block;
mod cache;
mod describe;
mod heap;
mod host;
mod ranges;
mod shadow;
mod table;
mod usable;

pub(crate) use cache::Cache;
pub use table::{Allocation, Kind, Memory, MemoryError};
