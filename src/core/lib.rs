//! The rewriter: text of a CUDA source in, a patch and findings out. It reads no file, starts no process and never fails.
//!
//! ```text
//! bytes ─ source::SourceFile ─ syntax::Document ─ analysis::Facts ─┐
//!                                               mapping::Table ────┼─ engine::check ─ Findings
//!                                               settings::Settings ┘        │
//!                                                                     engine::convert ─ Outcome
//! ```
//!
//! In reading order: [`source`], [`syntax`], [`analysis`], [`mapping`], [`diagnostic`], [`settings`], [`rules`], [`engine`].
//! Each may use those before it.
//!
//! ```
//! use hipshift_core::{analysis::ProjectFacts, engine, mapping::Table, settings::Settings};
//! use hipshift_core::{source::SourceFile, syntax::Document};
//!
//! let document = Document::new(SourceFile::from_text("a.cu", "#include <cuda_runtime.h>\nauto f = cudaFoo();\n"));
//! let (project, settings) = (ProjectFacts::default(), Settings::default());
//! let table = Table::builtin()?;
//! let outcome = engine::convert(engine::Input { document: &document, project: &project, table, settings: &settings });
//!
//! assert_eq!(outcome.patch.apply(document.text()), "#include <hip/hip_runtime.h>\nauto f = cudaFoo();\n");
//! assert_eq!(outcome.remaining[0].rule.name, "unknown-name");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod analysis;
pub mod build;
pub mod diagnostic;
pub mod engine;
pub mod mapping;
pub mod rules;
pub mod settings;
pub mod source;
pub mod syntax;
