//! Variables of makefiles with options between commas, as `-Xcompiler` of nvcc takes them.

use super::change::{Change, Topic};
use super::planner::Plan;
use super::style::reference;
use crate::build::{BuildKind, Word};
use crate::source::Edit;

/// Has make put blanks between options that a variable, of this file or another one, holds between commas.
pub(super) fn plan_comma_list(plan: &Plan<'_>, word: Word) {
    let text = plan.slice(word.range);
    let Some(name) = reference(text).filter(|_| plan.build.kind == BuildKind::Make) else { return };
    if plan.builds.comma_lists.contains(name) {
        // The comma of `strip` is one of its only argument, so it ends none of `subst` (GNU make manual, "Syntax of Functions").
        let new = format!("$(subst $(strip ,), ,{text})");
        let message = format!("`{text}` holds options between commas, which clang takes one by one");
        plan.add(Change::new(Topic::Option, word.range, message, vec![Edit::replace(word.range, new)]));
    }
}
