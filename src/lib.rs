//! hipshift converts CUDA C++ projects to HIP for AMD GPUs.
//!
//! It reads CUDA text and produces, for each file, a patch and diagnostics:
//!
//! ```text
//! bytes ─ source::SourceFile ─ syntax::Document ─ analysis::Facts ─┐
//!                                               mapping::Table ────┼─ engine::check ─ Findings
//!                                               settings::Settings ┘        │
//!                                                                     engine::convert ─ Outcome
//!                                                                           │
//!                               project::convert_files, lint_files ─ Vec<FileReport> ─ report, cli
//! ```
//!
//! In reading order: [`source`], [`syntax`], [`analysis`], [`mapping`], [`diagnostic`], [`settings`], [`rules`],
//! [`engine`], [`project`], [`toolchain`], [`validate`], [`report`], [`lsp`], [`cli`]. Each may use those before it; `ARCHITECTURE.md` says more.
#![forbid(unsafe_code)]

pub mod analysis;
pub mod cli;
pub mod diagnostic;
pub mod engine;
pub mod lsp;
pub mod mapping;
pub mod project;
pub mod report;
pub mod rules;
pub mod settings;
pub mod source;
pub mod syntax;
pub mod toolchain;
pub mod validate;
