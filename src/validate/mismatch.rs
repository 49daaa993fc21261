//! How an outcome is not the expected one: in what was printed, or in an array.

use super::compare::Difference;
use super::kernel::ArrayDifference;

/// The first place where two outcomes differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// In what a program printed.
    Text(Difference),
    /// In an array of a kernel.
    Array(ArrayDifference),
}

impl Mismatch {
    /// Where it is, in words that can begin a sentence.
    pub fn place(&self) -> String {
        match self {
            Mismatch::Text(difference) => format!("line {} of the output", difference.line),
            Mismatch::Array(ArrayDifference { array, index, wrong: 1, .. }) => format!("element {index} of `{array}`"),
            Mismatch::Array(ArrayDifference { array, index, wrong, count, .. }) => {
                format!("element {index} of `{array}`, the first of {wrong} in {count},")
            }
        }
    }

    /// What was expected and what was found there; nothing on a side whose output had ended.
    pub fn sides(&self) -> [Option<&str>; 2] {
        match self {
            Mismatch::Text(difference) => [difference.expected.as_deref(), difference.actual.as_deref()],
            Mismatch::Array(difference) => [Some(&difference.expected), Some(&difference.actual)],
        }
    }
}
