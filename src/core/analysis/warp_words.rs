//! Words that tell of warps and lanes.

use std::ops::Range;

use super::functions::Functions;
use crate::syntax::{Document, TokenIdx, TokenKind};

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
    if memchr::memmem::find(document.text().as_bytes(), b"sycl").is_none() {
        return false;
    }
    let tokens = document.tokens();
    let names_sycl = |idx: TokenIdx| {
        document.token_text(idx) == "sycl" && tokens.get(idx + 1).is_some_and(|next| next.kind == TokenKind::PathSep)
    };
    let marks_cuda = |idx: TokenIdx| matches!(document.token_text(idx), "__global__" | "__device__");
    (0..tokens.len()).any(names_sycl) && !(0..tokens.len()).any(marks_cuda)
}

/// Whether a name may hold the number of a thread, lane or warp.
pub(super) fn is_lane_name(name: &str) -> bool {
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts {
        return false;
    }
    let name = name.to_ascii_lowercase();
    ["tid", "lane", "thread", "warp"].iter().any(|part| name.contains(part))
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
    is_shuffle(name) || name.to_ascii_lowercase().contains("shfl") || name.to_ascii_lowercase().contains("shuffle")
}
