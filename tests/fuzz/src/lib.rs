//! What the fuzz targets do with any bytes. `tests/mutations.rs` does the same with mutated seeds, without a fuzzer.
#![cfg(feature = "sources")]

pub mod build_files;
pub mod configuration;
pub mod journals;
pub mod messages;
pub mod patches;
pub mod place;
pub mod records;
pub mod tables;
