//! Shows what a run found: as text, JSON or CSV. All output goes to a writer that the caller gives.

mod csv_format;
mod hunks;
mod json;
mod snippet;
mod summary;
mod totals;

pub use csv_format::write_csv;
pub use hunks::{DiffView, FileView, ViewOptions, view, write_findings};
pub use json::write_json;
pub use snippet::write_snippets;
pub use summary::{SummaryOptions, write_summary};
pub use totals::{RuleTotal, Totals};
