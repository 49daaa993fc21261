//! Findings that are known and accepted, in a file that lives beside the sources.
//!
//! A finding is known by its rule, the text of its line without blanks, and how many of the kind
//! there are in its file: so it stays known when lines move.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::file_report::{FileReport, Why};
use super::read::read_named;

/// The number of the format.
const SCHEMA: u32 = 1;

/// A baseline that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: Utf8PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is no baseline.
    #[error("{path} is no baseline: {message}")]
    Syntax {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong.
        message: String,
    },
}

/// Known findings of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The directory that the paths start from.
    home: Utf8PathBuf,
    files: BTreeMap<String, Known>,
}

/// Known findings of one file: how many there are of each rule and line.
pub(super) type Known = BTreeMap<(String, String), usize>;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    schema: u32,
    files: BTreeMap<String, Vec<Entry>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    rule: String,
    line: String,
    count: usize,
}

impl Baseline {
    /// Reads a file.
    pub fn read(path: &Utf8Path) -> Result<Baseline, BaselineError> {
        let text = read_named(path).map_err(|source| BaselineError::Io { path: path.to_owned(), source })?;
        let syntax = |message: String| BaselineError::Syntax { path: path.to_owned(), message };
        let written: Written = serde_json::from_str(&text).map_err(|error| syntax(error.to_string()))?;
        if written.schema != SCHEMA {
            return Err(syntax(format!("its format is {}, this hipshift reads {SCHEMA}", written.schema)));
        }
        let known = |entries: Vec<Entry>| entries.into_iter().map(|e| ((e.rule, e.line), e.count)).collect();
        let files = written.files.into_iter().map(|(file, entries)| (file, known(entries))).collect();
        Ok(Baseline { home: home_of(path), files })
    }

    /// All that `reports` hold, those findings included that an earlier baseline hides, for a file at `path`.
    pub fn of(reports: &[FileReport], path: &Utf8Path) -> Baseline {
        let mut baseline = Baseline { home: home_of(path), files: BTreeMap::new() };
        for report in reports {
            let accepted = report.hidden.iter().filter(|hidden| hidden.why == Why::Baseline);
            let open = report.findings.iter().filter(|finding| !finding.applied);
            for finding in accepted.map(|hidden| &hidden.finding).chain(open) {
                let known = baseline.files.entry(baseline_path(&baseline.home, &report.path)).or_default();
                let key = (finding.diagnostic.rule.code.to_owned(), finding.line_key.to_string());
                *known.entry(key).or_default() += 1;
            }
        }
        baseline
    }

    /// How many findings it holds.
    pub fn len(&self) -> usize {
        self.files.values().flat_map(BTreeMap::values).sum()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The file as it is stored: sorted, the same for the same findings.
    pub fn to_json(&self) -> String {
        let entry = |((rule, line), count): (&(String, String), &usize)| Entry {
            rule: rule.clone(),
            line: line.clone(),
            count: *count,
        };
        let files = self.files.iter().map(|(file, known)| (file.clone(), known.iter().map(entry).collect())).collect();
        // Plain strings and numbers always serialise.
        let json = serde_json::to_string_pretty(&Written { schema: SCHEMA, files });
        json.map(|json| json + "\n").unwrap_or_default()
    }

    /// The known findings of a file.
    pub(super) fn known(&self, path: &Utf8Path) -> Option<&Known> {
        self.files.get(&baseline_path(&self.home, path))
    }
}

fn home_of(path: &Utf8Path) -> Utf8PathBuf {
    let absolute = absolute(path);
    absolute.parent().map_or_else(Utf8PathBuf::new, Utf8Path::to_owned)
}

/// `path` from `home` on, with `/` on every system.
fn baseline_path(home: &Utf8Path, path: &Utf8Path) -> String {
    let absolute = absolute(path);
    let inside = absolute.strip_prefix(home).unwrap_or(path);
    inside.as_str().replace('\\', "/")
}

fn absolute(path: &Utf8Path) -> Utf8PathBuf {
    let climbs = path.components().any(|part| part.as_str() == "..");
    let resolved = if climbs { path.canonicalize_utf8().ok() } else { None };
    resolved.or_else(|| camino::absolute_utf8(path).ok()).unwrap_or_else(|| path.to_owned())
}
