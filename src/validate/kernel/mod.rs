//! Kernels without a `main`: what they are given, the program that starts them, and the arrays that come out.

mod arrays;
mod driver;
mod element;
mod launch;
mod model;
mod npy;

pub(super) use arrays::compare_arrays;
pub use arrays::{ArrayDifference, ArrayTolerance, NanRule};
pub(super) use driver::words;
pub use driver::{Dialect, driver};
pub use element::Element;
pub use launch::Launch;
pub(super) use launch::Variant;
pub(super) use model::LONGEST_DATA;
pub use model::{Argument, Array, Fill, Kernel, Number, Output, Scalar};
pub(super) use npy::read_npy;
