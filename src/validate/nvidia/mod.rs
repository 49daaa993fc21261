//! Converted programs on an NVIDIA GPU: HIP's names as those of CUDA, compiled by nvcc.

mod alias;
mod build;
mod sanitizer;

pub use alias::write_aliases;
pub use build::{NvidiaBuild, nvidia_target};
pub(super) use sanitizer::{findings, words};
