//! The list of crates that make up the corpus.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// `tests/corpus/manifest.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    #[serde(rename = "crate")]
    pub(super) crates: Vec<Crate>,
}

/// One crate, at one version.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Crate {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) license: String,
    /// Number of `.cu` and `.cuh` files.
    pub(super) files: usize,
    /// Their total size.
    pub(super) bytes: u64,
    /// Over their names and contents, see [`super::files::Digest`].
    pub(super) digest: String,
    /// How to compile them; none if they are only converted.
    pub(super) compile: Option<Compile>,
}

/// How the sources of a crate are compiled.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Compile {
    /// Folder with the `.cu` files.
    pub(super) sources: String,
    /// Folders to search for headers.
    pub(super) include: Vec<String>,
    /// Flags that the crate's own build passes.
    pub(super) flags: Vec<String>,
    /// What a reader of the result should know.
    pub(super) note: Option<String>,
}

impl Manifest {
    pub(super) fn read(file: &Path) -> Result<Self> {
        let text = fs::read_to_string(file).with_context(|| format!("reading `{}`", file.display()))?;
        toml::from_str(&text).with_context(|| format!("reading `{}`", file.display()))
    }
}
