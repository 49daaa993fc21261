//! What a person decided about fixes.

use super::fix_key::FixKey;

/// What is to become of fixes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// They are applied, also if they may change behaviour.
    Accept,
    /// They are not applied.
    Reject,
    /// This text stands in place of the lines that they would change. Lines end in `\n`.
    Edit(String),
}

/// One decision about fixes that were shown together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The fixes, sorted.
    pub fixes: Vec<FixKey>,
    /// What is to become of them.
    pub verdict: Verdict,
    /// Why, in the words of the person; may be empty.
    pub reason: String,
    /// The lines that the fixes change, as they were. Lines end in `\n`.
    pub before: String,
    /// What the fixes would have made of them.
    pub after: String,
}

impl Verdict {
    /// The word for it in files and messages.
    pub fn as_str(&self) -> &'static str {
        match self {
            Verdict::Accept => "accept",
            Verdict::Reject => "reject",
            Verdict::Edit(_) => "edit",
        }
    }
}
