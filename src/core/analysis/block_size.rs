//! How large the grid and the blocks of a launch are.

use std::ops::Range;

use super::constants::Constants;
use super::thread_limits::MOST_LANES;
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
    let Some(tokens) = launch.config.get(part).map(|tokens| within_dim3(document, tokens)) else { return Vec::new() };
    // In a macro, names mean what stands around its use.
    let nothing = Constants::default();
    let constants = if document.directive_of(launch.callee.start).is_some() { &nothing } else { constants };
    let values = |sizes: Range<TokenIdx>| -> Vec<Option<i64>> {
        split_arguments(document, sizes).into_iter().map(|size| constants.value(document, size)).collect()
    };
    if let Some(sizes) = sizes_of_dim3(document, &tokens) {
        return values(sizes);
    }
    let named = constants.get(document, tokens.start).filter(|_| tokens.len() == 1);
    let is_dim3 = |word: TokenIdx| document.token_text(word) == "dim3";
    match named {
        Some(constant) if constant.type_word.is_some_and(is_dim3) => {
            let initialiser = &constant.initialiser;
            values(sizes_of_dim3(document, initialiser).unwrap_or_else(|| initialiser.clone()))
        }
        _ => vec![constants.value(document, tokens)],
    }
}

/// The one value that a `dim3(…)` is made of, which is one already or the size in x.
fn within_dim3(document: &Document, tokens: &Range<TokenIdx>) -> Range<TokenIdx> {
    let sizes = sizes_of_dim3(document, tokens).filter(|sizes| split_arguments(document, sizes.clone()).len() == 1);
    sizes.unwrap_or_else(|| tokens.clone())
}

/// Along how many of the dimensions of a block its threads have to be told apart, so that no two of a wave are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockAxes {
    /// 1 where all blocks that are known have rows of whole waves or one row, 3 where some have several layers.
    pub needed: u8,
    /// Whether the sizes of some blocks are not known.
    pub is_open: bool,
    /// The largest number that the rows of all blocks are multiples of whose length is known; 0 where none is.
    pub row: i64,
    /// Whether the length of some rows is not known.
    pub has_open_row: bool,
}

impl BlockAxes {
    /// Those of the blocks of a launch.
    pub fn of(launch: &Launch, constants: &Constants, document: &Document) -> BlockAxes {
        let sizes = sizes_of(launch, 1, constants, document);
        let [x, y, z] = std::array::from_fn(|axis| sizes.get(axis).copied().unwrap_or(Some(1)));
        let fills_waves = |size: Option<i64>| size.is_some_and(|size| size > 0 && size % MOST_LANES == 0);
        let row = fills_waves(x) || (y, z) == (Some(1), Some(1));
        let layer = z == Some(1) || fills_waves(x.zip(y).and_then(|(x, y)| x.checked_mul(y)));
        let needed = if row { 1 } else { 3 - u8::from(layer) };
        let length = x.filter(|&x| x > 0 && !sizes.is_empty());
        BlockAxes {
            needed,
            is_open: sizes.len() < 2 && x.is_none() || sizes.is_empty(),
            row: length.unwrap_or(0),
            has_open_row: length.is_none(),
        }
    }

    /// Those of either.
    #[must_use]
    pub fn or(self, other: BlockAxes) -> BlockAxes {
        BlockAxes {
            needed: self.needed.max(other.needed),
            is_open: self.is_open || other.is_open,
            row: common_divisor(self.row, other.row),
            has_open_row: self.has_open_row || other.has_open_row,
        }
    }
}

/// The largest number that divides both; the other one where one is 0.
pub fn common_divisor(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { common_divisor(other, one % other) }
}

/// What stands in `dim3(…)` or `dim3{…}`.
fn sizes_of_dim3(document: &Document, tokens: &Range<TokenIdx>) -> Option<Range<TokenIdx>> {
    let open = tokens.start + 1;
    let close = document.partner(open).filter(|close| close + 1 == tokens.end)?;
    (document.token_text(tokens.start) == "dim3").then_some(open + 1..close)
}
