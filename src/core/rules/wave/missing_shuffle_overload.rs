//! Shuffles of bfloat16 numbers whose type the text does not show.

use super::lane_function::{LaneFunction, keeps_32_lanes, takes_mask};
use crate::analysis::is_number_type;
use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::{Intrinsic, Intrinsics, RocmVersion};
use crate::rules::context::Context;
use crate::rules::definitions::definitions;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::Call;

declare_rule! {
    /// ## What it does
    /// Finds `__shfl_sync` and the like, in projects whose warps keep 32 lanes, with a value whose type the text does not show, as in
    /// templates, in files that name a type of bfloat16 numbers for which HIP has no such shuffle.
    ///
    /// ## Why is this bad?
    /// CUDA shuffles `__nv_bfloat16` and `__nv_bfloat162`. HIP's shuffles without a mask take `__hip_bfloat16` from ROCm 7.0 on,
    /// and `__hip_bfloat162` in no release up to 7.2 (`amd_hip_bf16.h`): such a call does not compile.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_bf16.h>
    /// template <class T> __device__ T next(T value) { return __shfl_down_sync(0xffffffff, value, 1); }
    /// __device__ __nv_bfloat162 next_pair(__nv_bfloat162 pair) { return next(pair); }
    /// ```
    ///
    /// ## What to do
    /// The fix defines overloads for these types behind the includes; the call stays.
    ///
    /// ## Fix safety
    /// Safe: the overloads are for these types alone, and those of the program and of later releases come before them.
    MissingShuffleOverload { code: "W042", name: "missing-shuffle-overload", severity: Hint, fix: Always, since: "0.2.0" }
}

/// The first release whose shuffles take single numbers.
const TAKES_ONE: RocmVersion = RocmVersion::new(7, 0);

/// The key of the definition.
const OVERLOADS: &str = "shuffle_bf16_overload";

impl Rule for MissingShuffleOverload {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        if shuffle_overload(&name, cx).is_none() {
            return;
        }
        let edits = definitions(name.range.start(), cx).into_iter().collect();
        let message = format!("HIP has no `{}` for pairs of bfloat16 numbers, which this may be", name.text);
        cx.report(name.range, message).fix(Fix::safe("define overloads for them", edits));
    }
}

/// The overloads, if a shuffle may need them.
pub(in crate::rules) fn shuffle_overload(name: &Name<'_>, cx: &Context<'_>) -> Option<&'static Intrinsic> {
    let is_shuffle = LaneFunction::of(name) == Some(LaneFunction::Shuffle) && keeps_32_lanes(name.range.start(), cx);
    let lacking: &[&str] = if cx.settings.rocm < TAKES_ONE {
        &["__nv_bfloat162", "nv_bfloat162", "__nv_bfloat16", "nv_bfloat16"]
    } else {
        &["__nv_bfloat162", "nv_bfloat162"]
    };
    let is_enabled = || cx.settings.rules.is_enabled(&MissingShuffleOverload::RULE_INFO);
    if !is_shuffle || !is_enabled() || !lacking.iter().any(|word| cx.has_word(word)) {
        return None;
    }
    let function = cx.facts.functions.around(name.token)?;
    let value = *Call::at(cx.document, name.token)?.arguments.get(usize::from(takes_mask(&name.text)))?;
    let kind = cx.variable_types().of_argument(function, cx.document.tokens_in(value));
    // Where the text shows the type, the call is written otherwise.
    let is_hidden = kind.is_none_or(|kind| {
        !is_number_type(&kind)
            && !matches!(&*kind, "half" | "__half" | "half2" | "__half2")
            && !lacking.contains(&kind.as_str())
    });
    let overloads = Intrinsics::builtin().ok()?.get(OVERLOADS)?;
    // The name stays in the guarded form of a file, which has them already.
    (is_hidden && cx.facts.declared.get(&overloads.guard()).is_none()).then_some(overloads)
}
