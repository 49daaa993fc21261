//! What an update makes of one file: three texts in, one out.

use camino::Utf8PathBuf;

use crate::source::{MergeLabels, has_conflict_markers, merge};

/// The three texts of a file; each may be missing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Texts<'t> {
    /// What the last conversion made.
    pub(super) base: Option<&'t [u8]>,
    /// What is there now.
    pub(super) ours: Option<&'t [u8]>,
    /// What this conversion makes.
    pub(super) theirs: Option<&'t [u8]>,
}

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decision {
    pub(super) action: UpdateAction,
    pub(super) content: Content,
}

/// What is to be there afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// What is there, if anything.
    Ours,
    /// What this conversion makes.
    Theirs,
    /// Another text.
    Merged(Vec<u8>),
    /// Nothing.
    Nothing,
}

/// What became of one file of an update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdatedFile {
    /// The result, from the current directory on if it lies below.
    pub path: Utf8PathBuf,
    /// The result's name until now, if it has another one.
    pub from: Option<Utf8PathBuf>,
    /// The input, unless it is gone.
    pub input: Option<Utf8PathBuf>,
    /// What became of it.
    pub action: UpdateAction,
}

/// What an update does to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpdateAction {
    /// Its conversion is what it was; edits by hand stay.
    Unchanged,
    /// Its conversion changed, and nobody edited it.
    Updated,
    /// Its conversion changed, and so did edits by hand; both are in it.
    Merged,
    /// It is new.
    Added,
    /// Its input is gone, and nobody edited it.
    Removed,
    /// Its input is there, or may be, and was not read, for this reason; it stays as it is.
    NotRead(String),
    /// Its input is not among those named; in place, that says nothing about the file.
    NotNamed,
    /// It was removed by hand, and its conversion is what it was.
    LeftRemoved,
    /// Its conversion and an edit by hand changed the same lines; markers stand on these, from 1.
    Conflict(Vec<usize>),
    /// Its conversion and somebody else changed a file that is no text; theirs was kept out.
    BinaryConflict,
    /// Its input is gone, but it was edited by hand and stays.
    GoneConflict,
    /// It was removed by hand, but its conversion changed; it is back.
    RemovedConflict,
    /// It still holds markers of an earlier conflict, so nothing can be merged into it.
    Unresolved,
    /// Its conversion is what it was, and it still holds markers of an earlier conflict.
    OpenConflict,
}

impl UpdateAction {
    /// Whether a person has to decide.
    pub fn is_conflict(&self) -> bool {
        match self {
            UpdateAction::Conflict(_)
            | UpdateAction::BinaryConflict
            | UpdateAction::GoneConflict
            | UpdateAction::RemovedConflict
            | UpdateAction::Unresolved
            | UpdateAction::OpenConflict => true,
            UpdateAction::Unchanged
            | UpdateAction::Updated
            | UpdateAction::Merged
            | UpdateAction::Added
            | UpdateAction::Removed
            | UpdateAction::NotRead(_)
            | UpdateAction::NotNamed
            | UpdateAction::LeftRemoved => false,
        }
    }

    /// Whether text of this conversion came into the file.
    pub fn takes_conversion(&self) -> bool {
        matches!(
            self,
            UpdateAction::Updated
                | UpdateAction::Merged
                | UpdateAction::Added
                | UpdateAction::Conflict(_)
                | UpdateAction::RemovedConflict
        )
    }
}

