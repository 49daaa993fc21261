//! Which claimed names the headers of which release have.

use std::collections::BTreeMap;

use super::claim::Claim;
use super::library::{OF_ROC_NAMES, of_hip_names};
use super::release::{CHECKED, Release};
use super::table::Row;
use super::tree::Tree;

/// One answer per checked release; none where the headers are missing or of another release.
pub(super) type Answers = [Option<bool>; CHECKED.len()];

/// Every claimed name with its answers, in the order of the names.
pub(super) struct Presence {
    names: BTreeMap<Claim, Answers>,
}

impl Presence {
    /// Looks up every name that the rows claim.
    pub(super) fn of(rows: &[Row], trees: &[Tree]) -> Self {
        let claims = rows.iter().flat_map(|row| [Claim::hip(row), Claim::roc(row)]);
        let mut names = BTreeMap::new();
        for claim in claims.flatten() {
            let answers = CHECKED.map(|release| answer(&claim, tree_of(trees, release)?));
            names.insert(claim, answers);
        }
        Self { names }
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Claim, &Answers)> {
        self.names.iter()
    }

    /// Whether a release has a claimed name.
    pub(super) fn answer(&self, claim: &Claim, release: Release) -> Option<bool> {
        let position = CHECKED.iter().position(|checked| *checked == release)?;
        self.names.get(claim)?.get(position).copied().flatten()
    }
}

fn tree_of(trees: &[Tree], release: Release) -> Option<&Tree> {
    trees.iter().find(|tree| tree.release == release)
}

fn answer(claim: &Claim, tree: &Tree) -> Option<bool> {
    if claim.is_header {
        return tree.has_file(&claim.name);
    }
    let libraries = if claim.is_roc() { OF_ROC_NAMES } else { of_hip_names(claim.table()) };
    let answers = libraries.iter().map(|library| tree.library(library).and_then(|names| names.has(claim.identifier())));
    combine(answers)
}

/// One `yes` is enough; `no` needs all of them.
fn combine(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = None;
    let mut unknown = false;
    for answer in answers {
        match answer {
            Some(true) => return Some(true),
            Some(false) => all = Some(false),
            None => unknown = true,
        }
    }
    if unknown { None } else { all }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_leaves_the_answer_open_unless_another_has_the_name() {
        assert_eq!(combine([None, Some(true)].into_iter()), Some(true));
        assert_eq!(combine([None, Some(false)].into_iter()), None);
        assert_eq!(combine([Some(false), Some(false)].into_iter()), Some(false));
        assert_eq!(combine([].into_iter()), None);
    }
}
