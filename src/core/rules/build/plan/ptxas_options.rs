//! Options for ptxas, which nvcc hands on by `-Xptxas`.

use super::change::{Change, Topic};
use super::planner::Plan;
use super::style::Style;
use crate::mapping::{nvcc_option, only_prints};
use crate::source::TextRange;

/// What a person can do about an option that decides how code is made.
const ADVICE: &str =
    "no option takes its place: say it in the source, as `__builtin_nontemporal_load` does for the cache of a load";

/// Options that go with what they say about the code; nothing where they only say what is printed and how hard is tried.
pub(super) fn without_ptxas(
    plan: &Plan<'_>,
    (place, option): (TextRange, &str),
    value: &str,
    style: &dyn Style,
) -> Option<Change> {
    let parts = value.split(|sign: char| sign == ',' || sign.is_whitespace());
    let lost: Vec<&str> = parts.filter(|part| part.starts_with('-') && !only_prints(part)).collect();
    let first = lost.first()?;
    let known = nvcc_option(first, Some("value")).and_then(|found| found.row.advice.clone());
    let message = format!("the AMD compiler has no `{option} {}`", lost.join(","));
    let change = Change::new(Topic::Unsupported, place, message, vec![style.removed(plan, place)]);
    Some(change.with_note(Some(known.unwrap_or_else(|| ADVICE.to_owned()))))
}
