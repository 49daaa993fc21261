//! Votes and matches of cooperative groups as functions, for releases whose groups lack them.

use super::lane_function::REWORKED;
use super::sync_builtins_off::SWITCH;
use crate::analysis::{Function, Role, role};
use crate::mapping::{Intrinsic, Intrinsics};
use crate::rules::context::Context;
use crate::rules::groups::{has_groups, is_group, start_of_receiver};
use crate::source::Edit;
use crate::syntax::{Call, Document, TokenIdx, TokenKind, words};

const VOTES: &[&str] = &["all", "any", "ballot", "match_all", "match_any"];

/// A vote of a group, written as a function of it.
pub(super) struct VoteFunction {
    pub(super) intrinsic: &'static Intrinsic,
    pub(super) edits: Vec<Edit>,
    /// Whether the function declares a group of that name.
    pub(super) is_of_group: bool,
}

/// The votes and matches of groups in the file, where the release hides or lacks them.
pub(super) fn hidden_votes(cx: &Context<'_>) -> Vec<TokenIdx> {
    let is_concerned = cx.settings.rocm < REWORKED && cx.facts.declared.get(SWITCH).is_none();
    if is_concerned { group_votes(cx) } else { Vec::new() }
}

/// The votes and matches of groups in the file, in the order of the text.
pub(super) fn group_votes(cx: &Context<'_>) -> Vec<TokenIdx> {
    let document: &Document = cx.document;
    let names = if has_groups(cx) { VOTES } else { &[] };
    let mut votes: Vec<_> =
        names.iter().flat_map(|vote| words(document, vote)).filter(|&idx| is_vote(idx, cx)).collect();
    votes.sort_unstable();
    votes
}

/// `hipshift_group_any(tile, x)` for `tile.any(x)`; `None` where the group is no plain name, member, call or element.
pub(super) fn as_function(vote: TokenIdx, cx: &Context<'_>) -> Option<VoteFunction> {
    let document = cx.document;
    let call = Call::at(document, vote).filter(|call| call.open == vote + 1)?;
    let sign = vote.checked_sub(1)?;
    let group = start_of_receiver(document, sign.checked_sub(1)?)?;
    if document.token_text(group) == "this" {
        return None;
    }
    let intrinsic = Intrinsics::builtin().ok()?.get(&format!("group_{}", document.token_text(vote)))?;
    let dereference = if document.kind(sign) == Some(TokenKind::Arrow) { "*" } else { "" };
    let head = format!("{}({dereference}", intrinsic.helper());
    let edits = vec![
        Edit::insert(document.range_of(group..group + 1).start(), head),
        Edit::replace(document.range_of(sign..call.open + 1), ", "),
    ];
    Some(VoteFunction { intrinsic, edits, is_of_group: is_group(document, group, vote, cx) })
}

/// `tile.any(x`, in device code.
fn is_vote(idx: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    document.is(idx + 1, b'(')
        && !document.is(idx + 2, b')')
        && role(document, idx) == Role::Member
        && cx.facts.functions.around(idx).is_some_and(Function::runs_on_device)
}
