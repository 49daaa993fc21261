//! What files say about names, followed from file to file until nothing new is said.
//!
//! What a file says depends on what is known of the names that it uses. So a file is looked at again only when something new is
//! known of one of these, and a chain of functions over many files takes as many looks as it has files.

use std::hash::{Hash as _, Hasher as _};

use aho_corasick::AhoCorasick;
use rayon::prelude::*;
use rustc_hash::FxHasher;

use crate::syntax::{Document, spellings};

/// What is said about names.
pub(super) trait Said: Clone + Default + PartialEq + Send + Sync {
    /// What `known` does not have.
    fn beyond(self, known: &Self) -> Self;
    /// What there is about some names.
    fn about(&self, is_meant: impl Fn(&str) -> bool) -> Self;
    /// Adds more.
    fn add(&mut self, more: Self);
    /// The names that something is said about.
    fn names(&self) -> impl Iterator<Item = &str>;
}

/// What is known of a file, for as long as it does not change.
#[derive(Debug, Default)]
pub(super) struct FileSaid<S> {
    /// The names in it; nothing before the first look.
    names: Option<Names>,
    /// What it said, by what was known of its names.
    said: Vec<(S, S)>,
}

/// Hashes of names, sorted.
#[derive(Debug)]
struct Names(Box<[u32]>);

impl Names {
    fn of(document: &Document) -> Names {
        let mut hashes: Vec<u32> = spellings(document).map(hash_of).collect();
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

/// A file that is asked.
pub(super) struct Asked<'f, F, S> {
    pub(super) file: F,
    pub(super) said: &'f mut FileSaid<S>,
    /// Whether it may say something before anything is known.
    pub(super) begins: bool,
}

/// A file while what is said is followed.
struct Followed<'f, F, S> {
    asked: Asked<'f, F, S>,
    /// What is known of its names.
    known: S,
    is_stale: bool,
}

/// How files are read.
pub(super) struct Reading<R, M> {
    /// Gives the document of a file.
    pub(super) read: R,
    /// Whether a file that was not read may have one of some names.
    pub(super) may_have: M,
}

/// Asks files until none says anything new; `say` is what one says with what is known.
pub(super) fn follow<'f, F: Sync + Send, S: Said + 'f>(
    files: impl Iterator<Item = Asked<'f, F, S>>,
    reading: &Reading<impl Fn(&F) -> Option<Document> + Sync, impl Fn(&F, &AhoCorasick) -> bool + Sync>,
    say: impl Fn(&Document, &S) -> S + Sync,
) -> S {
    let followed = |asked: Asked<'f, F, S>| Followed { is_stale: asked.begins, asked, known: S::default() };
    let mut files: Vec<Followed<'_, F, S>> = files.map(followed).collect();
    let mut all = S::default();
    loop {
        let stale = files.par_iter_mut().filter(|file| file.is_stale);
        let said: Vec<S> = stale.map(|file| file.say(&reading.read, &say)).collect();
        let mut new = S::default();
        for said in said {
            new.add(said.beyond(&all));
        }
        if new == S::default() {
            return all;
        }
        let searcher = AhoCorasick::new(new.names()).ok();
        files.par_iter_mut().for_each(|file| file.learn((&new, searcher.as_ref()), reading));
        all.add(new);
    }
}

impl<F, S: Said> Followed<'_, F, S> {
    fn say(&mut self, read: &impl Fn(&F) -> Option<Document>, say: &impl Fn(&Document, &S) -> S) -> S {
        let before = &mut *self.asked.said;
        if let Some((_, said)) = before.said.iter().find(|(known, _)| *known == self.known) {
            return said.clone();
        }
        let document = read(&self.asked.file);
        if before.names.is_none() {
            before.names = Some(document.as_ref().map_or_else(|| Names(Box::default()), Names::of));
        }
        let said = document.map(|document| say(&document, &self.known)).unwrap_or_default();
        before.said.push((self.known.clone(), said.clone()));
        said
    }

    fn learn(
        &mut self,
        (new, searcher): (&S, Option<&AhoCorasick>),
        Reading { read, may_have }: &Reading<impl Fn(&F) -> Option<Document>, impl Fn(&F, &AhoCorasick) -> bool>,
    ) {
        let is_unread = self.asked.said.names.is_none();
        if is_unread && searcher.is_some_and(|searcher| !may_have(&self.asked.file, searcher)) {
            self.is_stale = false;
            return;
        }
        let names =
            self.asked.said.names.get_or_insert_with(|| {
                read(&self.asked.file).as_ref().map_or_else(|| Names(Box::default()), Names::of)
            });
        let own = new.about(|name| names.has(name));
        self.is_stale = own != S::default();
        self.known.add(own);
    }
}
