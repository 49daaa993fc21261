//! Contradictions between tables and headers.

use std::collections::HashSet;
use std::fmt;

use super::claim::Claim;
use super::library::excuse;
use super::presence::Presence;
use super::release::{CHECKED, Release};
use super::table::Row;

/// One contradiction.
pub(super) struct Finding {
    table: String,
    cuda: String,
    name: String,
    release: Release,
    problem: Problem,
}

enum Problem {
    /// The row covers a release whose headers lack the name.
    Missing,
    /// No row of the CUDA name covers a release whose headers have the name.
    NotCovered,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, cuda, name, release, problem } = self;
        match problem {
            Problem::Missing => {
                write!(formatter, "{table}.csv: `{cuda}` claims `{name}` for {release}, whose headers lack it")
            }
            Problem::NotCovered => {
                write!(formatter, "{table}.csv: `{cuda}` has no row for {release}, whose headers have `{name}`")
            }
        }
    }
}

/// Every contradiction, in the order of the tables.
pub(super) fn all(rows: &[Row], presence: &Presence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for release in CHECKED {
        let covered: HashSet<(&str, &str)> =
            rows.iter().filter(|row| row.covers(release)).map(|row| (row.cuda.as_str(), row.kind.as_str())).collect();
        for row in rows {
            let covered = covered.contains(&(row.cuda.as_str(), row.kind.as_str()));
            findings.extend(of_row(row, release, covered, presence));
        }
    }
    findings
}

fn of_row(row: &Row, release: Release, covered: bool, presence: &Presence) -> Vec<Finding> {
    let finding = |claim: &Claim, problem| Finding {
        table: row.table.clone(),
        cuda: row.cuda.clone(),
        name: claim.name.clone(),
        release,
        problem,
    };
    let mut findings = Vec::new();
    if let Some(claim) = Claim::hip(row).filter(|claim| excuse(&claim.name).is_none()) {
        match presence.answer(&claim, release) {
            Some(false) if row.covers(release) => findings.push(finding(&claim, Problem::Missing)),
            Some(true) if !covered => findings.push(finding(&claim, Problem::NotCovered)),
            _ => {}
        }
    }
    // `roc` names carry no versions of their own: they have to be right for the newest release.
    let newest = CHECKED.iter().max() == Some(&release);
    if let Some(claim) = Claim::roc(row).filter(|_| newest && row.covers(release))
        && presence.answer(&claim, release) == Some(false)
    {
        findings.push(finding(&claim, Problem::Missing));
    }
    findings
}
