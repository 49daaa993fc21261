//! Reads mapping tables: the built-in ones and users' own, through one reader.

use super::entry::{Entry, Kind, Support};
use super::version::{RocmVersion, VersionRange};

/// Why a table cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
pub enum MappingError {
    /// A line of a CSV table.
    #[error("{table}, line {line}: {problem}")]
    Line {
        /// The table.
        table: String,
        /// Line, from 1.
        line: usize,
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

/// The first line of every CSV table.
pub(super) const HEADER: &str = "cuda,hip,roc,kind,support,since,until,note";

const COLUMNS: usize = 8;

/// The lines of the CSV text `text`. Entries borrow from it: making a string for each of 130,000
/// fields took four times as long as everything else that a short run does.
pub(super) fn csv_table(library: &'static str, text: &'static str) -> Result<Vec<Entry>, MappingError> {
    let error = |line: usize, problem: String| MappingError::Line { table: format!("{library}.csv"), line, problem };
    let mut entries = Vec::with_capacity(text.len() / 48);
    let mut quoted = quoted_rows(text).map_err(|problem| error(1, problem))?.into_iter();
    for (line, row) in (1..).zip(text.lines()) {
        if line == 1 {
            if row != HEADER {
                return Err(error(line, format!("the first line must be `{HEADER}`")));
            }
        } else if !row.is_empty() {
            let is_quoted = memchr::memchr(b'"', row.as_bytes()).is_some();
            let fields = if is_quoted { quoted.next().unwrap_or(Err(0)) } else { in_columns(split(row)) };
            let entry = fields.map_err(|count| format!("{count} columns in place of {COLUMNS}"));
            let entry = entry.and_then(|fields| entry_of(library, fields));
            entries.push(entry.map_err(|problem| error(line, problem))?);
        }
    }
    Ok(entries)
}

/// The fields of a line, or how many there are if not as many as there are columns.
type Fields = Result<[&'static str; COLUMNS], usize>;

fn in_columns(mut fields: impl Iterator<Item = &'static str>) -> Fields {
    let mut columns = [""; COLUMNS];
    let mut count = 0;
    for (column, field) in columns.iter_mut().zip(&mut fields) {
        *column = field;
        count += 1;
    }
    let count = count + fields.count();
    if count == COLUMNS { Ok(columns) } else { Err(count) }
}

fn split(row: &'static str) -> impl Iterator<Item = &'static str> {
    let mut start = 0;
    let commas = memchr::memchr_iter(b',', row.as_bytes()).chain(std::iter::once(row.len()));
    commas.map(move |end| {
        let field = &row[start..end];
        start = end + 1;
        field
    })
}

/// The fields of the lines with quotes. Only they need the CSV reader, and one for all of them:
/// making a reader takes longer than reading a hundred lines.
fn quoted_rows(text: &'static str) -> Result<Vec<Fields>, String> {
    let rows: Vec<&str> = text.lines().filter(|row| memchr::memchr(b'"', row.as_bytes()).is_some()).collect();
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let rows = rows.join("\n");
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(rows.as_bytes());
    let records = reader.records().map(|record| record.map_err(|error| error.to_string()));
    // Tables live as long as the process, and few lines have quotes.
    records.map(|record| Ok(in_columns(record?.iter().map(|field| &*String::from(field).leak())))).collect()
}

fn entry_of(library: &'static str, fields: [&'static str; COLUMNS]) -> Result<Entry, String> {
    let [cuda, hip, roc, kind, support, since, until, note] = fields;
    let version = |text: &str| match text {
        "" => Ok(None),
        text => text.parse::<RocmVersion>().map(Some).map_err(|error| error.to_string()),
    };
    let kind = Kind::from_word(kind).ok_or_else(|| format!("`{kind}` is no kind"))?;
    let support = Support::from_word(support).ok_or_else(|| format!("`{support}` is no degree of support"))?;
    if cuda.is_empty() {
        return Err("the column `cuda` is empty".to_owned());
    }
    if (support == Support::None) != hip.is_empty() {
        return Err(format!("`{cuda}` must have a HIP name, or support `none`"));
    }
    let range = VersionRange { since: version(since)?, until: version(until)? };
    Ok(Entry { cuda, hip, roc, kind, support, range, note, library })
}

/// Reads a TOML table.
pub(super) fn toml_table<T: serde::de::DeserializeOwned>(table: &str, text: &str) -> Result<T, MappingError> {
    toml::from_str(text).map_err(|error| MappingError::Toml { table: table.to_owned(), problem: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_fields_are_read() {
        let text = concat!("cuda,hip,roc,kind,support,since,until,note\n", r#"a,b,,function,differs,,,"x, ""y""""#);
        let entries = csv_table("t", text).unwrap();
        assert_eq!((entries[0].cuda, entries[0].note), ("a", "x, \"y\""));
    }

    #[test]
    fn errors_name_the_line() {
        let read = |row: &'static str| {
            let text: &'static str = format!("{HEADER}\na,b,,function,full,,,\n{row}\n").leak();
            csv_table("t", text).unwrap_err().to_string()
        };
        assert_eq!(read("a,b"), "t.csv, line 3: 2 columns in place of 8");
        assert_eq!(read("a,,,function,full,,,"), "t.csv, line 3: `a` must have a HIP name, or support `none`");
        assert_eq!(read("a,b,,thing,full,,,"), "t.csv, line 3: `thing` is no kind");
        assert!(read("a,b,,type,full,9,,").contains("`9` is no ROCm version"));
        assert!(csv_table("t", "a,b\n").is_err());
    }
}
