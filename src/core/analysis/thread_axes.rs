//! Along which dimensions of a block device code numbers its threads.

use std::ops::Range;

use crate::syntax::{Document, Operand, OperandKind, TokenIdx};

/// CUDA's variable for the place of a thread in its block; HIP's is called so as well.
const THREAD: &str = "threadIdx";

/// The dimension along which an expression numbers threads: the `x` of `threadIdx.x`.
pub fn thread_axis<'d>(document: &'d Document, operand: &Operand) -> Option<&'d str> {
    let OperandKind::Member(object, member) = &operand.kind else { return None };
    let is_thread = matches!(object.kind, OperandKind::Name(name) if document.token_text(name) == THREAD);
    is_thread.then(|| document.token_text(*member))
}

/// Whether the place of a thread in more than one dimension is asked for: lanes are not numbered by the first alone.
pub fn has_more_dimensions(document: &Document, mut tokens: Range<TokenIdx>) -> bool {
    let is_other = |idx: TokenIdx| matches!(document.token_text(idx + 2), "y" | "z") && document.is(idx + 1, b'.');
    tokens.any(|idx| document.token_text(idx) == THREAD && is_other(idx))
}
