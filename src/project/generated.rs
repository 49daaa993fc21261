//! A file that a run writes beside its results, as a difference from what is there.

use camino::Utf8Path;

use super::convert::Converted;
use super::names::{Base, NameError, Names};
use super::read::{ReadError, read};
use crate::engine::Outcome;
use crate::mapping::warp_header;
use crate::source::{Edit, Encoding, Newline, Patch, SourceFile, SourceText, range};

/// What a file becomes that no source is converted to.
#[derive(Debug)]
pub struct Generated {
    text: SourceText,
    outcome: Outcome,
}

impl Generated {
    /// The header with definitions, in the place of what is at `path`, if anything is.
    pub fn helpers(path: &Utf8Path) -> Result<Generated, ReadError> {
        let before = if path.exists() { read(path)? } else { Vec::new() };
        let text = String::from_utf8_lossy(&before).into_owned();
        let mut edits = Patch::default();
        if text != warp_header() {
            // One edit always fits.
            let _ = edits.try_add(&[Edit::replace(range(0, text.len()), warp_header())]);
        }
        let outcome = Outcome { patch: edits, ..Outcome::default() };
        let file = SourceFile { path: path.to_owned(), text, encoding: Encoding::Utf8, newline: Newline::Lf };
        Ok(Generated { text: SourceText::new(file), outcome })
    }

    /// As what became of a source.
    pub fn converted(&self) -> Converted<'_> {
        Converted { known: None, conversion: Some((&self.text, &self.outcome)) }
    }

    /// Its names; there may be no such file before.
    pub fn names(&self, base: &Base) -> Result<Names, NameError> {
        base.names_of_new(&self.text.file().path)
    }
}
