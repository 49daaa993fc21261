//! Clock counters that do not count properly on RDNA 3.

use crate::analysis::Function;
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::Call;

declare_rule! {
    /// ## What it does
    /// Finds `clock()` and `clock64()` in device code while a target is of the gfx11 family.
    ///
    /// ## Why is this bad?
    /// Neither works properly there (HIP C++ language extensions, "Timer functions"), so times
    /// come out wrong.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void k(long long* out) { out[0] = clock64(); }
    /// ```
    /// Use instead:
    /// ```hip
    /// __global__ void k(long long* out) { out[0] = wall_clock64(); }
    /// ```
    ///
    /// ## Fix safety
    /// Unsafe: `wall_clock64` counts at a constant rate, `hipDeviceAttributeWallClockRate` in kHz,
    /// and not in cycles of the processor.
    UnreliableClock { code: "K005", name: "unreliable-clock", severity: Warning, fix: Always, since: "0.1.0" }
}

/// Whether the rule reports `name`.
pub(super) fn is_unreliable(name: &Name<'_>, cx: &Context<'_>) -> bool {
    let is_clock = matches!(&*name.text, "clock" | "clock64") && matches!(name.meaning, Meaning::Same(_));
    is_clock
        && cx.settings.targets.iter().any(|target| target.name.starts_with("gfx11"))
        && cx.facts.functions.around(name.token).is_some_and(Function::is_device_only)
        && Call::at(cx.document, name.token).is_some_and(|call| call.arguments.is_empty())
}

impl Rule for UnreliableClock {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        if !is_unreliable(&name, cx) {
            return;
        }
        let fix = Fix::risky("read `wall_clock64`", vec![Edit::replace(name.range, "wall_clock64")]);
        let finding = cx.report(name.range, format!("`{}` does not count properly on gfx11 targets", name.text));
        finding.note("`wall_clock64` counts at a constant rate: `hipDeviceAttributeWallClockRate`, in kHz").fix(fix);
    }
}
