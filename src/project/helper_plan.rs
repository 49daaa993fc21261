//! The header with definitions for warps of 32 lanes: where a run writes it, and whether it has to.

use camino::{Utf8Path, Utf8PathBuf};

use super::convert::Source;
use super::file_report::FileReport;
use super::layout::Destination;
use super::ledger::Ledger;
use super::read::{ReadError, read};
use super::write::{Staging, WriteError};
use crate::analysis::HelperHeader;
use crate::mapping::{is_warp_header, warp_header};

/// Where the header of a run goes.
#[derive(Debug)]
pub struct HelperPlan {
    header: HelperHeader,
    /// The header of each root: where it would lie among the inputs, and where it goes.
    places: Vec<Source>,
    /// Whether the inputs of a root have one already, from an earlier run.
    present: Vec<bool>,
}

/// A file in the way of the header.
#[derive(Debug, thiserror::Error)]
pub enum HelperError {
    /// Somebody else wrote it.
    #[error("`{0}` is there already, and hipshift did not write it; name another header by `--helpers-header`")]
    Foreign(Utf8PathBuf),
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl HelperPlan {
    /// For inputs as they were named, each with what becomes of it.
    pub fn new<'r>(name: &str, roots: impl IntoIterator<Item = (&'r Utf8PathBuf, &'r Destination)>) -> HelperPlan {
        let (mut named, mut places) = (Vec::new(), Vec::new());
        for (root, destination) in roots {
            let own = if root.is_dir() { root } else { root.parent().unwrap_or(root) };
            let output = match destination {
                Destination::Directory(directory) => directory,
                Destination::InPlace | Destination::File(_) => own,
            };
            places.push(Source { path: own.join(name), output: Some(output.join(name)) });
            named.push(root.clone());
        }
        let present = vec![false; places.len()];
        HelperPlan { header: HelperHeader { name: name.to_owned(), roots: named }, places, present }
    }

    /// How files include the header.
    pub fn header(&self) -> &HelperHeader {
        &self.header
    }

    /// Takes headers of earlier runs out of `files`, where they would be written a second time. Fails where a file of somebody
    /// else has the place.
    pub fn claim(&mut self, files: &mut Vec<Source>) -> Result<(), HelperError> {
        for (place, present) in self.places.iter().zip(&mut self.present) {
            let target = place.output.as_deref().unwrap_or(&place.path);
            if is_foreign(target)? {
                return Err(HelperError::Foreign(target.to_owned()));
            }
            let count = files.len();
            for file in files.iter().filter(|file| is_at(file, target)) {
                if is_foreign(&file.path)? {
                    return Err(HelperError::Foreign(file.path.clone()));
                }
            }
            // Where it lies already, it is no work of this run.
            files.retain(|file| !is_at(file, target) || file.path == target);
            *present |= files.len() < count;
        }
        Ok(())
    }

    /// The headers that the results need, each once.
    pub fn needed(&self, reports: &[FileReport]) -> Vec<&Source> {
        let mut is_needed = self.present.clone();
        for report in reports.iter().filter(|report| report.includes_helpers) {
            if let Some(needed) = self.header.root_of(&report.path).and_then(|root| is_needed.get_mut(root)) {
                *needed = true;
            }
        }
        let mut needed: Vec<&Source> = Vec::new();
        for (place, is_needed) in self.places.iter().zip(is_needed) {
            if is_needed && needed.iter().all(|known| known.output != place.output) {
                needed.push(place);
            }
        }
        needed
    }

    /// Writes the headers that the results need.
    pub fn stage(
        &self,
        reports: &[FileReport],
        staging: &Staging,
        ledger: Option<&Ledger>,
    ) -> Result<Vec<Utf8PathBuf>, WriteError> {
        let text = warp_header();
        let mut written = Vec::new();
        for Source { path, output } in self.needed(reports) {
            let Some(output) = output else { continue };
            staging.write(output, text.as_bytes(), output)?;
            if let Some(ledger) = ledger {
                ledger.note((path, text.as_bytes()), (output, text.as_bytes()), staging)?;
            }
            written.push(output.clone());
        }
        Ok(written)
    }
}

fn is_at(file: &Source, target: &Utf8Path) -> bool {
    file.output.as_deref().unwrap_or(&file.path) == target
}

fn is_foreign(path: &Utf8Path) -> Result<bool, ReadError> {
    Ok(path.exists() && !is_warp_header(&read(path)?))
}
