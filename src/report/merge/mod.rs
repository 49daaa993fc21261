//! Joins the reports of the parts of a run into the report that one run would have written.

mod documents;
mod error;
mod formats;
mod junit;
mod node;
mod parts;
mod whole;

pub use error::{MergeError, PartReport};
pub use formats::{MergeFormat, merge_reports};
