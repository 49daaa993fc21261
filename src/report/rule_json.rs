//! Rules as JSON, for `explain`.

use std::io::{self, Write};

use serde::Serialize;

use super::json::SCHEMA;
use crate::diagnostic::{FixAvailability, RuleInfo};

#[derive(Serialize)]
struct List {
    schema: u32,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
struct Described {
    schema: u32,
    #[serde(flatten)]
    about: Rule,
    /// Markdown.
    page: String,
}

#[derive(Serialize)]
struct Rule {
    code: &'static str,
    name: &'static str,
    severity: &'static str,
    fix: &'static str,
    since: &'static str,
    summary: String,
}

/// Writes a list of rules.
pub fn write_rules_json(out: &mut dyn Write, rules: impl Iterator<Item = &'static RuleInfo>) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &List { schema: SCHEMA, rules: rules.map(Rule::from).collect() })?;
    writeln!(out)
}

/// Writes what is known about one rule, its page included.
pub fn write_rule_json(out: &mut dyn Write, rule: &RuleInfo) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &Described { schema: SCHEMA, about: rule.into(), page: rule.page() })?;
    writeln!(out)
}

impl From<&RuleInfo> for Rule {
    fn from(rule: &RuleInfo) -> Rule {
        let fix = match rule.fix {
            FixAvailability::None => "never",
            FixAvailability::Sometimes => "sometimes",
            FixAvailability::Always => "always",
        };
        let (code, name, since) = (rule.code, rule.name, rule.since);
        Rule { code, name, severity: rule.severity.as_str(), fix, since, summary: rule.summary() }
    }
}
