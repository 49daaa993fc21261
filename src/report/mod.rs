//! Shows what a run found, in the formats that people and programs read. All output goes to a writer
//! that the caller gives.

mod concise;
mod csv_format;
mod diff;
mod diff_json;
mod estimate;
mod export_fixes;
mod fingerprint;
mod github;
mod gitlab;
mod html;
mod hunks;
mod json;
mod jsonl;
mod junit;
mod lint_text;
mod merge;
mod model;
mod part;
mod plan;
mod resources;
mod rule_json;
mod rule_page;
mod sarif;
mod snippet;
mod summary;
mod totals;
mod undone;
mod unlisted;
mod update;
mod validation;
mod validation_formats;
mod validation_html;
mod validation_sarif;
mod validation_sums;
mod visible;
mod words;

pub use concise::write_concise;
pub use csv_format::write_csv;
pub use diff_json::{diff_json, write_diff_json};
pub use estimate::{EffortGroup, Estimate, write_estimate, write_estimate_json};
pub use export_fixes::{fixes_of_file, write_fixes};
pub use fingerprint::fingerprint;
pub use github::write_github;
pub use gitlab::write_gitlab;
pub use html::write_html;
pub use hunks::{
    DiffView, FileView, Paint, Role, ViewOptions, reasons, safety, unified_hunk, view, visible, wrap, wrap_words,
    write_findings,
};
pub use json::write_json;
pub use jsonl::write_jsonl;
pub use junit::write_junit;
pub use lint_text::{write_lint_summary, write_lint_text};
pub use merge::{MergeError, MergeFormat, PartReport, merge_reports};
pub use model::{write_model, write_model_json};
pub use part::Part;
pub use plan::{Plan, write_plan, write_plan_json};
pub use resources::resource_markdown;
pub use rule_json::{write_rule_json, write_rules_json};
pub use rule_page::rule_page;
pub use sarif::write_sarif;
pub use snippet::write_snippets;
pub use summary::{SummaryOptions, wave_reason, write_summary, write_wave};
pub use totals::{RuleTotal, Totals};
pub use undone::{write_undone, write_undone_json};
pub use unlisted::unlisted;
pub use update::{UpdateReport, write_update, write_update_json};
pub use validation::write_validation;
pub use validation_formats::{write_validation_json, write_validation_junit};
pub use validation_html::write_validation_html;
pub use validation_sarif::write_validation_sarif;
pub use visible::{Visible, escaped, line_start, message, one_line};
pub(crate) use words::plural;
