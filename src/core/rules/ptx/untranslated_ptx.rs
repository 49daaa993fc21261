//! Inline PTX without a counterpart.

use super::reading::Readings;
use super::rewrite::Obstacle;
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::asm::Asm;
use crate::rules::context::Context;
use crate::rules::query::Asms;
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds `asm` statements with PTX that hipshift cannot write in C++. The finding says what
    /// the instructions do and what AMD GPUs offer instead. PTX that some other name is given, `PTX("bar.sync 0;")`, is a warning.
    ///
    /// ## Why is this bad?
    /// Inline assembly is for one processor: compilers for AMD GPUs do not read PTX, so the
    /// converted program does not compile.
    ///
    /// ## Example
    /// ```cuda
    /// asm volatile("cp.async.wait_all;");
    /// ```
    ///
    /// ## What to do
    /// Write the function that holds the statement anew for AMD GPUs, and choose between the two
    /// with `#if defined(__HIP_PLATFORM_AMD__)`.
    UntranslatedPtx { code: "P002", name: "untranslated-ptx", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for UntranslatedPtx {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Asms;

    fn check(asm: Asm, cx: &mut Context<'_>) {
        let readings = Readings::of(cx);
        let Some(reading) = readings.get(asm) else { return };
        let Err(obstacle) = &reading.outcome else { return };
        let why = match obstacle {
            Obstacle::Macro => {
                "labels, directives or what macros supply kept the statement from being read as a whole".to_owned()
            }
            Obstacle::Block => "several statements are one block of PTX, whose registers they share".to_owned(),
            Obstacle::Directive => "a preprocessor directive stands within the statement".to_owned(),
            Obstacle::Operands => {
                "an operand cannot be moved: it has an effect of its own, or a name that the new code needs".to_owned()
            }
            Obstacle::Release(row) => match row.since {
                Some(since) => format!("the HIP function for it exists from ROCm {since} on"),
                None => String::new(),
            },
            Obstacle::Several if reading.ops.len() > 1 => {
                format!("the statement holds {} instructions", reading.ops.len())
            }
            Obstacle::Carry => "the carry flag comes from another statement or goes to one".to_owned(),
            Obstacle::Registers => "it depends on a predicate or on registers of its own".to_owned(),
            Obstacle::Several | Obstacle::Form => String::new(),
        };
        let finding = cx.report(reading.range, format!("inline PTX that was not converted: {}", reading.sentence()));
        finding.note(why);
        if reading.is_guessed {
            finding.severity(Severity::Warning);
        }
        for note in reading.notes() {
            finding.note(note);
        }
    }
}

/// Whether a rule is one of this group.
pub(crate) fn is_about_assembly(rule: &RuleInfo) -> bool {
    rule.code.starts_with('P')
}
