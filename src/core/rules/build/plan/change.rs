//! One change of a build file.

use crate::diagnostic::Severity;
use crate::source::{Edit, TextRange};

/// What a change is about; each topic has its rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topic {
    /// An option of nvcc without counterpart.
    Unsupported,
    /// An option of nvcc.
    Option,
    /// The language of CMake, its variables and properties.
    Language,
    /// A library, a package, a folder.
    Library,
    /// A call of nvcc.
    Compiler,
    /// Sources that keep CUDA's extension, or get another one.
    Source,
    /// What speaks of CUDA and was not understood.
    Left,
    /// Code of NVIDIA's as a product.
    Product,
}

/// A finding and what it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// What it is about.
    pub(crate) topic: Topic,
    /// What is found.
    pub(crate) range: TextRange,
    /// What is told.
    pub(crate) message: String,
    /// More about it.
    pub(crate) note: Option<String>,
    /// The edits that belong together; none where a person has to act.
    pub(crate) edits: Vec<Edit>,
    /// In place of the severity of the rule.
    pub(crate) severity: Option<Severity>,
}

impl Change {
    /// A change by these edits.
    pub(super) fn new(topic: Topic, range: TextRange, message: impl Into<String>, edits: Vec<Edit>) -> Change {
        Change { topic, range, message: message.into(), note: None, edits, severity: None }
    }

    /// Puts `to` in the place of `range`, which reads `from`.
    pub(super) fn rename(topic: Topic, range: TextRange, (from, to): (&str, &str)) -> Change {
        let message =
            if to.is_empty() { format!("HIP needs no `{from}`") } else { format!("`{from}` is `{to}` for HIP") };
        Change::new(topic, range, message, vec![Edit::replace(range, to)])
    }

    /// Something that a person has to deal with.
    pub(super) fn left(range: TextRange, message: impl Into<String>, advice: &str) -> Change {
        Change { note: Some(advice.to_owned()), ..Change::new(Topic::Left, range, message, Vec::new()) }
    }

    /// The change with a remark.
    pub(super) fn with_note(self, note: Option<String>) -> Change {
        Change { note, ..self }
    }
}

/// An option that is not changed, as the result would not be certain.
pub(super) fn stays(place: TextRange, option: &str, reason: &str) -> Change {
    let change = Change::new(Topic::Option, place, format!("`{option}` stays: {reason}"), Vec::new());
    let change = change.with_note(Some("write it for clang by hand".to_owned()));
    Change { severity: Some(Severity::Warning), ..change }
}
