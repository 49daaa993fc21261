//! `hipshift explain`

use std::io::Write as _;

use anyhow::bail;

use super::args::Explain;
use super::exit::Exit;
use super::output::stdout;
use crate::diagnostic::FixAvailability;
use crate::engine::rules;

pub(super) fn run(arguments: &Explain) -> anyhow::Result<Exit> {
    let mut out = stdout();
    let Some(wanted) = &arguments.rule else {
        for rule in rules() {
            writeln!(out, "{} {:<24} {}", rule.code, rule.name, first_sentence(rule.docs))?;
        }
        out.flush()?;
        return Ok(Exit::Clean);
    };
    let found = rules().find(|rule| rule.code.eq_ignore_ascii_case(wanted) || rule.name == *wanted);
    let Some(rule) = found else {
        bail!("no rule is called `{wanted}`; `hipshift explain` lists all rules");
    };
    let fix = match rule.fix {
        FixAvailability::None => "no fix",
        FixAvailability::Sometimes => "a fix for some findings",
        FixAvailability::Always => "a fix",
    };
    writeln!(out, "# {} {}\n", rule.code, rule.name)?;
    writeln!(out, "Severity: {} · {fix} · since {}\n", rule.severity.as_str(), rule.since)?;
    for line in rule.docs.lines() {
        writeln!(out, "{}", line.strip_prefix(' ').unwrap_or(line))?;
    }
    out.flush()?;
    Ok(Exit::Clean)
}

/// The first sentence under the first heading.
fn first_sentence(docs: &str) -> String {
    let text = docs.split("## ").nth(1).unwrap_or_default();
    let body: Vec<&str> = text.lines().skip(1).map(str::trim).collect();
    let body = body.join(" ");
    let end = body.find(". ").map_or(body.trim_end().len(), |at| at + 1);
    body[..end].trim_end_matches('.').to_owned()
}
