//! Words that tell of warps and lanes.

use std::ops::Range;

use super::functions::Functions;
use crate::syntax::{Document, TokenIdx, TokenKind, words, words_among};

/// Whether a function or macro speaks of warps or lanes: calls a function for
/// them, or has a name that says so.
pub fn speaks_of_warps(mut tokens: Range<TokenIdx>, document: &Document) -> bool {
    let says_so = |at: TokenIdx| {
        let word = document.token_text(at);
        if is_warp_function(word) {
            return true;
        }
        let word = word.to_ascii_lowercase();
        word.contains("warp") || word.replace("plane", "").contains("lane")
    };
    tokens.any(|at| document.kind(at) == Some(TokenKind::Ident) && says_so(at))
}

/// The function around a token with its head, or the directive.
pub fn tokens_around(idx: TokenIdx, document: &Document, functions: &Functions) -> Option<Range<TokenIdx>> {
    let function = functions.around(idx).map(|function| function.head.start..function.body.end);
    function.or_else(|| document.directive_of(idx).map(|directive| directive.tokens.clone()))
}

/// Whether a file is written for SYCL: it names `sycl::` and marks nothing as CUDA.
pub(super) fn is_for_sycl(document: &Document) -> bool {
    let names_sycl = |idx: TokenIdx| document.kind(idx + 1) == Some(TokenKind::PathSep);
    words(document, "sycl").any(names_sycl) && words_among(document, &["__global__", "__device__"]).is_empty()
}

/// Whether a name may hold the number of a thread, lane or warp.
pub(super) fn is_lane_name(name: &str) -> bool {
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts {
        return false;
    }
    ["tid", "lane", "thread", "warp"].iter().any(|part| has_part(name, part))
}

/// Whether a name has a part, in large or small letters.
fn has_part(name: &str, part: &str) -> bool {
    name.as_bytes().windows(part.len()).any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

/// Whether a name is a shuffle of CUDA's.
pub fn is_shuffle(name: &str) -> bool {
    name.starts_with("__shfl")
}

/// Whether a name is a function for the lanes of a warp.
pub fn is_warp_function(name: &str) -> bool {
    is_reduction_step(name)
        || name.starts_with("__ballot")
        || name.starts_with("__reduce_")
        || matches!(name, "__syncwarp" | "__activemask" | "warp_reduce" | "warpReduce" | "warp_reduce_sum")
}

/// Whether a loop over `name` goes over lanes: a shuffle of CUDA's, or a function or macro for one.
pub(super) fn is_reduction_step(name: &str) -> bool {
    is_shuffle(name) || has_part(name, "shfl") || has_part(name, "shuffle")
}
