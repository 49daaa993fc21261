//! What was converted from what: `.hipshift/manifest.json`, and beside it the converted texts of that time.
//!
//! Both may be committed; a later `update` needs them to tell edits by hand from the tool's own.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use camino::{Utf8Path, Utf8PathBuf};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use serde::{Deserialize, Serialize};

use super::home::{Home, STATE};
use super::own_place::refuse_way_out;
use super::read::read_named;
use super::relative_path::RelativePath;
use crate::mapping::Table;
use crate::regular_file::open_regular;
use crate::source::digest;

/// The number of the format.
const SCHEMA: u32 = 1;

/// Larger texts of conversions are not read back, in bytes; whoever wrote them by hand has none.
const LONGEST: u64 = 256 << 20;

/// The file's name in `.hipshift`.
pub const MANIFEST: &str = "manifest.json";

/// A manifest that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// A file cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: Utf8PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is no manifest.
    #[error("{path} is no manifest of this hipshift: {message}")]
    Syntax {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong.
        message: String,
    },
}

/// What was converted from what.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    schema: u32,
    /// The version of hipshift.
    pub tool: String,
    /// The digest of the mapping tables.
    pub tables: String,
    /// Whether the results took the place of the inputs.
    pub in_place: bool,
    /// The options of the command line that decide about the results.
    pub options: serde_json::Value,
    /// The configuration file, if there was one; from the home on, or absolute.
    pub config: Option<Utf8PathBuf>,
    /// The inputs as they were named, and where their results went; both from the home on, or absolute.
    pub roots: Vec<Root>,
    /// By result.
    pub files: BTreeMap<Utf8PathBuf, Base>,
}

/// A file or directory that was converted.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Root {
    /// The input.
    pub input: Utf8PathBuf,
    /// The directory of its results.
    pub output: Utf8PathBuf,
}

/// What one result was made from, and what it was.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Base {
    /// The number of the root, from 0.
    pub root: usize,
    /// The input, from its root on.
    pub input: Utf8PathBuf,
    /// The SHA-256 of the input.
    pub input_sha256: String,
    /// The SHA-256 of the result before anybody edited it.
    pub output_sha256: String,
}

impl Manifest {
    /// An empty one.
    pub fn new(in_place: bool, options: serde_json::Value, config: Option<Utf8PathBuf>, table: &Table) -> Manifest {
        Manifest {
            schema: SCHEMA,
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            tables: digest_of_tables(table),
            in_place,
            options,
            config,
            roots: Vec::new(),
            files: BTreeMap::new(),
        }
    }

    /// The manifest of `home`, if there is one.
    pub fn read(home: &Home) -> Result<Option<Manifest>, ManifestError> {
        let path = home.state(MANIFEST);
        let text = match refuse_way_out(&path, home.root()).and_then(|()| read_named(&path)) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ManifestError::Io { path, source }),
        };
        let manifest: Manifest = serde_json::from_str(&text)
            .map_err(|error| ManifestError::Syntax { path: path.clone(), message: error.to_string() })?;
        if manifest.schema != SCHEMA {
            let message = format!("its format is {}, this one reads {SCHEMA}", manifest.schema);
            return Err(ManifestError::Syntax { path, message });
        }
        manifest.refuse_escapes().map_err(|message| ManifestError::Syntax { path, message })?;
        Ok(Some(manifest))
    }

    /// The file may come from anybody: what it has written or removed lies below the home, where a root has its
    /// results, and is nothing of git's or of hipshift's own. Inputs, which are only read, may lie beside it.
    fn refuse_escapes(&self) -> Result<(), String> {
        let below = |path: &Utf8Path| match RelativePath::new(path) {
            Ok(_) if path.components().any(|part| part.as_str().eq_ignore_ascii_case(STATE)) => {
                Err(format!("`{path}` is in `{STATE}`, where no result lies"))
            }
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        };
        for root in self.roots.iter().filter(|root| root.output != ".") {
            below(&root.output)?;
        }
        for (path, base) in &self.files {
            below(path)?;
            below(&base.input)?;
            let root = self.roots.get(base.root);
            if !root.is_some_and(|root| root.output == "." || path.starts_with(&root.output)) {
                return Err(format!("`{path}` is not where its root has results"));
            }
            let odd = [&base.input_sha256, &base.output_sha256].into_iter().find(|digest| !is_digest(digest));
            if let Some(digest) = odd {
                return Err(format!("`{digest}` is no SHA-256"));
            }
        }
        Ok(())
    }

    /// The file as it is stored: sorted, the same for the same content.
    pub(super) fn to_json(&self) -> String {
        // Strings and numbers always serialise.
        serde_json::to_string_pretty(self).map(|json| json + "\n").unwrap_or_default()
    }

    /// The number of a root, which is added if it is not known.
    pub(super) fn number_of(&mut self, root: &Root) -> usize {
        let known = self.roots.iter().position(|known| known == root);
        known.unwrap_or_else(|| {
            self.roots.push(root.clone());
            self.roots.len() - 1
        })
    }
}

/// A digest becomes part of a path.
fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Where the text with this digest is kept.
pub(super) fn text_path(home: &Home, digest: &str) -> Utf8PathBuf {
    let (start, rest) = digest.split_at(2.min(digest.len()));
    home.state("base").join(start).join(format!("{rest}.gz"))
}

/// A text as it is kept: gzip, so that other tools can read it, too.
pub(super) fn packed(text: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 3), Compression::fast());
    encoder.write_all(text)?;
    encoder.finish()
}

/// The text with this digest.
pub(super) fn kept_text(home: &Home, wanted: &str) -> Result<Vec<u8>, ManifestError> {
    let path = text_path(home, wanted);
    let mut text = Vec::new();
    // A few bytes can say a lot.
    let read = open_regular(path.as_std_path(), LONGEST)
        .and_then(|file| GzDecoder::new(file).take(LONGEST + 1).read_to_end(&mut text));
    read.map_err(|source| ManifestError::Io { path: path.clone(), source })?;
    if text.len() as u64 > LONGEST {
        return Err(ManifestError::Syntax { path, message: format!("its text has more than {} MiB", LONGEST >> 20) });
    }
    if digest(&text) != wanted {
        return Err(ManifestError::Syntax { path, message: "its content is not what it was".to_owned() });
    }
    Ok(text)
}

/// One digest for all names and their counterparts.
fn digest_of_tables(table: &Table) -> String {
    let mut all = String::new();
    for entry in table.entries() {
        all.extend([entry.library, "\t", entry.cuda, "\t", entry.hip, "\t", entry.roc, "\t", entry.note, "\n"]);
    }
    digest(all.as_bytes())
}
