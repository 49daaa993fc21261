//! Cycles that are divided by a clock rate.

use crate::analysis::Function;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Finds files that read `clock()` or `clock64()` in device code and the clock rate of the
    /// device on the host.
    ///
    /// ## Why is this bad?
    /// The counter follows the actual frequency, and the property is the highest one, so the quotient
    /// is no time.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void timed(long long* out) { out[0] = clock64(); }
    /// double seconds(long long cycles, cudaDeviceProp p) { return cycles / (1e3 * p.clockRate); }
    /// ```
    ///
    /// ## What to do
    /// Read `wall_clock64()`, whose rate is `hipDeviceAttributeWallClockRate` in kHz.
    ClockRate { code: "K039", name: "clock-rate", severity: Info, fix: None, since: "0.1.0" }
}

impl Rule for ClockRate {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        let on_device = |idx: &TokenIdx| cx.facts.functions.around(*idx).is_some_and(Function::is_device_only);
        let is_call = |idx: &TokenIdx| document.is(idx + 1, b'(');
        let mut clocks = ["clock", "clock64"].into_iter().flat_map(|name| words(document, name).filter(on_device));
        let Some(clock) = clocks.find(is_call) else { return };
        let rates = ["clockRate", "cudaDevAttrClockRate"].into_iter().flat_map(|name| words(document, name));
        if let Some(rate) = rates.min() {
            let message = "cycles of the device divided by this rate are no time";
            let finding = cx.report(document.range_of(rate..rate + 1), message);
            finding.label(document.range_of(clock..clock + 1), "the cycles are counted here");
            finding.note("read `wall_clock64`, whose rate is `hipDeviceAttributeWallClockRate` in kHz");
        }
    }
}
