//! What a file keeps of declarations that stand in for CUDA's headers.

use rustc_hash::FxHashMap;

use crate::source::Spans;
use crate::syntax::TokenIdx;

/// What happens to the stubs of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stub {
    /// They get HIP's name, as their uses do.
    Renamed,
    /// They keep their name; what a use means depends on the branch.
    Kept,
}

/// The stubs of a file.
#[derive(Debug, Default)]
pub(super) struct Stubs {
    /// What stands beside a branch that includes a header of CUDA's.
    pub(super) branches: Spans<TokenIdx>,
    /// What becomes of the names that are declared there.
    pub(super) names: FxHashMap<String, Stub>,
}
