//! What a project consists of: targets with their sources, folders of headers, definitions, options and libraries.
//!
//! Read from what a build has left, else from the build files, else from the sources. Nothing is executed, and what could
//! not be read is listed.

mod bounded;
mod cmake;
mod database;
mod file_api;
mod find;
mod includes;
mod invocation;
mod lists;
mod make;
mod shell;
mod sources;
mod steps;
mod tree;
mod types;

pub use find::project_model;
pub use types::{LibraryUse, ModelOrigin, ModelSource, ModelTarget, Place, ProjectModel, TargetKind, Unread};
