//! Lane masks, followed from file to file: a function hands a mask on without any word that tells of lanes.
//!
//! What a file says depends on what is known of the names that it uses. So a file is looked at again only when something new is
//! known of one of these, and a chain of functions over many files takes as many looks as it has files.

use std::hash::{Hash as _, Hasher as _};

use rayon::prelude::*;
use rustc_hash::{FxHashSet, FxHasher};

use crate::analysis::{Functions, MaskFunctions, MaskUses};
use crate::syntax::{Document, TokenKind};

/// What is known of a file, for as long as it does not change.
#[derive(Debug, Default)]
pub(super) struct FileMasks {
    /// The names in it; nothing before the first look.
    names: Option<Names>,
    /// What it said, by what was known of its names.
    said: Vec<(MaskFunctions, MaskFunctions)>,
}

/// Hashes of names, sorted.
#[derive(Debug)]
struct Names(Box<[u32]>);

impl Names {
    fn of(document: &Document) -> Names {
        let names = document.tokens().iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Ident);
        let mut hashes: Vec<u32> = names.map(|(idx, _)| hash_of(document.token_text(idx))).collect();
        hashes.sort_unstable();
        hashes.dedup();
        Names(hashes.into())
    }

    fn has(&self, name: &str) -> bool {
        self.0.binary_search(&hash_of(name)).is_ok()
    }
}

#[allow(clippy::cast_possible_truncation, reason = "two names with one hash only cost a look")]
fn hash_of(name: &str) -> u32 {
    let mut hasher = FxHasher::default();
    name.hash(&mut hasher);
    (hasher.finish() >> 32) as u32
}

/// A file while masks are followed.
struct Followed<'f, F> {
    file: F,
    masks: &'f mut FileMasks,
    /// What is known of its names.
    known: MaskFunctions,
    is_stale: bool,
}

/// Follows lane masks until no file adds any. `read` gives the document of a file.
pub(super) fn follow<'f, F: Sync + Send>(
    files: impl Iterator<Item = (F, &'f mut FileMasks)>,
    read: impl Fn(&F) -> Option<Document> + Sync,
) -> MaskFunctions {
    let followed = |(file, masks)| Followed { file, masks, known: MaskFunctions::default(), is_stale: true };
    let mut files: Vec<Followed<'_, F>> = files.map(followed).collect();
    let mut all = MaskFunctions::default();
    loop {
        let stale = files.par_iter_mut().filter(|file| file.is_stale);
        let said: Vec<MaskFunctions> = stale.map(|file| say(file, &read)).collect();
        let mut new = MaskFunctions::default();
        for said in said {
            new.returned.extend(said.returned.into_iter().filter(|name| !all.returned.contains(name)));
            new.parameters.extend(said.parameters.into_iter().filter(|parameter| !all.parameters.contains(parameter)));
        }
        if new == MaskFunctions::default() {
            return all;
        }
        files.par_iter_mut().for_each(|file| file.learn(&new));
        all.extend(new);
    }
}

/// What a file says about masks, with what is known.
fn say<F>(file: &mut Followed<'_, F>, read: &impl Fn(&F) -> Option<Document>) -> MaskFunctions {
    if let Some((_, said)) = file.masks.said.iter().find(|(known, _)| *known == file.known) {
        return said.clone();
    }
    let document = read(&file.file);
    if file.masks.names.is_none() {
        file.masks.names = Some(document.as_ref().map_or_else(|| Names(Box::default()), Names::of));
    }
    let said = document.map(|document| masks_in(&document, &file.known)).unwrap_or_default();
    file.masks.said.push((file.known.clone(), said.clone()));
    said
}

impl<F> Followed<'_, F> {
    fn learn(&mut self, new: &MaskFunctions) {
        let Some(names) = &self.masks.names else { return };
        let returned: FxHashSet<String> = new.returned.iter().filter(|name| names.has(name)).cloned().collect();
        let parameters: FxHashSet<(String, usize)> =
            new.parameters.iter().filter(|(name, _)| names.has(name)).cloned().collect();
        self.is_stale = !(returned.is_empty() && parameters.is_empty());
        self.known.extend(MaskFunctions { returned, parameters });
    }
}

/// The functions of a file that return lane masks or take them.
fn masks_in(document: &Document, known: &MaskFunctions) -> MaskFunctions {
    MaskUses::of(document, &Functions::of(document), known, false).functions
}
