//! Calls for which the lanes of a mask come together: of CUDA's functions, of members of groups, and of the functions, macros,
//! lambdas and objects of the project that make such calls.

use super::called_needs::CalledNeeds;
use super::lane_function::{LaneFunction, takes_mask};
use super::own_meetings::{MeetingCall, own_meetings};
use crate::analysis::{Function, LaneNeeds};
use crate::rules::context::Context;

/// All such calls of a file, in the order of the text.
pub(super) fn meeting_calls<'d>(cx: &Context<'d>) -> Vec<MeetingCall<'d>> {
    if !cx.facts.functions.iter().any(Function::runs_on_device) {
        return Vec::new();
    }
    let mut all = own_meetings(cx);
    let passed = CalledNeeds::of(cx, &all).calls();
    all.extend(passed);
    all.sort_by_key(|call| call.name);
    all
}

/// What a file needs lanes for where others call it, as far as `cx` has the names of the functions about lanes.
pub(crate) fn lane_needs(cx: &Context<'_>) -> LaneNeeds {
    CalledNeeds::of(cx, &own_meetings(cx)).shared()
}

/// Whether a name is that of a function with a lane mask.
pub(crate) fn is_meeting_function(name: &str) -> bool {
    takes_mask(name) && LaneFunction::named(name).is_some()
}
