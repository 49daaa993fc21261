//! Which names may be CUDA's, as far as their spelling tells.

use super::context::Context;
use crate::analysis::{is_warp_function, looks_like_cuda};
use crate::mapping::{Entry, Family};
use crate::syntax::{TokenIdx, TokenKind, words_that};

/// The identifiers at which a name may be found that rules look at, in the order of the text: told by their spelling and what is in front.
pub(crate) fn may_be_names(cx: &Context<'_>) -> Vec<TokenIdx> {
    let document = cx.document;
    if !cx.used_namespaces().is_empty() || !cx.used_names().is_empty() {
        return words_that(document, |_| true);
    }
    let may_matter = |text: &str| is_spelt_like_cudas(text, cx) || text.starts_with("__") || may_start_name(text);
    let mut found = words_that(document, may_matter);
    let behind_scopes = document.tokens().of_kind(|kind| kind == TokenKind::PathSep).map(|idx| idx + 1);
    found.extend(behind_scopes.filter(|&idx| document.kind(idx) == Some(TokenKind::Ident)));
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether the tables or the spelling say that a name may be one of CUDA's.
pub(super) fn is_spelt_like_cudas(text: &str, cx: &Context<'_>) -> bool {
    cx.table.contains(text) || looks_like_cuda(text) || Family::find(text).is_some()
}

/// Whether a name of CUDA's may start so: `cuda`, `CU`.
pub(super) fn may_start_name(text: &str) -> bool {
    looks_like_cuda(&format!("{text}Xx"))
}

/// Whether functions of CUDA's start so that HIP spells otherwise, or whose meaning depends on the width of a wave.
pub(super) fn starts_intrinsic(text: &str, cx: &Context<'_>) -> bool {
    let is_start = text.len() > 2 && text.starts_with("__");
    let changes = |entry: &Entry| entry.hip != entry.cuda || is_warp_function(entry.cuda);
    is_start && cx.table.entries_from(text).take_while(|entry| entry.cuda.starts_with(text)).any(changes)
}

/// Whether a macro makes the name of a function with a lane mask of what it is given: `__##op##_sync`.
pub(super) fn starts_synchronised(token: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    document.token_text(token) == "__"
        && document.is(token + 4, b'#')
        && document.is(token + 5, b'#')
        && document.token_text(token + 6) == "_sync"
}
