//! What rules asked about the branches of a file.

use std::cell::{OnceCell, RefCell};

use rustc_hash::FxHashMap;

use crate::source::Spans;
use crate::syntax::TokenIdx;

/// Places in the branches of a file.
#[derive(Default)]
pub(in crate::rules) struct Branches {
    /// What a CUDA compiler skips.
    pub(super) for_hip: OnceCell<Spans<TokenIdx>>,
    /// What a compiler for AMD GPUs skips, as far as a condition is false whichever way the text is read.
    pub(super) left_out: OnceCell<Spans<TokenIdx>>,
    /// What is read for waves of one size only.
    pub(super) of_one_width: OnceCell<Spans<TokenIdx>>,
    /// What stands under a `#ifdef` about a feature of NVIDIA's GPUs.
    pub(super) of_features: OnceCell<Spans<TokenIdx>>,
    /// The branches that `&&` and `||` join `defined(NAME)` to, by the name: chain and number.
    pub(super) asking: OnceCell<FxHashMap<String, Vec<(usize, usize)>>>,
    /// Where macros are defined, by their names.
    pub(super) defined: OnceCell<FxHashMap<String, Vec<TokenIdx>>>,
    /// What keeps the code around it from being left to HIP's headers.
    pub(super) not_of_headers: OnceCell<Spans<TokenIdx>>,
    /// Branches whose functions are left to HIP's headers.
    pub(super) of_headers: OnceCell<Spans<TokenIdx>>,
    pub(super) serving: OnceCell<Spans<TokenIdx>>,
    pub(super) lacking: OnceCell<Spans<TokenIdx>>,
    pub(super) assembly: OnceCell<Spans<TokenIdx>>,
    pub(super) directives: OnceCell<Spans<TokenIdx>>,
    pub(super) switches: OnceCell<Switches>,
    /// Tokens that hold a text.
    pub(super) holding: RefCell<FxHashMap<&'static str, Spans<TokenIdx>>>,
}

/// Directives that define macros without arguments and value.
#[derive(Debug, Default)]
pub(in crate::rules) struct Switches {
    /// The macros, in the order of the text.
    pub(super) names: Vec<TokenIdx>,
    /// All directives but these and `#if` with `#endif`.
    pub(super) others: Spans<TokenIdx>,
}
