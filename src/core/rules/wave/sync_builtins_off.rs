//! Functions that releases before ROCm 7.0 hide, in sources written for HIP.

use std::rc::Rc;

use super::lane_function::{LaneFunction, REWORKED, takes_mask};
use crate::analysis::{Facts, Role, role};
use crate::diagnostic::{RuleInfo, Severity};
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;
use crate::syntax::{Document, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Finds functions of the `_sync` family, `__activemask`, `__match_any` and `__match_all` in sources written for
    /// HIP, if the ROCm release asked for (`--rocm`) hides them or lacks them.
    ///
    /// ## Why is this bad?
    /// ROCm 6.2 to 6.4 declare them only where `HIP_ENABLE_WARP_SYNC_BUILTINS` is defined before
    /// the first HIP header; earlier releases lack them. `__syncwarp` and `__reduce_*_sync` came
    /// with 7.0, where `HIP_DISABLE_WARP_SYNC_BUILTINS` takes all of them away.
    ///
    /// ## Example
    /// With `--rocm 6.4`:
    /// ```cuda
    /// #include <hip/hip_runtime.h>
    /// __device__ float f(float x, unsigned long long mask) { return __shfl_xor_sync(mask, x, 1); }
    /// ```
    ///
    /// ## What to do
    /// Build with `-DHIP_ENABLE_WARP_SYNC_BUILTINS`, or use the forms without mask: `__shfl_xor(x, 1)`.
    SyncBuiltinsOff { code: "W012", name: "sync-builtins-off", severity: Error, fix: None, since: "0.1.0" }
}

/// The macro that switches the functions on.
pub(super) const SWITCH: &str = "HIP_ENABLE_WARP_SYNC_BUILTINS";
/// The macro that switches them off where they are on.
const OFF_SWITCH: &str = "HIP_DISABLE_WARP_SYNC_BUILTINS";
/// The first release with the functions, behind the switch.
pub(super) const BEHIND_SWITCH: RocmVersion = RocmVersion::new(6, 2);

/// Functions of HIP's that CUDA has with a mask only, and that the same macros hide. Source: `amd_warp_sync_functions.h`
/// of HIP 6.4 and 7.2.
const WITHOUT_MASK: [&str; 2] = ["__match_any", "__match_all"];

impl Rule for SyncBuiltinsOff {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        if !cx.facts.is_hip {
            return;
        }
        let (document, facts): (&Document, &Facts) = (cx.document, cx.facts);
        let is_hidden = |name: &Name<'_>| takes_mask(&name.text) || name.text == "__activemask";
        let names = Rc::clone(&cx.names);
        for name in names.iter().filter(is_hidden) {
            if let Some(function) = LaneFunction::of(&name) {
                check_function(&name.text, name.range, function, cx);
            }
        }
        for name in WITHOUT_MASK.into_iter().filter(|name| facts.declared.get(name).is_none()) {
            let is_call = |idx: &TokenIdx| role(document, *idx) == Role::Free && document.is(idx + 1, b'(');
            for idx in words(document, name).filter(is_call) {
                check_function(name, document.range_of(idx..idx + 1), LaneFunction::Match, cx);
            }
        }
    }
}

fn check_function(name: &str, range: TextRange, function: LaneFunction, cx: &mut Context<'_>) {
    let rocm = cx.settings.rocm;
    if rocm >= REWORKED {
        if cx.facts.declared.get(OFF_SWITCH).is_some() {
            cx.report(range, format!("{OFF_SWITCH}, which the file defines, takes `{name}` away"));
        }
        return;
    }
    let is_late = matches!(function, LaneFunction::Reduce | LaneFunction::Barrier);
    if is_late {
        cx.report(range, format!("`{name}` exists from ROCm 7.0 on, not in {rocm}"));
    } else if rocm < BEHIND_SWITCH {
        cx.report(range, format!("`{name}` exists from ROCm 6.2 on, not in {rocm}"));
    } else if cx.facts.declared.get(SWITCH).is_none() {
        let finding = cx.report(range, format!("`{name}` needs {SWITCH} in ROCm {rocm}"));
        finding.severity(Severity::Warning).note("define it before the first HIP header, or for the whole build");
    }
}
