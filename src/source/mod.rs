//! Text before any syntax: files, byte ranges, edits and patches.
//!
//! Uses nothing else of this crate. All offsets are bytes of [`SourceFile::text`].

mod edit;
mod file;
mod lines;
mod patch;
mod position;

pub use edit::{Edit, Piece};
pub use file::{DecodeError, Encoding, Newline, SourceFile};
pub use lines::{DiffHunk, HunkPart, LineChange, LineDiff, LinedText, single_blanks};
pub use patch::{Conflict, Patch, Rendered};
pub use position::{LineIndex, Position, TextRange, TextSize, position, range};
