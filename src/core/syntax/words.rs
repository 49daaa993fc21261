//! Where a word stands in the code.

use std::ops::Range;

use super::document::Document;
use super::token::TokenIdx;

/// The identifiers spelt `word`, in the order of the text. The identifiers of a file are gathered by their spelling on the first
/// call; no call looks at any other token.
pub fn words<'d>(document: &'d Document, word: &str) -> impl DoubleEndedIterator<Item = TokenIdx> + use<'d> {
    document.places(word).iter().map(|&place| place as TokenIdx)
}

/// The identifiers spelt `word` among `tokens`, in the order of the text.
pub fn words_in<'d>(
    document: &'d Document,
    word: &str,
    tokens: Range<TokenIdx>,
) -> impl DoubleEndedIterator<Item = TokenIdx> + use<'d> {
    let places = document.places(word);
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
    document.words().all().filter_map(|places| Some(document.token_text(*places.first()? as TokenIdx)))
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
        let all: Vec<String> = (0..5000).map(|number| format!("w{}", number * 7919 % 613)).collect();
        let text = all.join(" ");
        let document = Document::new(SourceFile::from_text("a.cu", &*text));
        for number in 0..613 {
            let word = format!("w{number}");
            let scanned: Vec<TokenIdx> = (0..5000).filter(|&idx| document.token_text(idx) == word).collect();
            assert_eq!(words(&document, &word).collect::<Vec<_>>(), scanned);
        }
    }
}
