//! Texts that stand in many places and are kept once.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// The number of a text in [`Texts`].
pub type TextId = u32;

/// Texts, each of them once.
#[derive(Debug, Clone, Default)]
pub struct Texts {
    numbers: FxHashMap<Arc<str>, TextId>,
    texts: Vec<Arc<str>>,
}

impl Texts {
    /// The number of `text`, the same for equal texts.
    pub fn number(&mut self, text: &str) -> TextId {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = TextId::try_from(self.texts.len()).unwrap_or(TextId::MAX);
        let text: Arc<str> = text.into();
        self.numbers.insert(Arc::clone(&text), number);
        self.texts.push(text);
        number
    }

    /// The text of a number that [`Texts::number`] gave.
    pub fn get(&self, number: TextId) -> &str {
        self.texts.get(number as usize).map_or("", |text| text)
    }
}
