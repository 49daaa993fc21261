//! Calls for which the lanes of a mask come together: of CUDA's functions, and of members of groups.

use std::ops::Range;
use std::rc::Rc;

use super::lane_function::{LaneFunction, takes_mask};
use crate::rules::api::visible_call;
use crate::rules::context::Context;
use crate::rules::groups::{has_groups, is_group, start_of_receiver};
use crate::syntax::{Document, TokenIdx, words};

/// Members of groups that all lanes of the group come to.
const OF_GROUPS: &[&str] =
    &["all", "any", "ballot", "match_all", "match_any", "shfl", "shfl_down", "shfl_up", "shfl_xor", "sync"];

/// Functions that all lanes of the group come to that is their first argument.
const OVER_GROUPS: &[&str] = &["reduce", "inclusive_scan", "exclusive_scan"];

/// The mask of all lanes, as which a barrier without a mask counts.
const ALL_LANES: u64 = u64::MAX;

const ALL_OF_32: i64 = 0xffff_ffff;

/// A call for which lanes come together.
#[derive(Debug, Clone)]
pub(super) struct MeetingCall<'d> {
    /// What is called.
    pub(super) name: TokenIdx,
    /// The function about lanes that is reached.
    pub(super) function: &'d str,
    /// Whose lanes.
    pub(super) lanes: Lanes<'d>,
    /// The tokens that say so; nothing where a function of the file does.
    pub(super) mask: Range<TokenIdx>,
}

/// Which lanes come together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Lanes<'d> {
    /// Those of a mask that is known.
    Mask(u64),
    /// Those of a mask or group that is written so.
    Named(&'d str),
}

/// All such calls of a file, in the order of the text.
pub(super) fn own_meetings<'d>(cx: &Context<'d>) -> Vec<MeetingCall<'d>> {
    let mut all = own_calls(cx);
    all.extend(calls_of_groups(cx));
    all.sort_by_key(|call| call.name);
    all
}

/// Calls of CUDA's functions with masks.
fn own_calls<'d>(cx: &Context<'d>) -> Vec<MeetingCall<'d>> {
    let document = cx.document;
    let names = Rc::clone(&cx.names);
    let calls = names.iter().filter(|name| takes_mask(&name.text)).filter_map(|name| {
        let function = LaneFunction::of(&name)?;
        let (token, text) = (name.token, document.token_text(name.token));
        let call = visible_call(document, token)?;
        let Some(&mask) = call.arguments.first() else {
            // A barrier without arguments is for all.
            let all = MeetingCall { name: token, function: text, lanes: Lanes::Mask(ALL_LANES), mask: token..token };
            return (function == LaneFunction::Barrier).then_some(all);
        };
        let mask = document.tokens_in(mask);
        Some(MeetingCall { name: token, function: text, lanes: lanes_of(cx, mask.clone()), mask })
    });
    calls.collect()
}

/// `tile.shfl(x, 0)`
fn calls_of_groups<'d>(cx: &Context<'d>) -> Vec<MeetingCall<'d>> {
    let document: &'d Document = cx.document;
    let members = if has_groups(cx) { OF_GROUPS } else { &[] };
    let calls = members.iter().flat_map(|member| words(document, member)).filter_map(|name| {
        let is_member = |before: TokenIdx| matches!(document.token_text(before), "." | "->");
        let is_call = document.is(name + 1, b'(') && name.checked_sub(1).is_some_and(is_member);
        let group = start_of_receiver(document, name.checked_sub(2)?).filter(|_| is_call)?;
        let mask = group..name - 1;
        is_group(document, group, name, cx).then(|| MeetingCall {
            name,
            function: document.token_text(name),
            lanes: Lanes::Named(document.slice(document.range_of(mask.clone()))),
            mask,
        })
    });
    let functions = if has_groups(cx) { OVER_GROUPS } else { &[] };
    let over = functions.iter().flat_map(|function| words(document, function)).filter_map(|name| {
        let &group = visible_call(document, name)?.arguments.first()?;
        let mask = document.tokens_in(group);
        let is_tile = mask.len() == 1 && is_group(document, mask.start, name, cx);
        is_tile.then(|| MeetingCall {
            name,
            function: document.token_text(name),
            lanes: Lanes::Named(document.slice(group)),
            mask,
        })
    });
    calls.chain(over).collect()
}

/// The lanes that a mask names.
pub(super) fn lanes_of<'d>(cx: &Context<'d>, mask: Range<TokenIdx>) -> Lanes<'d> {
    let document: &'d Document = cx.document;
    match cx.thread_numbers().constant(mask.clone()) {
        // One of CUDA's has 32 bits, however it is spelt: `-1`, `~0u`. Those of HIP that name 32 lanes of CUDA's whole warps name all.
        Some(value) if cx.facts.is_hip && value != ALL_OF_32 => Lanes::Mask(value.cast_unsigned()),
        Some(value) if value & ALL_OF_32 == ALL_OF_32 => Lanes::Mask(ALL_LANES),
        Some(value) => Lanes::Mask((value & ALL_OF_32).cast_unsigned()),
        None => Lanes::Named(document.slice(document.range_of(mask))),
    }
}
