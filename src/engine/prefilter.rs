//! Tells at memory speed that a file holds no CUDA.

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;

/// Every name that a rule can act on holds one of these; a test compares them with the tables.
const MARKS: &[&str] = &["cuda", "CUDA", "__"];

static SEARCHER: LazyLock<Option<Searcher>> = LazyLock::new(|| Searcher::new(MARKS));

/// Whether `bytes` may hold CUDA. `false` is certain.
pub fn may_hold_cuda(bytes: &[u8]) -> bool {
    SEARCHER.as_ref().is_none_or(|searcher| searcher.find(bytes).is_some())
}
