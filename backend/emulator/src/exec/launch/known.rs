//! What was found out about instructions of a kernel while it runs, so that it is found out once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// A question about a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Question {
    /// Whether its load waits for others.
    Polls(usize),
    /// Whether the value of its load is a guess.
    Guesses(usize),
    /// Whether a register that it writes is used, or only a part of it.
    Uses(usize, u16, bool),
}

/// Answers to questions about steps.
#[derive(Debug, Default)]
pub(crate) struct Known(Mutex<HashMap<Question, bool>>);

impl Known {
    /// The answer to a question, which is looked for once.
    pub(crate) fn ask(&self, question: Question, find: impl FnOnce() -> bool) -> bool {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(question).or_insert_with(find)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_not_looked_for() {
        let known = Known::default();
        assert!(known.ask(Question::Polls(3), || true) && known.ask(Question::Polls(3), || false));
        assert!(!known.ask(Question::Uses(3, 256, false), || false) && !known.ask(Question::Guesses(3), || false));
    }
}
