//! What replaces an `asm` statement, or why nothing does.

use crate::mapping::{PtxRewrite, RocmVersion};
use crate::source::Edit;

/// A replacement.
#[derive(Default)]
pub(super) struct Rewrite {
    /// The change.
    pub(super) edit: Option<Edit>,
    /// The rows of the table that it is made of.
    pub(super) rows: Vec<&'static PtxRewrite>,
}

impl Rewrite {
    /// Adds a row, unless it is for later releases.
    pub(super) fn add(&mut self, row: &'static PtxRewrite, rocm: RocmVersion) -> bool {
        self.rows.push(row);
        row.since.is_none_or(|since| rocm >= since)
    }

    /// What a person should know, each once.
    pub(super) fn notes(&self) -> Vec<&'static str> {
        let mut notes: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !row.note.is_empty() && !notes.contains(&&*row.note) {
                notes.push(&row.note);
            }
        }
        notes
    }
}

/// Why there is no replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// A macro supplies a part.
    Macro,
    /// It is a part of a block of several statements.
    Block,
    /// A directive stands within.
    Directive,
    /// Several instructions.
    Several,
    /// A predicate, or registers of its own.
    Registers,
    /// The carry flag comes from another statement or goes to one.
    Carry,
    /// No row has this form.
    Form,
    /// The row is for later HIP releases.
    Release(&'static PtxRewrite),
    /// An operand would be evaluated twice or lost, or has a name that clashes.
    Operands,
}
