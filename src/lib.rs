//! hipshift converts CUDA C++ projects to HIP.
#![forbid(unsafe_code)]

pub mod analysis;
pub mod cli;
pub mod diagnostic;
pub mod engine;
pub mod mapping;
pub mod project;
pub mod report;
pub mod rules;
pub mod settings;
pub mod source;
pub mod syntax;
