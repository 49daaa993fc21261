//! Inline PTX with a counterpart in HIP.

use super::dialect::instruction_of;
use super::reading::{Rewrite, read};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::Target;
use crate::rules::context::Context;
use crate::rules::query::{Asm, Asms};
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds `asm` statements whose PTX can be written as C++ or as a call of a HIP function.
    ///
    /// ## Why is this bad?
    /// Inline assembly is for one processor: compilers for AMD GPUs do not read PTX.
    ///
    /// ## Example
    /// ```cuda
    /// asm("bfe.u32 %0, %1, 8, 4;" : "=r"(field) : "r"(word));
    /// ```
    /// Use instead:
    /// ```hip
    /// field = ((unsigned)word >> 8) & ((1u << 4) - 1u);
    /// ```
    ///
    /// ## Fix safety
    /// Safe where the replacement computes the same for all operands, NaN payloads excepted.
    /// Unsafe where it is more or less accurate, reads another clock, numbers lanes on targets
    /// with 64 lanes, or acts on more than the instruction does; a note says which.
    InlinePtx { code: "P001", name: "inline-ptx", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for InlinePtx {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Asms;

    fn check<'d>(asm: Asm, cx: &mut Context<'d>) {
        let Some(reading) = read(cx, asm) else { return };
        let sentence = reading.sentence();
        let Ok(Rewrite { row, edit }) = reading.outcome else { return };
        let counts_lanes = row.wave && cx.settings.targets.iter().any(|target| Target::is_wave64(target));
        let is_safe = row.safe && !counts_lanes;
        let severity = match (is_safe, row.note.is_empty()) {
            (false, _) => Severity::Warning,
            (true, false) => Severity::Info,
            (true, true) => Severity::Hint,
        };
        let title = "write it in C++";
        let fix = if is_safe { Fix::safe(title, vec![edit]) } else { Fix::risky(title, vec![edit]) };
        let advice = reading.ops.first().and_then(|op| instruction_of(op)).map(|known| &*known.advice);
        let finding = cx.report(reading.range, format!("inline PTX: {sentence}"));
        finding.severity(severity).note(&*row.note).fix(fix);
        if counts_lanes {
            finding.note(
                "some selected targets have 64 lanes in a wavefront: lane numbers go to 63 and masks need 64 bits",
            );
        }
        if !is_safe && row.note.is_empty() && !counts_lanes {
            finding.note(advice.unwrap_or_default());
        }
    }
}
