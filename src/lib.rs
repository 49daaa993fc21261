//! hipshift converts CUDA C++ projects to HIP for AMD GPUs.
//!
//! `hipshift_core` turns the text of one file into a patch and findings; this crate does it for the files of a project,
//! shows the results and talks to people and editors; `hipshift_validate` compiles and runs what came out:
//!
//! ```text
//! hipshift_core::engine::convert ─ Outcome ─ project::convert_files, lint_files ─ Vec<FileReport> ─ report, lsp, cli
//! ```
//!
//! In reading order: [`project`], [`report`], [`lsp`], [`cli`]. Each may use those before it; `ARCHITECTURE.md` says more.
#![forbid(unsafe_code)]

pub use hipshift_core::{analysis, build, diagnostic, engine, mapping, rules, settings, source, syntax};
pub use hipshift_validate as validate;
pub use hipshift_validate::{private_folder, regular_file, toolchain};

pub mod cli;
pub mod lsp;
pub mod project;
pub mod report;
