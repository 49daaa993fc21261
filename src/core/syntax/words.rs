//! Where a word stands in the code.

use std::ops::Range;

use super::document::Document;
use super::token::{TokenIdx, TokenKind};
use crate::source::TextSize;

/// The identifiers spelt `word`, in the order of the text. A file that does not have the word is
/// searched once and its tokens are not looked at.
pub fn words<'d>(document: &'d Document, word: &'d str) -> impl Iterator<Item = TokenIdx> + 'd {
    words_in(document, word, 0..document.tokens().len())
}

/// The identifiers spelt `word` among `tokens`, in the order of the text.
pub fn words_in<'d>(
    document: &'d Document,
    word: &'d str,
    tokens: Range<TokenIdx>,
) -> impl Iterator<Item = TokenIdx> + 'd {
    let part = document.range_of(tokens);
    memchr::memmem::find_iter(document.slice(part).as_bytes(), word).filter_map(move |at| {
        let start = part.start() + TextSize::try_from(at).ok()?;
        let idx = document.token_at(start);
        let token = document.token(idx)?;
        let is_word = token.start == u32::from(start) && token.kind == TokenKind::Ident;
        (is_word && document.token_text(idx) == word).then_some(idx)
    })
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
    }
}
