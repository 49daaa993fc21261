//! Figures over all files of a run.

use std::collections::BTreeMap;

use crate::diagnostic::{RuleInfo, Severity};
use crate::engine::rules;
use crate::project::{FileReport, Finding, Status};

/// Figures over all files of a run.
#[derive(Debug, Clone, Default)]
pub struct Totals {
    /// Files read.
    pub files: usize,
    /// Files whose text changed.
    pub converted: usize,
    /// Files that hold no CUDA.
    pub without_cuda: usize,
    /// Files that could not be read.
    pub failed: usize,
    /// Bytes read.
    pub bytes: usize,
    /// Kernel launches found.
    pub launches: usize,
    /// Fixes applied, by group letter of the rule.
    pub applied: BTreeMap<char, usize>,
    /// Fixes applied, by rule code.
    pub applied_by_rule: BTreeMap<&'static str, usize>,
    /// What is left for a person, by rule.
    pub open: Vec<RuleTotal>,
    /// What was converted but wants a person's eye, and findings for information, by rule.
    pub look: Vec<RuleTotal>,
    /// Names of the project's own that look like CUDA's.
    pub own_names: usize,
}

/// The findings of one rule.
#[derive(Debug, Clone)]
pub struct RuleTotal {
    /// The rule.
    pub rule: &'static RuleInfo,
    /// The gravest severity among them.
    pub severity: Severity,
    /// Index of the report, and line, of each.
    pub places: Vec<(usize, u32)>,
}

impl Totals {
    /// Whether a rule about waves changed anything.
    pub fn rewrites_warps(&self) -> bool {
        self.applied.contains_key(&'W')
    }

    /// Adds up `reports`.
    pub fn of(reports: &[FileReport]) -> Totals {
        let mut totals = Totals { files: reports.len(), ..Totals::default() };
        let mut open = BTreeMap::new();
        let mut look = BTreeMap::new();
        for (index, report) in reports.iter().enumerate() {
            totals.add_file(report);
            for finding in &report.findings {
                match kind_of(finding) {
                    Shown::Open => add(&mut open, finding, index),
                    Shown::Look => add(&mut look, finding, index),
                    Shown::Silent => totals.own_names += usize::from(finding.diagnostic.rule.name == "own-name"),
                }
            }
        }
        totals.open = in_registry_order(open);
        totals.look = in_registry_order(look);
        totals
    }

    fn add_file(&mut self, report: &FileReport) {
        self.converted += usize::from(report.status == Status::Converted);
        self.without_cuda += usize::from(report.status == Status::NoCuda);
        self.failed += usize::from(report.status == Status::Failed);
        self.bytes += report.bytes;
        self.launches += report.launches;
        for (&code, &count) in &report.applied {
            *self.applied_by_rule.entry(code).or_default() += count;
            if let Some(group) = code.chars().next() {
                *self.applied.entry(group).or_default() += count;
            }
        }
    }

    /// All fixes applied.
    pub fn fixes(&self) -> usize {
        self.applied.values().sum()
    }

    /// How many findings a person has to act on.
    pub fn open_count(&self) -> usize {
        self.open.iter().map(|total| total.places.len()).sum()
    }
}

enum Shown {
    Open,
    Look,
    Silent,
}

fn kind_of(finding: &Finding) -> Shown {
    match (finding.applied, finding.diagnostic.severity) {
        (_, Severity::Hint) => Shown::Silent,
        (false, Severity::Warning | Severity::Error) => Shown::Open,
        _ => Shown::Look,
    }
}

fn add(totals: &mut BTreeMap<&'static str, RuleTotal>, finding: &Finding, index: usize) {
    let rule = finding.diagnostic.rule;
    let total =
        totals.entry(rule.code).or_insert_with(|| RuleTotal { rule, severity: Severity::Hint, places: Vec::new() });
    total.severity = total.severity.max(finding.diagnostic.severity);
    total.places.push((index, finding.start.line));
}

/// Gravest first, then in the order of the registry.
fn in_registry_order(mut by_code: BTreeMap<&'static str, RuleTotal>) -> Vec<RuleTotal> {
    let mut totals: Vec<RuleTotal> = rules().filter_map(|rule| by_code.remove(rule.code)).collect();
    totals.sort_by_key(|total| std::cmp::Reverse(total.severity));
    totals
}
