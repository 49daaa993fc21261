//! How much work a port is: findings grouped by who has to do what.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::json::SCHEMA;
use super::words::plural;
use crate::diagnostic::RuleInfo;
use crate::engine::rules;
use crate::project::{Effort, FileReport, Status};

/// How much work the files of a run are.
#[derive(Debug, Clone, Default)]
pub struct Estimate {
    /// Files read.
    pub files: usize,
    /// Files that hold something to look at.
    pub with_cuda: usize,
    /// One for each effort, the least first.
    pub groups: Vec<EffortGroup>,
}

/// The findings of one effort.
#[derive(Debug, Clone)]
pub struct EffortGroup {
    /// The effort.
    pub effort: Effort,
    /// How many findings.
    pub findings: usize,
    /// How many files have some.
    pub files: usize,
    /// By rule: findings and files; most findings first.
    pub rules: Vec<(&'static RuleInfo, usize, usize)>,
}

impl Estimate {
    /// Adds up `reports`.
    pub fn of(reports: &[FileReport]) -> Estimate {
        let is_read = |report: &&FileReport| !matches!(report.status, Status::NoCuda | Status::Failed);
        Estimate {
            files: reports.len(),
            with_cuda: reports.iter().filter(is_read).count(),
            groups: Effort::ALL.iter().map(|&effort| EffortGroup::of(effort, reports)).collect(),
        }
    }
}

impl EffortGroup {
    fn of(effort: Effort, reports: &[FileReport]) -> EffortGroup {
        let mut by_rule: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let (mut findings, mut files) = (0, 0);
        for report in reports {
            let own = report.efforts.iter().filter(|((of, _), _)| *of == effort);
            let in_file: usize = own
                .map(|((_, code), count)| {
                    let total = by_rule.entry(code).or_default();
                    *total = (total.0 + count, total.1 + 1);
                    *count
                })
                .sum();
            findings += in_file;
            files += usize::from(in_file > 0);
        }
        let of_rule = |rule: &'static RuleInfo| by_rule.get(rule.code).map(|&(count, files)| (rule, count, files));
        let mut rules: Vec<_> = rules().filter_map(of_rule).collect();
        rules.sort_by_key(|&(_, count, _)| std::cmp::Reverse(count));
        EffortGroup { effort, findings, files, rules }
    }
}

/// What an effort means for those who plan.
pub(super) fn meaning(effort: Effort) -> &'static str {
    match effort {
        Effort::Automatic => "`hipshift convert` does it",
        Effort::Review => "a person reads or confirms it",
        Effort::Rewrite => "a person writes code",
    }
}

/// Writes the estimate as text.
pub fn write_estimate(out: &mut dyn Write, reports: &[FileReport]) -> io::Result<()> {
    let estimate = Estimate::of(reports);
    writeln!(
        out,
        "{}, {} of them with something to do or to check",
        plural(estimate.files, "file"),
        estimate.with_cuda
    )?;
    for group in &estimate.groups {
        let (name, files) = (group.effort.as_str(), plural(group.files, "file"));
        let findings = plural(group.findings, "finding");
        writeln!(out, "\n{name:<10} {findings:>14} in {files:<11} {}", meaning(group.effort))?;
        for (rule, count, files) in &group.rules {
            writeln!(out, "  {} {:<25} {count:>7} in {}", rule.code, rule.name, plural(*files, "file"))?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct JsonEstimate {
    schema: u32,
    files: usize,
    with_cuda: usize,
    efforts: Vec<JsonGroup>,
}

#[derive(Serialize)]
struct JsonGroup {
    effort: &'static str,
    findings: usize,
    files: usize,
    rules: Vec<JsonRule>,
}

#[derive(Serialize)]
struct JsonRule {
    code: &'static str,
    rule: &'static str,
    findings: usize,
    files: usize,
}

/// Writes the estimate as JSON and a line end.
pub fn write_estimate_json(out: &mut dyn Write, reports: &[FileReport]) -> io::Result<()> {
    let estimate = Estimate::of(reports);
    let rule = |&(rule, findings, files): &(&'static RuleInfo, usize, usize)| JsonRule {
        code: rule.code,
        rule: rule.name,
        findings,
        files,
    };
    let group = |group: &EffortGroup| JsonGroup {
        effort: group.effort.as_str(),
        findings: group.findings,
        files: group.files,
        rules: group.rules.iter().map(rule).collect(),
    };
    let efforts = estimate.groups.iter().map(group).collect();
    let json = JsonEstimate { schema: SCHEMA, files: estimate.files, with_cuda: estimate.with_cuda, efforts };
    serde_json::to_writer_pretty(&mut *out, &json)?;
    writeln!(out)
}
