//! What kernels needed when their files were last validated: one small file for each source, which editors read.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::outcome::ProgramResult;
use super::resources::{Resources, join};
use crate::regular_file::{LONGEST, read_regular};
use crate::source::digest;
use crate::toolchain::{cache_folder, make_cache_folder};

/// The folder among the caches.
const FOLDER: &str = "kernels";

/// The kernels of a source as they were compiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Digest of the source's bytes at that time.
    source: String,
    /// What its kernels need, by name and target.
    kernels: Vec<Resources>,
}

impl Measured {
    /// What is known about the kernels of a source; nothing if it was never validated.
    pub fn read(source: &Utf8Path) -> Option<Measured> {
        let folder = cache_folder().ok()?.join(FOLDER);
        let text = fs::read_to_string(entry(&folder, &source.canonicalize_utf8().ok()?)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// The kernels of a name, which has neither namespace nor template arguments.
    pub fn of<'m>(&'m self, name: &str) -> impl Iterator<Item = &'m Resources> {
        self.kernels.iter().filter(move |kernel| kernel.function() == name)
    }

    /// Whether the source said the same when it was validated.
    pub fn is_about(&self, source: &[u8]) -> bool {
        self.source == digest(source)
    }
}

/// Keeps what a run measured, for those of the user's files that have kernels; what was kept about them before goes. Kernels in
/// headers of libraries are nobody's to look at.
pub fn keep_measured(results: &[ProgramResult]) -> io::Result<()> {
    let mut by_source: BTreeMap<Utf8PathBuf, Vec<&Resources>> = BTreeMap::new();
    let kernels = results.iter().flat_map(|result| &result.resources);
    for kernel in kernels.filter(|kernel| !kernel.is_of_others) {
        let file = kernel.place.as_ref().and_then(|place| place.file.canonicalize_utf8().ok());
        if let Some(file) = file {
            by_source.entry(file).or_default().push(kernel);
        }
    }
    let folder = make_cache_folder(FOLDER)?;
    for (file, kernels) in by_source {
        let measured = Measured {
            source: digest(&read_regular(file.as_std_path(), LONGEST)?),
            kernels: join(kernels.into_iter()),
        };
        let mut new = tempfile::NamedTempFile::new_in(&folder)?;
        serde_json::to_writer(&mut new, &measured)?;
        new.persist(entry(&folder, &file)).map_err(|error| error.error)?;
    }
    Ok(())
}

/// The file about a source with an absolute path.
fn entry(folder: &Path, source: &Utf8Path) -> PathBuf {
    folder.join(format!("{}.json", digest(source.as_str().as_bytes())))
}
