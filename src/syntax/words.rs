//! Where a word stands in the code.

use super::document::Document;
use super::token::{TokenIdx, TokenKind};
use crate::source::TextSize;

/// The identifiers spelt `word`, in the order of the text. A file that does not have the word is
/// searched once and its tokens are not looked at.
pub fn words<'d>(document: &'d Document, word: &'d str) -> impl Iterator<Item = TokenIdx> + 'd {
    memchr::memmem::find_iter(document.text().as_bytes(), word).filter_map(move |at| {
        let idx = document.token_at(TextSize::try_from(at).ok()?);
        let token = document.token(idx)?;
        let is_word = token.start as usize == at && token.kind == TokenKind::Ident;
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
}
