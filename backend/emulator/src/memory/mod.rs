//! Memory that kernels may touch. Guest addresses are host addresses.

pub(crate) mod access;
mod block;
mod cache;
mod describe;
mod heap;
mod host;
mod shadow;
mod table;

pub(crate) use cache::Cache;
pub use table::{Allocation, Kind, Memory, MemoryError};
