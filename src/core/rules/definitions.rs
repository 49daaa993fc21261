//! Definitions that a file gets for the intrinsics that it uses, for the fixes of rules.

use super::context::Context;
use crate::source::{Edit, TextSize};

/// The edit that defines all that the converted file uses, with all that this needs, for a fix at
/// `at`; `None` if no compiler ever reads that place. All fixes of a file that need a definition
/// bring this same edit, so that each of them can be applied alone.
pub(super) fn definitions(at: TextSize, cx: &Context<'_>) -> Option<Edit> {
    if cx.skips(at) { None } else { cx.definitions.get_or_init(|| (cx.define)(cx)).clone() }
}
