//! Products of matrices.

mod layout;
mod number;
pub(super) mod product;
mod sparse;
