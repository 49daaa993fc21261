//! `hipshift explain`

use std::io::Write as _;

use anyhow::bail;

use super::args::Explain;
use super::exit::Exit;
use super::output::stdout;
use crate::engine::rules;
use crate::report::rule_page;

pub(super) fn run(arguments: &Explain) -> anyhow::Result<Exit> {
    let mut out = stdout();
    let Some(wanted) = &arguments.rule else {
        for rule in rules() {
            writeln!(out, "{} {:<24} {}", rule.code, rule.name, rule.summary())?;
        }
        out.flush()?;
        return Ok(Exit::Clean);
    };
    let found = rules().find(|rule| rule.code.eq_ignore_ascii_case(wanted) || rule.name == *wanted);
    let Some(rule) = found else {
        bail!("no rule is called `{wanted}`; `hipshift explain` lists all rules");
    };
    write!(out, "{}", rule_page(rule))?;
    out.flush()?;
    Ok(Exit::Clean)
}
