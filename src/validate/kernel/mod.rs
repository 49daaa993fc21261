//! Kernels without a `main`: what they are given, the program that starts them, and the arrays that come out.

mod arrays;
mod driver;
mod element;
mod launch;
mod model;
mod npy;

pub use arrays::{ArrayDifference, ArrayTolerance, NanRule, compare_arrays};
pub use driver::{Dialect, driver};
pub use element::Element;
pub use launch::{Launch, Variant};
pub use model::{Argument, Array, Fill, Kernel, Number, Output, Scalar};
pub use npy::{Npy, read_npy, write_npy};
