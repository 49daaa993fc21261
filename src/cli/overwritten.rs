//! Files that a conversion writes over, and how that is told.

use camino::{Utf8Path, Utf8PathBuf};

use super::output::note;
use crate::project::{Destination, Ledger, Staging};
use crate::report::plural;

/// What a run writes over.
pub(super) struct Overwritten {
    /// Results of earlier runs that were edited since.
    edited: usize,
    /// Files that no earlier run wrote.
    others: Vec<Utf8PathBuf>,
    can_undo: bool,
}

impl Overwritten {
    /// For a run that has not put its files in place.
    pub(super) fn of(ledger: Option<&Ledger>, destination: Option<&Destination>, staging: &Staging) -> Overwritten {
        let others = match (ledger, destination) {
            (Some(ledger), _) => ledger.overwritten_others(),
            (None, Some(Destination::Directory(_))) => staging.replaced(),
            _ => Vec::new(),
        };
        Overwritten { edited: ledger.map_or(0, Ledger::overwritten_edits), others, can_undo: ledger.is_some() }
    }

    /// Says what is gone, and how to have it back.
    pub(super) fn tell(&self, output: &Utf8Path) {
        if self.edited > 0 {
            note(&format!(
                "{} edited since the last conversion, and overwritten; `hipshift undo {output}` brings them back, and `hipshift update -o {output}` keeps edits",
                plural(self.edited, "file")
            ));
        }
        let Some(first) = self.others.first() else { return };
        let (count, were) = (plural(self.others.len(), "file"), if self.others.len() == 1 { "was" } else { "were" });
        let undo = format!("`hipshift undo {output}` brings them back");
        let back = if self.can_undo { undo.as_str() } else { "nothing brings them back" };
        note(&format!("{count} that no earlier run wrote {were} overwritten, `{first}` first; {back}"));
    }
}
