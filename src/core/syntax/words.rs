//! Where a word stands in the code.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;

use super::document::Document;
use super::token::{TokenIdx, TokenKind};

/// The identifiers spelt `word`, in the order of the text. The identifiers of a file are gathered by their spelling on the first
/// call; no call looks at any other token.
pub fn words<'d>(document: &'d Document, word: &str) -> impl DoubleEndedIterator<Item = TokenIdx> + use<'d> {
    places(document, word).iter().map(|&place| place as TokenIdx)
}

/// The identifiers spelt `word` among `tokens`, in the order of the text.
pub fn words_in<'d>(
    document: &'d Document,
    word: &str,
    tokens: Range<TokenIdx>,
) -> impl DoubleEndedIterator<Item = TokenIdx> + use<'d> {
    let places = places(document, word);
    let start = places.partition_point(|&place| (place as TokenIdx) < tokens.start);
    let len = places[start..].partition_point(|&place| (place as TokenIdx) < tokens.end);
    places[start..start + len].iter().map(|&place| place as TokenIdx)
}

/// The identifiers spelt like one of `wanted`, in the order of the text.
pub fn words_among(document: &Document, wanted: &[&str]) -> Vec<TokenIdx> {
    let mut found: Vec<TokenIdx> = wanted.iter().flat_map(|word| words(document, word)).collect();
    found.sort_unstable();
    found
}

/// The identifiers whose spelling is as wanted, in the order of the text; `is_wanted` is asked once for each spelling.
pub fn words_that(document: &Document, is_wanted: impl Fn(&str) -> bool) -> Vec<TokenIdx> {
    let is_wanted = |places: &&[u32]| places.first().is_some_and(|&first| is_wanted(&document.name(first as TokenIdx)));
    let places = document.words().all().filter(is_wanted).flatten();
    let mut found: Vec<TokenIdx> = places.map(|&place| place as TokenIdx).collect();
    found.sort_unstable();
    found
}

/// The spellings of the identifiers, each once, in no order.
pub fn spellings(document: &Document) -> impl Iterator<Item = &str> {
    document.words().spellings.iter().map(|spelling| document.token_text(spelling.first as TokenIdx))
}

fn places<'d>(document: &'d Document, word: &str) -> &'d [u32] {
    let words = document.words();
    let first =
        |number: u32| words.spellings.get(number as usize).map_or(TokenIdx::MAX, |spelling| spelling.first as TokenIdx);
    let known = words.table.find(hash(word), |&number| document.name(first(number)) == word);
    known.map_or(&[], |&number| words.places(number as usize))
}

fn hash(word: &str) -> u64 {
    FxBuildHasher.hash_one(word)
}

/// The identifiers of a file by their spelling, without a copy of it.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// The numbers of all spellings.
    table: HashTable<u32>,
    spellings: Vec<Spelling>,
    /// Those of one spelling side by side, in the order of the text.
    places: Vec<u32>,
}

/// One spelling.
#[derive(Debug, Clone, Copy)]
struct Spelling {
    /// The first identifier with it.
    first: u32,
    /// Where its places end; they start where those of the spelling before end.
    end: u32,
}

impl Words {
    pub(super) fn of(document: &Document) -> Words {
        let mut words = Words::default();
        let mut numbers: Vec<u32> = Vec::new();
        for idx in identifiers(document) {
            let number = words.number_of(document, idx);
            if let Some(spelling) = words.spellings.get_mut(number as usize) {
                spelling.end += 1;
            }
            numbers.push(number);
        }
        let mut start = 0;
        for spelling in &mut words.spellings {
            start += std::mem::replace(&mut spelling.end, start);
        }
        words.places = vec![0; numbers.len()];
        for (idx, number) in identifiers(document).zip(numbers) {
            let Some(spelling) = words.spellings.get_mut(number as usize) else { continue };
            if let Some(place) = words.places.get_mut(spelling.end as usize) {
                *place = idx;
            }
            spelling.end += 1;
        }
        words
    }

    /// The number of the spelling of an identifier, which may be new.
    fn number_of(&mut self, document: &Document, idx: u32) -> u32 {
        let spellings = &mut self.spellings;
        let name = document.name(idx as TokenIdx);
        let spelt = |number: u32| {
            let spelling = spellings.get(number as usize);
            spelling.map(|spelling| document.name(spelling.first as TokenIdx)).unwrap_or_default()
        };
        let known = self.table.entry(hash(&name), |number| spelt(*number) == name, |number| hash(&spelt(*number)));
        match known {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                let number = u32::try_from(spellings.len()).unwrap_or(u32::MAX);
                place.insert(number);
                spellings.push(Spelling { first: idx, end: 0 });
                number
            }
        }
    }

    /// The places of all spellings, each in the order of the text.
    fn all(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.spellings.len()).map(|number| self.places(number))
    }

    fn places(&self, number: usize) -> &[u32] {
        let end = |number: usize| self.spellings.get(number).map_or(0, |spelling| spelling.end as usize);
        let start = number.checked_sub(1).map_or(0, end);
        self.places.get(start..end(number)).unwrap_or_default()
    }
}

/// A file has at most 4 GiB, so that its tokens can be counted.
fn identifiers(document: &Document) -> impl Iterator<Item = u32> {
    let kinds = (0_u32..).zip(document.tokens().kinds());
    kinds.filter(|(_, kind)| *kind == TokenKind::Ident).map(|(idx, _)| idx)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[test]
    fn parts_of_words_comments_and_strings_are_no_words() {
        let text = "int lock; // lock\nchar* s = \"lock\"; int locked, unlock; f(lock);";
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let found: Vec<u32> = words(&document, "lock").map(|idx| document.token(idx).unwrap().start).collect();
        let expected = [text.find("lock;").unwrap(), text.rfind("lock)").unwrap()];
        assert_eq!(found, expected.map(|at| u32::try_from(at).unwrap()));
    }

    #[test]
    fn words_of_a_part_only() {
        let document = Document::new(SourceFile::from_text("a.cu", "lock = lock + lock;"));
        assert_eq!(words_in(&document, "lock", 1..4).collect::<Vec<_>>(), [2]);
        assert_eq!(words_in(&document, "lock", 1..2).count(), 0);
        assert_eq!(words_in(&document, "lock", 5..9).count(), 0);
    }

    #[test]
    fn several_words_come_in_the_order_of_the_text() {
        let document = Document::new(SourceFile::from_text("a.cu", "b = a + c + b + a;"));
        assert_eq!(words_among(&document, &["a", "b", "d"]), [0, 2, 6, 8]);
        assert_eq!(words_that(&document, |word| word != "a"), [0, 4, 6]);
    }

    #[test]
    fn each_identifier_is_found_by_its_spelling() {
        let text = (0..5000).map(|number| format!("w{} ", number * 7919 % 613)).collect::<String>();
        let document = Document::new(SourceFile::from_text("a.cu", text));
        for number in 0..613 {
            let word = format!("w{number}");
            let scanned: Vec<TokenIdx> = (0..5000).filter(|&idx| document.token_text(idx) == word).collect();
            assert_eq!(words(&document, &word).collect::<Vec<_>>(), scanned);
        }
    }
}
