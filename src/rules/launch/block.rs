//! How many threads a block of a launch has.

use std::ops::Range;

use crate::analysis::Constants;
use crate::syntax::{Document, Launch, TokenIdx, split_arguments};

/// The threads in a block of a launch, if they are known: a number, or the product of the sizes of
/// a `dim3`.
pub(super) fn threads_of(launch: &Launch, constants: &Constants, document: &Document) -> Option<i64> {
    let block = launch.config.get(1)?;
    // In a macro, names mean what stands around its use.
    let nothing = Constants::default();
    let constants = if document.directive_of(launch.callee.start).is_some() { &nothing } else { constants };
    let first = block.start;
    if let Some(sizes) = sizes_of_dim3(document, block) {
        return product(sizes, constants, document);
    }
    let named = constants.get(document, first).filter(|_| block.len() == 1);
    let is_dim3 = |word: TokenIdx| document.token_text(word) == "dim3";
    match named {
        Some(constant) if constant.type_word.is_some_and(is_dim3) => {
            let initialiser = &constant.initialiser;
            let sizes = sizes_of_dim3(document, initialiser).unwrap_or_else(|| initialiser.clone());
            product(sizes, constants, document)
        }
        _ => constants.value(document, block.clone()),
    }
}

/// What stands in `dim3(…)` or `dim3{…}`.
fn sizes_of_dim3(document: &Document, tokens: &Range<TokenIdx>) -> Option<Range<TokenIdx>> {
    let open = tokens.start + 1;
    let close = document.partner(open).filter(|close| close + 1 == tokens.end)?;
    (document.token_text(tokens.start) == "dim3").then_some(open + 1..close)
}

fn product(sizes: Range<TokenIdx>, constants: &Constants, document: &Document) -> Option<i64> {
    let sizes = split_arguments(document, sizes);
    sizes.into_iter().try_fold(1_i64, |product, size| product.checked_mul(constants.value(document, size)?))
}
