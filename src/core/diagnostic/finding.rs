//! One finding of one rule.

use super::fix::Fix;
use crate::source::TextRange;

/// How bad a finding is. Ordered from harmless to grave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A plain translation. Counted, and shown by `diff`, not listed by itself.
    Hint,
    /// Worth knowing: speed, style, an effect that is lost.
    Info,
    /// May compute wrongly or hang.
    Warning,
    /// Has no HIP form or will not compile.
    Error,
}

impl Severity {
    /// The word for it in reports and configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Hint => "hint",
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// Whether findings of a rule come with a fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixAvailability {
    /// Never.
    None,
    /// For some findings.
    Sometimes,
    /// For every finding.
    Always,
}

/// What is known about a rule before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleInfo {
    /// Group letter and three digits. Never reused.
    pub code: &'static str,
    /// Names the problem and reads after "allow". Never reused.
    pub name: &'static str,
    /// The severity of its findings unless one says otherwise.
    pub severity: Severity,
    /// Whether it offers fixes.
    pub fix: FixAvailability,
    /// The release of hipshift that brought it.
    pub since: &'static str,
    /// The page that `explain` prints, in Markdown.
    pub docs: &'static str,
}

impl RuleInfo {
    /// What the rule does, in one sentence without full stop.
    pub fn summary(&self) -> String {
        let text = self.docs.split("## ").nth(1).unwrap_or_default();
        let body: Vec<&str> = text.lines().skip(1).map(str::trim).collect();
        let body = body.join(" ");
        let end = body.find(". ").map_or(body.trim_end().len(), |at| at + 1);
        body[..end].trim_end_matches('.').to_owned()
    }

    /// The page in Markdown, without the blank that a doc comment has in front of each line.
    pub fn page(&self) -> String {
        self.docs.lines().flat_map(|line| [line.strip_prefix(' ').unwrap_or(line), "\n"]).collect()
    }
}

/// A second place that belongs to a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Bytes of the original text.
    pub range: TextRange,
    /// What is there.
    pub message: String,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule that found it.
    pub rule: &'static RuleInfo,
    /// How bad it is.
    pub severity: Severity,
    /// Bytes of the original text.
    pub range: TextRange,
    /// A fact, in lower case and without full stop.
    pub message: String,
    /// Other places that matter.
    pub labels: Vec<Label>,
    /// Why, and what to do.
    pub notes: Vec<String>,
    /// A change that deals with it.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// A finding with the rule's own severity.
    pub fn new(rule: &'static RuleInfo, range: TextRange, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            rule,
            severity: rule.severity,
            range,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            fix: None,
        }
    }

    /// Sets another severity than the rule's own.
    pub fn severity(&mut self, severity: Severity) -> &mut Diagnostic {
        self.severity = severity;
        self
    }

    /// Adds a note; an empty one is dropped.
    pub fn note(&mut self, note: impl Into<String>) -> &mut Diagnostic {
        let note = note.into();
        if !note.is_empty() {
            self.notes.push(note);
        }
        self
    }

    /// Adds a second place.
    pub fn label(&mut self, range: TextRange, message: impl Into<String>) -> &mut Diagnostic {
        self.labels.push(Label { range, message: message.into() });
        self
    }

    /// Adds the fix.
    pub fn fix(&mut self, fix: Fix) -> &mut Diagnostic {
        self.fix = Some(fix);
        self
    }
}
