//! Ticks of the device that are divided by a clock rate.

use crate::analysis::Function;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Finds clock rates of the device, in files that read `clock()`, `clock64()` or `wall_clock64()` in device code.
    ///
    /// ## Why is this bad?
    /// `clock` and `clock64` follow the actual frequency, and the rate is the highest one, so the quotient
    /// is no time. `wall_clock64` counts at a rate of its own, 100 MHz on most GPUs, so the quotient is a wrong time;
    /// that is a warning where something is divided or multiplied by the rate.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void timed(long long* out) { out[0] = clock64(); }
    /// double seconds(long long cycles, cudaDeviceProp p) { return cycles / (1e3 * p.clockRate); }
    /// ```
    ///
    /// ## What to do
    /// Read `wall_clock64()`, and divide by `hipDeviceAttributeWallClockRate`, which is in kHz as the clock rate is.
    ///
    /// ## Fix safety
    /// Unsafe: the attribute may serve another purpose beside.
    ClockRate { code: "K039", name: "clock-rate", severity: Info, fix: Sometimes, since: "0.1.0" }
}

/// Counters of the device.
const CLOCKS: [&str; 3] = ["wall_clock64", "clock", "clock64"];

/// The clock that has a rate of its own.
const WALL_CLOCK: &str = "wall_clock64";

/// The highest frequency of the device, in kHz: a property, and attributes of CUDA's and HIP's.
const RATES: [&str; 4] =
    ["clockRate", "cudaDevAttrClockRate", "CU_DEVICE_ATTRIBUTE_CLOCK_RATE", "hipDeviceAttributeClockRate"];

/// The rate of `wall_clock64`. Source: `hip_runtime_api.h` of HIP 5.7, 6.4 and 7.2.
const WALL_RATE: &str = "hipDeviceAttributeWallClockRate";

impl Rule for ClockRate {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        let on_device = |idx: &TokenIdx| cx.facts.functions.around(*idx).is_some_and(Function::is_device_only);
        let is_call = |idx: &TokenIdx| document.is(idx + 1, b'(');
        let mut clocks = CLOCKS.into_iter().flat_map(|name| words(document, name).filter(on_device));
        let Some(clock) = clocks.find(is_call) else { return };
        let mut rates: Vec<TokenIdx> = RATES.into_iter().flat_map(|name| words(document, name)).collect();
        rates.sort_unstable();
        for rate in rates {
            report(rate, clock, cx);
        }
    }
}

fn report(rate: TokenIdx, clock: TokenIdx, cx: &mut Context<'_>) {
    let document: &Document = cx.document;
    let range = document.range_of(rate..rate + 1);
    let is_wall = document.token_text(clock) == WALL_CLOCK;
    let is_attribute = document.token_text(rate) != "clockRate";
    let finding = if is_wall {
        cx.report(range, "`wall_clock64` does not count at this rate")
    } else {
        cx.report(range, "cycles of the device divided by this rate are no time")
    };
    finding.label(document.range_of(clock..clock + 1), "the cycles are counted here");
    if !is_wall {
        finding.note(format!("read `{WALL_CLOCK}`, whose rate is `{WALL_RATE}` in kHz"));
        return;
    }
    finding.note(format!("its rate is `{WALL_RATE}`, in kHz"));
    if is_attribute {
        let fix = Fix::risky("ask for the rate of the clock", vec![Edit::replace(range, WALL_RATE)]);
        finding.severity(Severity::Warning).fix(fix);
    } else if is_factor(document, rate) {
        finding.severity(Severity::Warning);
    }
}

/// Whether something is divided or multiplied by what the member `rate` is the end of, within the same parentheses.
fn is_factor(document: &Document, rate: TokenIdx) -> bool {
    let is_sign = |idx: TokenIdx| document.is(idx, b'/') || document.is(idx, b'*');
    let mut start = rate;
    while start >= 2 && matches!(document.token_text(start - 1), "." | "->") {
        start -= 2;
        while document.is(start, b']') {
            match document.partner(start).filter(|&open| open > 0 && open < start) {
                Some(open) => start = open - 1,
                None => return false,
            }
        }
    }
    // `(double)p.clockRate`
    while start > 0 && document.is(start - 1, b')') {
        match document.partner(start - 1).filter(|&open| open < start) {
            Some(open) => start = open,
            None => return false,
        }
    }
    is_sign(rate + 1) || start.checked_sub(1).is_some_and(is_sign)
}
