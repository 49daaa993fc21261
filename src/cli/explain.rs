//! `hipshift explain`

use std::io::Write as _;

use anyhow::bail;

use super::args::{Explain, PlainFormatWord};
use super::exit::Exit;
use super::output::stdout_for;
use crate::engine::rules;
use crate::report::{rule_page, write_rule_json, write_rules_json};

pub(super) fn run(arguments: &Explain) -> anyhow::Result<Exit> {
    let is_json = arguments.format == PlainFormatWord::Json;
    let mut out = stdout_for(!is_json);
    let Some(wanted) = &arguments.rule else {
        let mut rules: Vec<_> = rules().collect();
        rules.sort_by_key(|rule| rule.code);
        if is_json {
            write_rules_json(&mut out, rules.into_iter())?;
            out.flush()?;
            return Ok(Exit::Clean);
        }
        for rule in rules {
            writeln!(out, "{} {:<24} {}", rule.code, rule.name, rule.summary())?;
        }
        out.flush()?;
        return Ok(Exit::Clean);
    };
    let found = rules().find(|rule| rule.code.eq_ignore_ascii_case(wanted) || rule.name == *wanted);
    let Some(rule) = found else {
        bail!("no rule is called `{wanted}`; `hipshift explain` lists all rules");
    };
    if is_json {
        write_rule_json(&mut out, rule)?;
    } else {
        write!(out, "{}", rule_page(rule))?;
    }
    out.flush()?;
    Ok(Exit::Clean)
}