/// What becomes of a file called `name`. `in_place` says that a missing input does not mean that the
/// file is to go.
pub(super) fn decide(texts: Texts<'_>, name: &str, in_place: bool) -> Decision {
    let of = |action, content| Decision { action, content };
    match (texts.base, texts.ours, texts.theirs) {
        (_, None, None) => of(UpdateAction::LeftRemoved, Content::Ours),
        (None, None, Some(_)) => of(UpdateAction::Added, Content::Theirs),
        (_, Some(_), None) if in_place => of(UpdateAction::NotNamed, Content::Ours),
        (Some(base), Some(ours), None) if ours == base => of(UpdateAction::Removed, Content::Nothing),
        (_, Some(_), None) => of(UpdateAction::GoneConflict, Content::Ours),
        (Some(base), None, Some(theirs)) if theirs == base => of(UpdateAction::LeftRemoved, Content::Ours),
        (Some(_), None, Some(_)) => of(UpdateAction::RemovedConflict, Content::Theirs),
        (base, Some(ours), Some(theirs)) => decide_merge(base, ours, theirs, name),
    }
}

fn decide_merge(base: Option<&[u8]>, ours: &[u8], theirs: &[u8], name: &str) -> Decision {
    let is_open = || has_conflict_markers(ours) && !has_conflict_markers(theirs);
    if ours == theirs || base == Some(theirs) {
        let action = if is_open() { UpdateAction::OpenConflict } else { UpdateAction::Unchanged };
        return Decision { action, content: Content::Ours };
    }
    if base == Some(ours) {
        return Decision { action: UpdateAction::Updated, content: Content::Theirs };
    }
    if is_open() {
        return Decision { action: UpdateAction::Unresolved, content: Content::Ours };
    }
    let base = base.unwrap_or_default();
    if [base, ours, theirs].iter().any(|text| memchr::memchr(0, text).is_some()) {
        return Decision { action: UpdateAction::BinaryConflict, content: Content::Ours };
    }
    let [edited, last, now] =
        ["as edited here", "as converted last time", "as converted now"].map(|state| format!("{name} {state}"));
    let merged = merge(base, ours, theirs, MergeLabels { ours: &edited, base: &last, theirs: &now });
    let action =
        if merged.conflicts.is_empty() { UpdateAction::Merged } else { UpdateAction::Conflict(merged.conflicts) };
    Decision { action, content: Content::Merged(merged.bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(texts: [Option<&str>; 3], in_place: bool, action: &UpdateAction, content: &Content) {
        let [base, ours, theirs] = texts.map(|text| text.map(str::as_bytes));
        let decision = decide(Texts { base, ours, theirs }, "a.cu", in_place);
        assert_eq!((&decision.action, &decision.content), (action, content));
    }

    #[test]
    fn files_that_only_one_side_has() {
        use UpdateAction::{Added, GoneConflict, LeftRemoved, NotNamed, Removed, RemovedConflict};
        check([None, None, Some("t")], false, &Added, &Content::Theirs);
        check([Some("b"), Some("b"), None], false, &Removed, &Content::Nothing);
        check([Some("b"), Some("b"), None], true, &NotNamed, &Content::Ours);
        check([Some("b"), Some("o"), None], false, &GoneConflict, &Content::Ours);
        check([Some("b"), None, Some("b")], false, &LeftRemoved, &Content::Ours);
        check([Some("b"), None, Some("t")], false, &RemovedConflict, &Content::Theirs);
    }

    #[test]
    fn files_that_both_sides_have() {
        use UpdateAction::{BinaryConflict, OpenConflict, Unchanged, Unresolved, Updated};
        check([Some("b"), Some("o"), Some("b")], false, &Unchanged, &Content::Ours);
        check([Some("b"), Some("b"), Some("t")], false, &Updated, &Content::Theirs);
        check([None, Some("t"), Some("t")], false, &Unchanged, &Content::Ours);
        check([Some("b"), Some("o\0"), Some("t")], false, &BinaryConflict, &Content::Ours);
        let open = "<<<<<<< x\no\n=======\nt\n>>>>>>> y\n";
        check([Some("b"), Some(open), Some("t")], false, &Unresolved, &Content::Ours);
        check([Some("t"), Some(open), Some("t")], false, &OpenConflict, &Content::Ours);
        check([Some(open), Some(open), Some(open)], false, &Unchanged, &Content::Ours);
    }
}
