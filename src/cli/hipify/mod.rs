//! In place of hipify-clang and hipify-perl: their options and file conventions, our conversion.

mod args;
mod files;
mod help;
mod options;
mod run;
mod settings;
mod statistics;

pub(super) use options::Tool;
pub(super) use run::run;
