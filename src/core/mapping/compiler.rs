//! What the compiler for AMD GPUs says about well-known traps, and what is behind it.

use std::sync::LazyLock;

use regex_lite::Regex;
use serde::Deserialize;

use super::load::{MappingError, toml_table};

/// A trap that a message of the compiler gives away.
#[derive(Debug)]
pub struct CompilerTrap {
    /// What its text matches.
    pub message: Regex,
    /// What one of its notes matches.
    pub note: Option<Regex>,
    /// What the line that it is about matches.
    pub line: Option<Regex>,
    /// Code of the rule that says more.
    pub rule: String,
    /// What is behind it.
    pub text: String,
}

#[derive(Deserialize)]
struct File {
    trap: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    message: String,
    note: Option<String>,
    line: Option<String>,
    rule: String,
    text: String,
}

static TRAPS: LazyLock<Result<Vec<CompilerTrap>, MappingError>> = LazyLock::new(|| {
    let file = toml_table::<File>("compiler.toml", include_str!("../../../mappings/compiler.toml"))?;
    file.trap.into_iter().map(trap).collect()
});

/// All traps. Fails only if the built-in table is broken, which a test looks for.
pub fn compiler_traps() -> Result<&'static [CompilerTrap], MappingError> {
    TRAPS.as_deref().map_err(Clone::clone)
}

fn trap(row: Row) -> Result<CompilerTrap, MappingError> {
    let regex = |text: String| {
        let problem = |error: regex_lite::Error| format!("`{text}`: {error}");
        Regex::new(&text)
            .map_err(|error| MappingError::Toml { table: "compiler.toml".to_owned(), problem: problem(error) })
    };
    Ok(CompilerTrap {
        message: regex(row.message)?,
        note: row.note.map(regex).transpose()?,
        line: row.line.map(regex).transpose()?,
        rule: row.rule,
        text: row.text,
    })
}
