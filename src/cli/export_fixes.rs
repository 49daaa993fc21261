//! `hipshift convert --export-fixes`: the edits for `clang-apply-replacements`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::output::note;
use crate::project::{Converted, Doors, Source, Spool, Spooled, Staging, fix_groups};
use crate::report::{fixes_of_file, write_fixes};
use crate::settings::{ExtensionStyle, Settings};

/// Fixes of the files of a run, which come from any thread.
pub(super) struct Export<'a> {
    target: &'a Utf8Path,
    inputs: &'a [Utf8PathBuf],
    spool: Spool,
    files: Mutex<BTreeMap<Utf8PathBuf, anyhow::Result<Spooled>>>,
}

impl<'a> Export<'a> {
    /// An export to `target`; `-` is standard output. Refuses what replacements cannot say.
    pub(super) fn new(
        target: &'a Utf8Path,
        (inputs, settings): (&'a [Utf8PathBuf], &Settings),
    ) -> anyhow::Result<Export<'a>> {
        if settings.extension != ExtensionStyle::Keep {
            bail!("`--export-fixes` cannot give files other names; add `--ext keep`");
        }
        Ok(Export { target, inputs, spool: Spool::default(), files: Mutex::default() })
    }

    /// Keeps the fixes of a file.
    pub(super) fn add(&self, source: &Source, converted: Converted<'_>) {
        let Some((text, outcome)) = converted.conversion else { return };
        if outcome.patch.is_empty() {
            return;
        }
        // The tool may be started anywhere, and a link stays a link.
        let path = source.path.canonicalize_utf8().unwrap_or_else(|_| source.path.clone());
        let part = fix_groups(text, outcome).with_context(|| source.path.to_string()).and_then(|groups| {
            let part = fixes_of_file(&path, &groups)?;
            self.spool.push(&part).context("writing a temporary file")
        });
        self.files.lock().unwrap_or_else(PoisonError::into_inner).insert(path, part);
    }

    /// Writes the fixes of all files.
    pub(super) fn write(&self) -> anyhow::Result<()> {
        let files = std::mem::take(&mut *self.files.lock().unwrap_or_else(PoisonError::into_inner));
        let files = files.into_iter().map(|(path, part)| Ok((path, part?))).collect::<anyhow::Result<Vec<_>>>()?;
        let write = |out: &mut dyn Write| {
            let parts = files.iter().map(|(_, part)| self.spool.read(*part));
            write_fixes(out, files.first().map(|(path, _)| path.as_path()), parts)
        };
        if self.target == "-" {
            // As it is: what looks like a colour in a source file belongs to it.
            let mut out = io::BufWriter::new(io::stdout().lock());
            write(&mut out)?;
            return Ok(out.flush()?);
        }
        let mut bytes = Vec::new();
        write(&mut bytes)?;
        let staging = Staging::to(Doors::output(self.target, self.inputs)?);
        staging.write(self.target, &bytes, self.target)?;
        staging.commit()?;
        if self.target.extension() != Some("yaml") {
            note("`clang-apply-replacements` reads only files whose name ends with `.yaml`");
        }
        Ok(())
    }
}
