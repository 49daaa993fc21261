//! The identifiers of a file, gathered by their spelling.

use std::borrow::Cow;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;

use super::token::{TokenIdx, TokenKind};
use super::tokens::Tokens;

/// The identifiers of a file by their spelling, without a copy of it: whoever asks says how a token is spelt.
#[derive(Debug, Default)]
pub(super) struct Spellings {
    /// The numbers of all spellings.
    table: HashTable<u32>,
    known: Vec<Spelling>,
    /// The tokens of one spelling side by side, in the order of the text.
    places: Vec<u32>,
}

/// One spelling.
#[derive(Debug, Clone, Copy)]
struct Spelling {
    /// The first token with it.
    first: u32,
    /// Where its places end; they start where those of the spelling before end.
    end: u32,
}

impl Spellings {
    /// Gathers the identifiers among `tokens`, whose names `name` tells.
    pub(super) fn of<'t>(tokens: &Tokens, name: impl Fn(TokenIdx) -> Cow<'t, str>) -> Spellings {
        let mut found = Spellings::default();
        let mut numbers: Vec<u32> = Vec::new();
        for idx in identifiers(tokens) {
            let number = found.number_of(idx, &name);
            if let Some(spelling) = found.known.get_mut(number as usize) {
                spelling.end += 1;
            }
            numbers.push(number);
        }
        let mut start = 0;
        for spelling in &mut found.known {
            start += std::mem::replace(&mut spelling.end, start);
        }
        found.places = vec![0; numbers.len()];
        for (idx, number) in identifiers(tokens).zip(numbers) {
            let Some(spelling) = found.known.get_mut(number as usize) else { continue };
            if let Some(place) = found.places.get_mut(spelling.end as usize) {
                *place = idx;
            }
            spelling.end += 1;
        }
        found
    }

    /// The tokens that are spelt so, in the order of the text.
    pub(super) fn find<'t>(&self, word: &str, name: impl Fn(TokenIdx) -> Cow<'t, str>) -> &[u32] {
        let is_it = |number: &u32| {
            let spelling = self.known.get(*number as usize);
            spelling.is_some_and(|spelling| name(spelling.first as TokenIdx) == word)
        };
        self.table.find(hash(word), is_it).map_or(&[], |&number| self.places(number as usize))
    }

    /// The tokens of all spellings, each in the order of the text.
    pub(super) fn all(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.known.len()).map(|number| self.places(number))
    }

    /// The number of the spelling of an identifier, which may be new.
    fn number_of<'t>(&mut self, idx: u32, name: &impl Fn(TokenIdx) -> Cow<'t, str>) -> u32 {
        let known = &mut self.known;
        let own = name(idx as TokenIdx);
        let spelt = |number: u32| {
            let spelling = known.get(number as usize);
            spelling.map(|spelling| name(spelling.first as TokenIdx)).unwrap_or_default()
        };
        match self.table.entry(hash(&own), |number| spelt(*number) == own, |number| hash(&spelt(*number))) {
            Entry::Occupied(number) => *number.get(),
            Entry::Vacant(place) => {
                let number = u32::try_from(known.len()).unwrap_or(u32::MAX);
                place.insert(number);
                known.push(Spelling { first: idx, end: 0 });
                number
            }
        }
    }

    fn places(&self, number: usize) -> &[u32] {
        let end = |number: usize| self.known.get(number).map_or(0, |spelling| spelling.end as usize);
        let start = number.checked_sub(1).map_or(0, end);
        self.places.get(start..end(number)).unwrap_or_default()
    }
}

fn hash(word: &str) -> u64 {
    FxBuildHasher.hash_one(word)
}

/// A file has at most 4 GiB, so that its tokens can be counted.
fn identifiers(tokens: &Tokens) -> impl Iterator<Item = u32> {
    (0_u32..).zip(tokens.kinds()).filter(|(_, kind)| *kind == TokenKind::Ident).map(|(idx, _)| idx)
}
