//! Tells at memory speed that a file says nothing about warps or kernels.

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;

/// Parts of what speaks for one width of a warp or the other, and of kernels; files without them are not read further.
const WORDS: &[&str] = &[
    "warp",
    "Warp",
    "WARP",
    "lane",
    "mask",
    "__shfl",
    "__ballot",
    "<<<",
    "tiled_partition",
    "thread_block_tile",
    "__global__",
];

static SEARCHER: LazyLock<Option<Searcher>> = LazyLock::new(|| Searcher::new(WORDS));

/// Whether a file may say something about warps or kernels.
pub(super) fn may_tell(bytes: &[u8]) -> bool {
    SEARCHER.as_ref().is_none_or(|searcher| searcher.find(bytes).is_some())
}
