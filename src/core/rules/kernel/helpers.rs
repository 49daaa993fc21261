//! What this group tells the others.

use super::{emulated, foreign_attribute, unreliable_clock};
use crate::rules::context::Context;
use crate::rules::query::Name;

/// Whether a rule of this group reports `name`, so that the rules about names need not.
pub(in crate::rules) fn reports(name: &Name<'_>, cx: &Context<'_>) -> bool {
    foreign_attribute::is_foreign(&name.text)
        || emulated(name, cx).is_some()
        || unreliable_clock::is_unreliable(name, cx)
}
