//! The files that stand for CUDA's headers: one with all that the project needs, and one of each name that leads to it.

use super::plan::HeaderPlan;
use super::text::{HEADER, header_text};
use crate::mapping::{Table, WRITTEN_BY_US};
use crate::settings::Settings;

/// A file that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderFile {
    /// Where, below the folder for headers.
    pub path: String,
    /// What.
    pub text: String,
}

/// All files of a plan; the header with all that is needed comes first.
pub fn header_files(plan: &HeaderPlan, table: &Table, settings: &Settings) -> Vec<HeaderFile> {
    let mark = format!("{WRITTEN_BY_US}{} with `convert --emit compat-header`", env!("CARGO_PKG_VERSION"));
    let whole = HeaderFile { path: HEADER.to_owned(), text: header_text(plan, (table, settings), &mark) };
    let forwarding = plan.headers.iter().map(|(path, to)| HeaderFile {
        path: path.clone(),
        text: format!(
            "{mark}; do not edit.\n// Stands for CUDA's header of this name, in place of which HIP has <{to}>.\n\
             #include \"{}{HEADER}\"\n",
            "../".repeat(path.matches('/').count())
        ),
    });
    std::iter::once(whole).chain(forwarding).collect()
}

/// Whether a file is one that an earlier run wrote.
pub fn is_header_file(text: &[u8]) -> bool {
    text.starts_with(WRITTEN_BY_US.as_bytes())
}
