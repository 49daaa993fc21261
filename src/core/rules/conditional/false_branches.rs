//! Branches whose condition is false on AMD GPUs.

use super::judgement::Truth;
use super::macros::Reading;
use crate::analysis::Expression;
use crate::rules::context::Context;
use crate::source::Spans;
use crate::syntax::TokenIdx;

/// Whether a condition around is false on AMD GPUs; it has a finding of its own.
pub(in crate::rules) fn is_within_false_at(place: TokenIdx, cx: &Context<'_>) -> bool {
    cx.branches.left_out.get_or_init(|| false_branches(cx)).contains(place)
}

/// The branches whose condition is false on AMD GPUs, whichever way the text is read.
fn false_branches(cx: &Context<'_>) -> Spans<TokenIdx> {
    let readings = [Reading::Renamed, Reading::RenamedWithArch];
    let is_false = |condition: &Expression| {
        readings.into_iter().all(|reading| Truth::of(condition, reading, cx).constant() == Some(false))
    };
    let branches = cx.facts.conditions.chains().iter().flat_map(|chain| &chain.branches);
    let left_out = branches.filter(|branch| branch.condition.as_ref().is_some_and(is_false));
    left_out.map(|branch| branch.body.clone()).collect()
}
