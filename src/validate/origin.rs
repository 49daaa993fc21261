//! From a place in converted text back to the CUDA text that it came from.

use std::collections::HashMap;
use std::sync::Mutex;

use camino::{Utf8Path, Utf8PathBuf};
use line_index::{LineCol, LineIndex, TextSize};

use super::message::Place;
use crate::source::Rendered;

/// Where the text of each converted file came from.
#[derive(Debug, Default)]
pub struct Origins {
    files: Mutex<HashMap<Utf8PathBuf, Origin>>,
}

#[derive(Debug)]
struct Origin {
    source: Utf8PathBuf,
    rendered: Rendered,
    output_lines: LineIndex,
    source_lines: LineIndex,
}

impl Origins {
    /// Takes in a file: what it was, where it was written, and how its text came about.
    pub fn insert(&self, output: &Utf8Path, source: &Utf8Path, rendered: Rendered, source_lines: LineIndex) {
        let output_lines = LineIndex::new(&rendered.text);
        let origin = Origin { source: source.to_owned(), rendered, output_lines, source_lines };
        self.files.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(output.to_owned(), origin);
    }

    /// The place in the user's file, for a place in a file of ours. Text that was put in is at the end of the
    /// user's text before it.
    pub fn find(&self, place: &Place) -> Option<Place> {
        let files = self.files.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let origin = files.get(&place.file)?;
        let position = LineCol { line: place.line.checked_sub(1)?, col: place.column.checked_sub(1)? };
        let offset: TextSize = origin.output_lines.offset(position)?;
        let position = origin.source_lines.line_col(origin.rendered.to_original(offset));
        Some(Place { file: origin.source.clone(), line: position.line + 1, column: position.col + 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Edit, Patch, range};

    #[test]
    fn places_lead_back_through_lines_that_were_put_in() {
        let text = "int a;\ncudaMalloc(&p, n);\n";
        let mut patch = Patch::default();
        patch.try_add(&[Edit::insert(TextSize::new(0), "#include <hip/hip_runtime.h>\n")]).unwrap();
        patch.try_add(&[Edit::replace(range(7, 17), "hipMalloc")]).unwrap();
        let origins = Origins::default();
        origins.insert("out/a.cu".into(), "a.cu".into(), patch.render(text), LineIndex::new(text));
        let place = |line, column| Place { file: "out/a.cu".into(), line, column };
        let found = origins.find(&place(3, 11)).unwrap();
        assert_eq!((found.file.as_str(), found.line, found.column), ("a.cu", 2, 12));
        assert_eq!(origins.find(&place(2, 1)).map(|place| place.line), Some(1));
        assert_eq!(origins.find(&Place { file: "/usr/include/x.h".into(), line: 1, column: 1 }), None);
    }
}
