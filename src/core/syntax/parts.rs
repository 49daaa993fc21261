//! What is found in the tokens of a file: launches and top-level items.

use std::ops::Range;
use std::sync::OnceLock;

use super::token::TokenIdx;
use crate::source::TextRange;

/// A kernel launch: `kernel<<<grid, block>>>(arguments)` in CUDA's own syntax, which HIP compilers read as well, or
/// `hipLaunchKernelGGL(kernel, grid, block, shared, stream, arguments)`, a macro of HIP's runtime header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The kernel as written, template arguments included.
    pub callee: Range<TokenIdx>,
    /// The three `<`, or the name of the macro and its parenthesis.
    pub open: Range<TokenIdx>,
    /// Grid, block and, where given, shared memory, stream and anything after them.
    pub config: Vec<Range<TokenIdx>>,
    /// The three `>`, or the comma behind the macro's configuration.
    pub close: Range<TokenIdx>,
    /// The tokens before and behind the kernel's arguments; those of chevrons are parentheses.
    pub arguments: (TokenIdx, TokenIdx),
}

/// Why a `<<<` is no [`Launch`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchProblem {
    /// No `>>>` follows in the same statement.
    Unterminated,
    /// Another `<<<` follows before the `>>>`: branches of an `#if` share the end of a launch.
    SharedTail,
    /// No argument list follows the `>>>`, or no kernel precedes the `<<<`.
    Incomplete,
}

/// A function, class, variable or other declaration at file or namespace level.
#[derive(Debug)]
pub struct Item {
    /// Its bytes.
    pub range: TextRange,
    pub(super) tree: OnceLock<Option<tree_sitter::Tree>>,
}
