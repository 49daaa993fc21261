//! What this group tells the others.

use super::{emulated, foreign_attribute, unreliable_clock};
use crate::rules::context::Context;
use crate::rules::query::Name;
use crate::source::{TextRange, TextSize};
use crate::syntax::Document;

/// Whether a rule of this group reports `name`, so that the rules about names need not.
pub(in crate::rules) fn reports(name: &Name<'_>, cx: &Context<'_>) -> bool {
    foreign_attribute::is_foreign(&name.text) || emulated(name).is_some() || unreliable_clock::is_unreliable(name, cx)
}

/// A range with the blanks that follow it.
pub(in crate::rules) fn with_blanks(document: &Document, range: TextRange) -> TextRange {
    let rest = document.text().get(usize::from(range.end())..).unwrap_or("");
    let blanks = rest.bytes().take_while(|byte| *byte == b' ').count();
    TextRange::new(range.start(), range.end() + TextSize::try_from(blanks).unwrap_or_default())
}
