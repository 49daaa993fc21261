//! How it is told that something about a lane mask has to have 64 bits.

use super::lane_function::makes_whole_waves;
use crate::diagnostic::{Fix, Severity};
use crate::rules::context::Context;
use crate::source::{Edit, TextRange};

/// Reports that something about a lane mask has 32 bits. The change, its title and its edits, is a
/// plain translation in CUDA of which whole waves are made, and unsafe in sources written for HIP.
/// Without a change there is `advice`.
pub(super) fn report_widening(
    range: TextRange,
    message: String,
    change: Option<(String, Vec<Edit>)>,
    advice: &str,
    cx: &mut Context<'_>,
) {
    let is_plain = makes_whole_waves(range.start(), cx);
    let finding = cx.report(range, message);
    match change {
        Some((title, edits)) if is_plain => finding.severity(Severity::Hint).fix(Fix::safe(title, edits)),
        Some((title, edits)) => finding.fix(Fix::risky(title, edits)),
        None => finding.note(advice),
    };
}
