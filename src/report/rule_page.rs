//! The page of a rule, in Markdown.

use crate::diagnostic::{FixAvailability, RuleInfo};

/// What `explain` prints, and what stands in `docs/rules`.
pub fn rule_page(rule: &RuleInfo) -> String {
    let fix = match rule.fix {
        FixAvailability::None => "no fix",
        FixAvailability::Sometimes => "a fix for some findings",
        FixAvailability::Always => "a fix",
    };
    let (severity, since) = (rule.severity.as_str(), rule.since);
    format!("# {} {}\n\nSeverity: {severity} · {fix} · since {since}\n\n{}", rule.code, rule.name, rule.page())
}
