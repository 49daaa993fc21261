//! The limits of threads around the places of a file that rules look at one after the other.

use crate::analysis::{Function, ThreadLimit, ThreadLimits};
use crate::rules::context::Context;
use crate::syntax::TokenIdx;

/// The limits of the function that was looked at last.
#[derive(Default)]
pub(super) struct Reached {
    known: Option<(TokenIdx, ThreadLimits)>,
}

impl Reached {
    /// The limit around a token of `function`; tokens are asked for in the order of the text.
    pub(super) fn limit(&mut self, token: TokenIdx, function: &Function, cx: &Context<'_>) -> Option<&ThreadLimit> {
        let start = function.body.start;
        if self.known.as_ref().is_none_or(|(known, _)| *known != start) {
            let blocks = cx.facts.blocks(cx.document);
            self.known = Some((start, ThreadLimits::of(cx.document, blocks, cx.thread_numbers(), function)));
        }
        self.known.as_mut().and_then(|(_, limits)| limits.at(token))
    }
}
