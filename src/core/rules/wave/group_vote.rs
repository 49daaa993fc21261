//! Votes and matches of cooperative groups.

use super::group_function::member_calls;
use super::lane_function::REWORKED;
use super::sync_builtins_off::SWITCH;
use crate::rules::context::Context;
use crate::syntax::TokenIdx;

/// The votes.
pub(super) const VOTES: &[&str] = &["all", "any", "ballot", "match_all", "match_any"];

/// The votes and matches of groups in the file, where the release hides or lacks them.
pub(super) fn hidden_votes(cx: &Context<'_>) -> Vec<TokenIdx> {
    let is_concerned = cx.settings.rocm < REWORKED && cx.facts.declared.get(SWITCH).is_none();
    if is_concerned { group_votes(cx) } else { Vec::new() }
}

/// The votes and matches of groups in the file, in the order of the text.
pub(super) fn group_votes(cx: &Context<'_>) -> Vec<TokenIdx> {
    member_calls(VOTES, cx)
}
