//! CUDA's functions about the lanes of a warp.

use crate::analysis::{Function, MaskFunctions, Role, WAVE_SIZE, gives_mask, role};
use crate::diagnostic::RuleInfo;
use crate::mapping::{HELPER_PREFIX, RocmVersion};
use crate::rules::context::Context;
use crate::rules::meaning::{Meaning, is_ours};
use crate::rules::query::Name;
use crate::settings::{WavePolicy, WaveWidth};
use crate::source::TextSize;
use crate::syntax::{TokenIdx, words_that};

/// Whether a rule is one of this group.
pub(crate) fn is_about_waves(rule: &RuleInfo) -> bool {
    rule.code.starts_with('W')
}

/// The first release in which the `_sync` family needs no macro, `__syncwarp` exists, and `warpSize`
/// is an object of device code and no constant.
pub(super) const REWORKED: RocmVersion = RocmVersion::new(7, 0);

/// Whether a name is CUDA's `warpSize` in device code, and none of the project's own.
pub(super) fn is_wave_size(name: &Name<'_>, cx: &Context<'_>) -> bool {
    let is_declared = || cx.facts.declared.at(name.token).is_some();
    name.text == WAVE_SIZE
        && matches!(name.meaning, Meaning::Same(_))
        && role(cx.document, name.token) == Role::Free
        && !is_declared()
        && cx.facts.functions.around(name.token).is_none_or(Function::runs_on_device)
}

/// What a function about lanes does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LaneFunction {
    /// Hands values from lane to lane.
    Shuffle,
    /// Gives the lanes for which something holds, or whether it holds for any or all.
    Vote,
    /// Gives the lanes with equal values.
    Match,
    /// Combines the values of lanes.
    Reduce,
    /// Waits for lanes.
    Barrier,
}

impl LaneFunction {
    /// The function of a name.
    pub(super) fn of(name: &Name<'_>) -> Option<LaneFunction> {
        let is_cudas = matches!(name.meaning, Meaning::Same(_) | Meaning::OtherRelease(_));
        if is_cudas { LaneFunction::named(&name.text) } else { None }
    }

    /// The function that CUDA calls so.
    pub(super) fn named(name: &str) -> Option<LaneFunction> {
        Some(match name.strip_prefix("__")?.strip_suffix("_sync").unwrap_or(&name[2..]) {
            "shfl" | "shfl_up" | "shfl_down" | "shfl_xor" => LaneFunction::Shuffle,
            "ballot" | "any" | "all" | "activemask" => LaneFunction::Vote,
            "match_any" | "match_all" => LaneFunction::Match,
            "reduce_add" | "reduce_min" | "reduce_max" | "reduce_and" | "reduce_or" | "reduce_xor" => {
                LaneFunction::Reduce
            }
            "syncwarp" => LaneFunction::Barrier,
            _ => return None,
        })
    }
}

/// Whether the first argument of the function is a lane mask; that of `__syncwarp` may be left out.
pub(super) fn takes_mask(name: &str) -> bool {
    name.ends_with("_sync") || name == "__syncwarp"
}

/// Whether ROCm 6.2 to 6.4 declare the function only where `HIP_ENABLE_WARP_SYNC_BUILTINS` is defined.
pub(super) fn is_behind_switch(name: &str) -> bool {
    use LaneFunction::{Match, Shuffle, Vote};
    let is_known = matches!(LaneFunction::named(name), Some(Shuffle | Vote | Match));
    is_known && (takes_mask(name) || name == "__activemask")
}

/// Whether the code at a place is CUDA of which warps of 32 lanes are to be made. Sources written for HIP
/// know what a wave is, so they are left alone unless the user asks for it.
pub(super) fn keeps_32_lanes(at: TextSize, cx: &Context<'_>) -> bool {
    let asked = !cx.facts.is_hip || cx.settings.wave_policy == WavePolicy::Logical32;
    asked && cx.wave_width_at(at) == WaveWidth::Logical32
}

/// Whether whole waves are to be made of a CUDA file wherever nothing stands in the way.
pub(super) fn asks_for_whole_waves(cx: &Context<'_>) -> bool {
    !cx.facts.is_hip && cx.settings.wave_policy == WavePolicy::Native
}

/// Whether the code at a place is CUDA of which whole waves are to be made.
pub(super) fn makes_whole_waves(at: TextSize, cx: &Context<'_>) -> bool {
    !cx.facts.is_hip && cx.wave_width_at(at) == WaveWidth::Native
}

/// Whether the lane masks of the code at a place have to have 64 bits.
pub(super) fn has_wide_masks(at: TextSize, cx: &Context<'_>) -> bool {
    cx.facts.is_hip || makes_whole_waves(at, cx)
}

/// Whether some code of a file may have lane masks of 64 bits.
pub(super) fn may_have_wide_masks(cx: &Context<'_>) -> bool {
    cx.facts.is_hip && !keeps_warps_by_definitions(cx) || asks_for_whole_waves(cx)
}

/// Whether an earlier conversion made all masks of a file ones of 32 lanes: its definitions give them, and nothing else gives or takes one.
fn keeps_warps_by_definitions(cx: &Context<'_>) -> bool {
    let document = cx.document;
    let of_ours = |name: &str| name.strip_prefix(HELPER_PREFIX).is_some_and(|rest| gives_mask(&format!("__{rest}")));
    let is_ours = |idx: TokenIdx| is_ours(idx, cx);
    if !words_that(document, of_ours).iter().any(|&idx| !is_ours(idx))
        || cx.project.mask_functions != MaskFunctions::default()
    {
        return false;
    }
    let is_barrier = |idx: TokenIdx| document.is(idx + 1, b'(') && document.is(idx + 2, b')');
    let others = words_that(document, |name| gives_mask(name) || takes_mask(name) || name == "__lane_id");
    let is_wide = |idx: TokenIdx| {
        let kind = idx.checked_sub(1).map_or("", |kind| document.token_text(kind));
        matches!(kind, "long" | "uint64_t" | "int64_t" | "size_t")
    };
    others.into_iter().all(|idx| is_ours(idx) || is_barrier(idx))
        && !words_that(document, |name| name.to_ascii_lowercase().contains("mask")).into_iter().any(is_wide)
}
