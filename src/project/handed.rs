//! What files hand over to macros of each other that put the start of a name before it: `CALL(Malloc)` here and
//! `#define CALL(f) cuda##f` there.
//!
//! Few projects have such macros, so files are read for them only once a look at all has found one.

use memchr::memmem;
use rayon::prelude::*;

use crate::analysis::{Asked, HandedNames};
use crate::syntax::Document;

/// What was found in a file while it did not change, by what was asked.
pub(super) type HandedBefore = Vec<(Asked, HandedNames)>;

/// More names are not searched for one by one.
const MOST_SEARCHED: usize = 16;

/// Whether a file with these bytes may use one of the macros that are asked for.
pub(super) fn may_use(bytes: &[u8], asked: &Asked) -> bool {
    let is_named = |name: &str| memmem::find(bytes, name.as_bytes()).is_some();
    // Texts of two bytes for each letter hold zeros.
    asked.macros().nth(MOST_SEARCHED).is_some() || asked.macros().any(is_named) || bytes.contains(&0)
}

/// What files hand over to the parameters that follow starts, and to those that are handed on to these. `look` gives what one file
/// hands over.
pub(super) fn follow<F: Send>(
    first: &Asked,
    files: &mut [F],
    look: impl Fn(&mut F, &Asked) -> HandedNames + Sync,
) -> HandedNames {
    HandedNames::follow(first, |asked| {
        let found: Vec<HandedNames> = files.par_iter_mut().map(|file| look(file, asked)).collect();
        let mut all = HandedNames::default();
        for found in found {
            all.extend(found);
        }
        all
    })
}

/// What a document hands over; those of build files hand over nothing.
pub(super) fn handed(document: &Document, asked: &Asked) -> HandedNames {
    if document.build().is_some() { HandedNames::default() } else { HandedNames::between(document, asked) }
}

/// What a file hands over that may have been asked before.
pub(super) fn remembered(
    before: &mut HandedBefore,
    asked: &Asked,
    read: impl FnOnce() -> Option<Document>,
) -> HandedNames {
    if let Some((_, found)) = before.iter().find(|(known, _)| known == asked) {
        return found.clone();
    }
    let found = read().map(|document| handed(&document, asked)).unwrap_or_default();
    before.push((asked.clone(), found.clone()));
    found
}
