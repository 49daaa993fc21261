//! How much work a finding is, as someone who plans a port counts.

use std::collections::BTreeMap;

use crate::diagnostic::{Applicability, Diagnostic, Severity};

/// Who has to do what about a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Conversion does it.
    Automatic,
    /// A person reads what conversion did, or confirms what it proposes.
    Review,
    /// A person writes code.
    Rewrite,
}

/// How many findings of each rule make which effort.
pub type EffortCounts = BTreeMap<(Effort, &'static str), usize>;

impl Effort {
    /// All of them, the least first.
    pub const ALL: [Effort; 3] = [Effort::Automatic, Effort::Review, Effort::Rewrite];

    /// The effort of a finding; nothing if nobody has to do anything about it.
    pub fn of(diagnostic: &Diagnostic) -> Option<Effort> {
        let sureness = diagnostic.fix.as_ref().map_or(Applicability::DisplayOnly, |fix| fix.applicability);
        let is_plain = diagnostic.severity == Severity::Hint || diagnostic.rule.severity == Severity::Hint;
        if sureness == Applicability::Safe && is_plain {
            return Some(Effort::Automatic);
        }
        if sureness >= Applicability::Unsafe {
            return Some(Effort::Review);
        }
        match diagnostic.severity {
            Severity::Hint => None,
            Severity::Info => Some(Effort::Review),
            Severity::Warning | Severity::Error => Some(Effort::Rewrite),
        }
    }

    /// The word for it in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Effort::Automatic => "automatic",
            Effort::Review => "review",
            Effort::Rewrite => "rewrite",
        }
    }
}
