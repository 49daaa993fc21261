//! Widths of shuffles that no wave has.

use super::lane_function::{LaneFunction, takes_mask};
use crate::diagnostic::RuleInfo;
use crate::rules::api::visible_call;
use crate::rules::context::Context;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds shuffles whose width is a number that is no power of two, or larger than the waves of
    /// the targets.
    ///
    /// ## Why is this bad?
    /// The width splits a wave into groups of equal size; the result of any other width is not
    /// defined. 64 lanes fit CDNA GPUs only.
    ///
    /// ## Example
    /// ```cuda
    /// __device__ float f(float x) { return __shfl_xor_sync(0xffffffff, x, 1, 24); }
    /// ```
    ///
    /// ## What to do
    /// Use 2, 4, 8, 16 or 32, or 64 where all targets have such waves.
    BadShuffleWidth { code: "W015", name: "bad-shuffle-width", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for BadShuffleWidth {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        if LaneFunction::of(&name) != Some(LaneFunction::Shuffle) {
            return;
        }
        let Some(call) = visible_call(cx.document, name.token) else { return };
        let Some(&argument) = call.arguments.get(2 + usize::from(takes_mask(&name.text))) else { return };
        let Ok(width) = cx.document.slice(argument).parse::<u32>() else { return };
        let smallest = cx.settings.targets.iter().map(|target| target.wave_size).min().unwrap_or(32);
        if !width.is_power_of_two() {
            cx.report(argument, format!("the width of a shuffle is a power of two, not {width}"));
        } else if width > smallest {
            cx.report(argument, format!("{width} lanes are more than a wave has on some targets"));
        }
    }
}
