//! Text before any syntax: files, byte ranges, edits and patches.
//!
//! Uses nothing else of this crate. All offsets are bytes of [`SourceFile::text`].

mod digest;
mod edit;
mod file;
mod flat;
mod line_edits;
mod lines;
mod merge;
mod patch;
mod position;
mod spans;
mod text;
mod texts;

pub use digest::{DigestWriter, digest};
pub use edit::{Edit, Piece};
pub use file::{DecodeError, Encoding, Newline, SourceFile, is_wide};
pub use flat::FlatEdit;
pub use lines::{DiffHunk, HunkPart, LineChange, LineDiff, LinedText, NewLines, single_blanks};
pub use merge::{MergeLabels, Merged, has_conflict_markers, merge};
pub use patch::{Conflict, Patch, Rendered};
pub use position::{LineIndex, Position, TextRange, TextSize, position, range};
pub use spans::{FirstSpans, Spans};
pub use text::SourceText;
pub use texts::{TextId, Texts};
