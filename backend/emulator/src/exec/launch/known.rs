//! What was found out about instructions of a kernel while it runs, so that it is found out once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// A question: a step, and a register that the step writes with whether only a part of it counts, where the question is about that.
pub(crate) type Question = (usize, Option<(u16, bool)>);

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
        assert!(known.ask((3, None), || true) && known.ask((3, None), || false));
        assert!(!known.ask((3, Some((256, false))), || false) && !known.ask((4, None), || false));
    }
}
