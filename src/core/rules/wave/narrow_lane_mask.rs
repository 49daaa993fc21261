//! Lane masks of 32 bits where HIP wants 64.

use super::lane_function::{LaneFunction, keeps_32_lanes, takes_mask};
use super::mask_constant::MaskConstant;
use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::template;
use crate::rules::api::visible_call;
use crate::rules::call_edits::change;
use crate::rules::context::Context;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::settings::WaveWidth;
use crate::syntax::Call;

declare_rule! {
    /// ## What it does
    /// Finds calls of the `_sync` family whose lane mask is a constant of 32 bits in sources
    /// written for HIP, and constants that choose some of 32 lanes in CUDA whose warps become
    /// whole waves (`--wave-policy native`).
    ///
    /// ## Why is this bad?
    /// HIP's lane masks have 64 bits on every target, and its headers refuse others with a static
    /// assertion. Widening the constant is wrong as well: a mask that names a lane which is not
    /// active, because the block is no multiple of 64 or the code diverges, ends the program, and
    /// with `NDEBUG` makes `__all_sync` false.
    ///
    /// ## Example
    /// ```cuda
    /// #include <hip/hip_runtime.h>
    /// __device__ float f(float x) { return __shfl_xor_sync(0xffffffff, x, 16); }
    /// ```
    /// With `--unsafe-fixes` it becomes `__shfl_xor(x, 16, 32)`, which asks the lanes that are
    /// active and checks nothing.
    ///
    /// ## Fix safety
    /// Unsafe: nobody can tell whether a warp of 32 lanes or a whole wave was meant. The fix
    /// follows what else the project counts on. Masks that choose lanes by number have no fix.
    NarrowLaneMask { code: "W001", name: "narrow-lane-mask", severity: Error, fix: Sometimes, since: "0.1.0" }
}

impl Rule for NarrowLaneMask {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let Some(function) = LaneFunction::of(&name).filter(|_| takes_mask(&name.text)) else { return };
        if keeps_32_lanes(name.range.start(), cx) {
            return;
        }
        let Some(call) = visible_call(cx.document, name.token) else { return };
        let Some(&mask) = call.arguments.first() else { return };
        let Some(value) = MaskConstant::of(cx, mask) else { return };
        // In CUDA the rule about checked masks deals with whole warps.
        let is_full = value == MaskConstant::Full;
        if is_full && !cx.facts.is_hip {
            return;
        }
        let fix = if is_full { maskless(&name, function, &call, cx) } else { None };
        let finding = cx.report(mask, format!("the mask of `{}` has 32 bits, but HIP takes 64 only", name.text));
        match fix {
            Some(fix) => finding.fix(fix),
            None => finding.note("decide which lanes of a wave are meant"),
        };
    }
}

/// The call for all lanes that are active.
fn maskless(name: &Name<'_>, function: LaneFunction, call: &Call, cx: &Context<'_>) -> Option<Fix> {
    let width = cx.wave_width_at(name.range.start());
    let base = name.text.strip_suffix("_sync").unwrap_or(&name.text);
    let text = match (function, width) {
        (LaneFunction::Shuffle, WaveWidth::Logical32) if call.arguments.len() == 3 => format!("{base}($1, $2, 32)"),
        (LaneFunction::Shuffle, _) => format!("{base}($1..)"),
        (LaneFunction::Barrier, _) => "__syncwarp()".to_owned(),
        // Their result covers the whole wave.
        (_, WaveWidth::Logical32) => return None,
        (LaneFunction::Vote | LaneFunction::Match, _) => format!("{base}($1..)"),
        (LaneFunction::Reduce, _) => format!("{}(__activemask(), $1)", name.text),
    };
    let edits = change(cx.document, name.range, call, &template(&text)?, cx.settings.rocm).ok()?.edits;
    Some(Fix::risky("ask the active lanes", edits))
}
