//! What is kept of the conditions around the macros of a file.

use std::ops::Range;

use crate::syntax::TokenIdx;

/// What the conditions around a macro mean for uses of it.
#[derive(Debug, Default)]
pub(super) struct MacroBranches {
    /// Behind these branches the macro may not be defined.
    pub(super) open: Vec<Range<TokenIdx>>,
    /// In these branches, which stand beside it, it is not defined.
    pub(super) beside: Vec<Range<TokenIdx>>,
}
