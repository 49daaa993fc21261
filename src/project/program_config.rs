//! `[[validate.program]]` in `hipshift.toml`: what single programs are given when they are run.

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

/// What one program is given.
#[derive(Debug, Clone, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProgramConfig {
    /// What reports call the program.
    pub name: String,
    /// Its arguments.
    pub arguments: Option<Vec<String>>,
    /// The file that it reads from standard input.
    pub stdin: Option<Utf8PathBuf>,
    /// Seconds after which it is ended.
    pub timeout: Option<u64>,
}

impl ProgramConfig {
    /// Leads a relative path from the folder of the configuration file.
    pub(super) fn resolve(&mut self, directory: &Utf8Path) {
        if let Some(path) = &mut self.stdin {
            *path = directory.join(&path);
        }
    }
}
