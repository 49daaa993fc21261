//! Reads mapping tables: the built-in ones and users' own, through one reader.

use serde::Deserialize;

use super::entry::{Entry, Kind, Support};
use super::version::{RocmVersion, VersionRange};

/// Why a table cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MappingError {
    /// A line of a CSV table.
    #[error("{table}: {source}")]
    Csv {
        /// The table.
        table: String,
        /// What the reader says, with the line.
        source: csv::Error,
    },
    /// A line that reads well but says nothing sensible.
    #[error("{table}, line {line}: {problem}")]
    Line {
        /// The table.
        table: String,
        /// Line, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// A TOML table.
    #[error("{table}: {problem}")]
    Toml {
        /// The table.
        table: String,
        /// What is wrong, with line and column.
        problem: String,
    },
}

/// The columns of a table as they stand in the file.
#[derive(Deserialize)]
struct Row<'r> {
    cuda: &'r str,
    hip: &'r str,
    roc: &'r str,
    kind: Kind,
    support: Support,
    since: &'r str,
    until: &'r str,
    note: &'r str,
}

/// The lines of the CSV text `text`.
pub(super) fn csv_table(library: &'static str, text: &str) -> Result<Vec<Entry>, MappingError> {
    let csv_error = |source| MappingError::Csv { table: format!("{library}.csv"), source };
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headers = reader.headers().map_err(csv_error)?.clone();
    let mut record = csv::StringRecord::new();
    let mut entries = Vec::with_capacity(text.len() / 48);
    while reader.read_record(&mut record).map_err(csv_error)? {
        let row: Row<'_> = record.deserialize(Some(&headers)).map_err(csv_error)?;
        let entry = row.into_entry(library).map_err(|problem| MappingError::Line {
            table: format!("{library}.csv"),
            line: record.position().map_or(0, csv::Position::line),
            problem,
        })?;
        entries.push(entry);
    }
    Ok(entries)
}

impl Row<'_> {
    fn into_entry(self, library: &'static str) -> Result<Entry, String> {
        let version = |text: &str| match text {
            "" => Ok(None),
            text => text.parse::<RocmVersion>().map(Some).map_err(|error| error.to_string()),
        };
        if self.cuda.is_empty() {
            return Err("the column `cuda` is empty".to_owned());
        }
        if (self.support == Support::None) != self.hip.is_empty() {
            return Err(format!("`{}` must have a HIP name, or support `none`", self.cuda));
        }
        let range = VersionRange { since: version(self.since)?, until: version(self.until)? };
        Ok(Entry {
            cuda: self.cuda.into(),
            hip: self.hip.into(),
            roc: self.roc.into(),
            kind: self.kind,
            support: self.support,
            range,
            note: self.note.into(),
            library,
        })
    }
}

/// Reads a TOML table.
pub(super) fn toml_table<T: serde::de::DeserializeOwned>(table: &str, text: &str) -> Result<T, MappingError> {
    toml::from_str(text).map_err(|error| MappingError::Toml { table: table.to_owned(), problem: error.to_string() })
}
