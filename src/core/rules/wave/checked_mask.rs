//! Functions that check their lane mask, in code whose warps become whole waves.

use super::lane_function::{LaneFunction, REWORKED, makes_whole_waves, takes_mask};
use super::mask_constant::MaskConstant;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::template;
use crate::rules::api::{is_declaration, visible_call};
use crate::rules::call_edits::change;
use crate::rules::context::Context;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};
use crate::syntax::Call;

declare_rule! {
    /// ## What it does
    /// Finds functions of the `_sync` family in a project whose warps become whole waves
    /// (`--wave-policy native`), and writes them without a mask that HIP would check.
    ///
    /// ## Why is this bad?
    /// HIP compares the mask with the lanes that are active and ends the program if they differ.
    /// A full mask differs in the last wave of a block that is no multiple of 64 threads, and in
    /// divergent code. With `NDEBUG` the check is gone, and `__all_sync` gives 0 instead. Before
    /// ROCm 7.0 the functions exist with `HIP_ENABLE_WARP_SYNC_BUILTINS` only, and before 6.2 not
    /// at all.
    ///
    /// ## Example
    /// With `--wave-policy native`:
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// __device__ float f(float x) { return __shfl_xor_sync(0xffffffff, x, 1); }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// __device__ float f(float x) { return __shfl_xor(x, 1); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the lanes of a wave run in step, so those that reach the call are those that are
    /// meant. What matches compare is promoted, as by CUDA's overloads. A mask that is no constant is applied to the result
    /// of a vote. Reductions and `__match_all_sync` under a mask have no fix.
    CheckedMask { code: "W007", name: "checked-mask", severity: Hint, fix: Sometimes, since: "0.1.0" }
}

impl Rule for CheckedMask {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let Some(function) = LaneFunction::of(&name).filter(|_| makes_whole_waves(name.range.start(), cx)) else {
            return;
        };
        let old = cx.settings.rocm < REWORKED;
        if name.text == "__activemask" {
            if old {
                report_activemask(&name, cx);
            }
            return;
        }
        if !takes_mask(&name.text) {
            return;
        }
        let call = visible_call(cx.document, name.token);
        if call.as_ref().is_some_and(|call| is_declaration(call, cx)) {
            return;
        }
        let constant = call.as_ref().and_then(|call| MaskConstant::of(cx, *call.arguments.first()?));
        if constant == Some(MaskConstant::Partial)
            || (name.text == "__syncwarp" && has_no_arguments(call.as_ref(), old))
        {
            return;
        }
        let is_full = constant == Some(MaskConstant::Full);
        let fix = call.as_ref().and_then(|call| fix(&name, function, (call, is_full), cx));
        let message = format!("`{}` checks its mask against the active lanes", name.text);
        let finding = cx.report(name.range, message);
        match (fix, old) {
            (Some(fix), _) => finding.fix(fix),
            (None, true) => finding
                .severity(Severity::Error)
                .note("before ROCm 7.0 there is no form without mask; `--wave-policy logical32` defines one"),
            (None, false) if is_full => finding
                .severity(Severity::Error)
                .note("HIP takes masks of 64 bits only, so one of 32 bits does not compile; `--wave-policy logical32` defines one"),
            (None, false) => finding
                .severity(Severity::Warning)
                .note("the program ends where the mask names a lane that is not active"),
        };
    }
}

fn has_no_arguments(call: Option<&Call>, old: bool) -> bool {
    !old && call.is_some_and(|call| call.arguments.is_empty())
}

/// Before ROCm 7.0 `__activemask` hides behind a macro.
fn report_activemask(name: &Name<'_>, cx: &mut Context<'_>) {
    let message = "`__activemask` needs HIP_ENABLE_WARP_SYNC_BUILTINS before ROCm 7.0";
    let Some(call) = visible_call(cx.document, name.token) else {
        cx.report(name.range, message).severity(Severity::Error);
        return;
    };
    let fix = Fix::safe("ask for a ballot", vec![Edit::replace(call.range(cx.document), "__ballot(1)")]);
    cx.report(name.range, message).fix(fix);
}

/// The call without a mask that is checked.
fn fix(name: &Name<'_>, function: LaneFunction, (call, is_full): (&Call, bool), cx: &Context<'_>) -> Option<Fix> {
    let base = name.text.strip_suffix("_sync").unwrap_or(&name.text);
    let old = cx.settings.rocm < REWORKED;
    // HIP takes no values of less than 32 bits, which CUDA promotes.
    let value = if is_name(cx, call.arguments.get(1)) { "+$1" } else { "+($1)" };
    let text = match (function, is_full) {
        (LaneFunction::Vote, false) => match base {
            "__ballot" => "(__ballot($1) & ($0))".to_owned(),
            "__any" => "((__ballot($1) & ($0)) != 0)".to_owned(),
            _ => "((__ballot(!($1)) & ($0)) == 0)".to_owned(),
        },
        (LaneFunction::Match | LaneFunction::Reduce | LaneFunction::Barrier, _) if old => return None,
        (LaneFunction::Barrier, _) => "__syncwarp()".to_owned(),
        (LaneFunction::Match, true) if base == "__match_any" => format!("__match_any({value})"),
        (LaneFunction::Match, true) => format!("__match_all({value}, $2)"),
        (LaneFunction::Match, false) if base == "__match_any" => format!("(__match_any({value}) & ($0))"),
        (LaneFunction::Shuffle, _) | (LaneFunction::Vote, true) => format!("{base}($1..)"),
        (LaneFunction::Reduce, true) if !is_bitwise(base) => format!("{}(__activemask(), $1)", name.text),
        (LaneFunction::Match | LaneFunction::Reduce, _) => return None,
    };
    let edits = change(cx.document, name.range, call, &template(&text)?, cx.settings.rocm).ok()?.edits;
    Some(Fix::safe("ask the active lanes", edits))
}

/// Whether an argument is a name or number, an element or a member.
fn is_name(cx: &Context<'_>, argument: Option<&TextRange>) -> bool {
    let text = argument.map_or("", |range| cx.document.slice(*range));
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'[' | b']' | b' '))
}

/// HIP's bitwise reductions give wrong bits for masks with holes, up to ROCm 7.2.
fn is_bitwise(base: &str) -> bool {
    matches!(base, "__reduce_and" | "__reduce_or" | "__reduce_xor")
}
