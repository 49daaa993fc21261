//! Inline PTX with a counterpart in HIP.

use super::reading::Readings;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::asm::Asm;
use crate::rules::context::Context;
use crate::rules::definitions::definitions;
use crate::rules::query::Asms;
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
    /// Approximations become functions of other last bits, with a warning: a safe fix, since nothing else compiles. So does `trap`, which
    /// becomes `abort()` as `__trap()` does and ends the whole program.
    /// Unsafe where the replacement reads another clock, numbers lanes on targets
    /// with 64 lanes, keeps subnormal numbers, or acts on more than the instruction does; a note says which, and it is an error as
    /// long as the PTX stays.
    InlinePtx { code: "P001", name: "inline-ptx", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for InlinePtx {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Asms;

    fn check(asm: Asm, cx: &mut Context<'_>) {
        let readings = Readings::of(cx);
        let Some(reading) = readings.get(asm) else { return };
        let Ok(rewrite) = &reading.outcome else { return };
        let Some(edit) = rewrite.edit.clone() else { return };
        let sentence = reading.sentence();
        let is_safe = rewrite.rows.iter().all(|row| row.safe);
        let notes = rewrite.notes();
        let severity = match () {
            // PTX that stays compiles for no AMD GPU.
            () if !is_safe => Severity::Error,
            () if rewrite.rows.iter().any(|row| row.warn) => Severity::Warning,
            () if !notes.is_empty() => Severity::Info,
            () => Severity::Hint,
        };
        let title = "write it in C++";
        let mut edits = vec![edit];
        if rewrite.rows.iter().any(|row| !row.needs.is_empty()) {
            edits.extend(definitions(reading.range.start(), cx));
        }
        let fix = if is_safe { Fix::safe(title, edits) } else { Fix::risky(title, edits) };
        let finding = cx.report(reading.range, format!("inline PTX: {sentence}"));
        finding.severity(severity).fix(fix);
        for note in notes {
            finding.note(note);
        }
    }
}
