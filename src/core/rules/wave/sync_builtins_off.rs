//! Functions that releases before ROCm 7.0 hide, in sources written for HIP.

use super::lane_function::{LaneFunction, REWORKED, takes_mask};
use crate::diagnostic::{RuleInfo, Severity};
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds functions of the `_sync` family and `__activemask` in sources written for HIP, if the
    /// ROCm release asked for (`--rocm`) hides them or lacks them.
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

impl Rule for SyncBuiltinsOff {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let rocm = cx.settings.rocm;
        let Some(function) = LaneFunction::of(&name).filter(|_| cx.facts.is_hip) else { return };
        if !takes_mask(&name.text) && name.text != "__activemask" {
            return;
        }
        if rocm >= REWORKED {
            if cx.facts.declared.get(OFF_SWITCH).is_some() {
                cx.report(name.range, format!("{OFF_SWITCH}, which the file defines, takes `{}` away", name.text));
            }
            return;
        }
        let is_late = matches!(function, LaneFunction::Reduce | LaneFunction::Barrier);
        if is_late {
            cx.report(name.range, format!("`{}` exists from ROCm 7.0 on, not in {rocm}", name.text));
        } else if rocm < BEHIND_SWITCH {
            cx.report(name.range, format!("`{}` exists from ROCm 6.2 on, not in {rocm}", name.text));
        } else if cx.facts.declared.get(SWITCH).is_none() {
            let finding = cx.report(name.range, format!("`{}` needs {SWITCH} in ROCm {rocm}", name.text));
            finding.severity(Severity::Warning).note("define it before the first HIP header, or for the whole build");
        }
    }
}
