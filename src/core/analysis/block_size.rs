//! How large the grid and the blocks of a launch are.

use std::ops::Range;

use super::constants::Constants;
use crate::syntax::{Document, Launch, TokenIdx, split_arguments};

/// The threads in a block of a launch, if they are known: a number, or the product of the sizes of
/// a `dim3`.
pub fn threads_of(launch: &Launch, constants: &Constants, document: &Document) -> Option<i64> {
    let sizes = sizes_of(launch, 1, constants, document);
    (!sizes.is_empty()).then(|| sizes.into_iter().try_fold(1_i64, |product, size| product.checked_mul(size?)))?
}

/// The sizes of the grid (`part` 0) or block (1) of a launch in x, y and z as far as they are
/// known. What is not given counts as 1 and is left out.
pub fn sizes_of(launch: &Launch, part: usize, constants: &Constants, document: &Document) -> Vec<Option<i64>> {
    let Some(tokens) = launch.config.get(part) else { return Vec::new() };
    // In a macro, names mean what stands around its use.
    let nothing = Constants::default();
    let constants = if document.directive_of(launch.callee.start).is_some() { &nothing } else { constants };
    let values = |sizes: Range<TokenIdx>| -> Vec<Option<i64>> {
        split_arguments(document, sizes).into_iter().map(|size| constants.value(document, size)).collect()
    };
    if let Some(sizes) = sizes_of_dim3(document, tokens) {
        return values(sizes);
    }
    let named = constants.get(document, tokens.start).filter(|_| tokens.len() == 1);
    let is_dim3 = |word: TokenIdx| document.token_text(word) == "dim3";
    match named {
        Some(constant) if constant.type_word.is_some_and(is_dim3) => {
            let initialiser = &constant.initialiser;
            values(sizes_of_dim3(document, initialiser).unwrap_or_else(|| initialiser.clone()))
        }
        _ => vec![constants.value(document, tokens.clone())],
    }
}

/// What stands in `dim3(…)` or `dim3{…}`.
fn sizes_of_dim3(document: &Document, tokens: &Range<TokenIdx>) -> Option<Range<TokenIdx>> {
    let open = tokens.start + 1;
    let close = document.partner(open).filter(|close| close + 1 == tokens.end)?;
    (document.token_text(tokens.start) == "dim3").then_some(open + 1..close)
}
