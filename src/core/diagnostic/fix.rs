//! A change that deals with a finding.

use crate::source::Edit;

/// How sure a fix is. Ordered so that `fix.applicability >= wanted` is the whole policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Applicability {
    /// A sketch for a person; never applied.
    DisplayOnly,
    /// Probably meant, but may change behaviour; applied on request.
    Unsafe,
    /// The same meaning on every selected target.
    Safe,
}

/// Edits that belong together: all of them are applied or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as an imperative.
    pub title: String,
    /// The edits, in the order of the text.
    pub edits: Vec<Edit>,
    /// How sure it is.
    pub applicability: Applicability,
    /// Whether a person wrote it, so that it is taken as it is.
    pub by_hand: bool,
}

impl Fix {
    /// A fix that keeps the meaning.
    pub fn safe(title: impl Into<String>, edits: Vec<Edit>) -> Fix {
        Fix { title: title.into(), edits, applicability: Applicability::Safe, by_hand: false }
    }

    /// A fix that may change behaviour.
    pub fn risky(title: impl Into<String>, edits: Vec<Edit>) -> Fix {
        Fix { title: title.into(), edits, applicability: Applicability::Unsafe, by_hand: false }
    }
}
