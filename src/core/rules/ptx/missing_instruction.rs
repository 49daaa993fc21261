//! Instructions of AMD GPUs that a target lacks.

use super::statement::Statement;
use crate::diagnostic::RuleInfo;
use crate::mapping::Instruction;
use crate::rules::asm::Asm;
use crate::rules::context::Context;
use crate::rules::query::Asms;
use crate::rules::rule::{Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Finds `asm` statements outside of `#if` with an instruction of AMD GPUs that one of the targets lacks.
    ///
    /// ## Why is this bad?
    /// Each generation has instructions of its own: `v_mac_f32`, which HIP's documents show, exists up to gfx90a and on
    /// gfx1010. The program does not compile for the others.
    ///
    /// ## Example
    /// With `--arch gfx1100`:
    /// ```cuda
    /// #include <hip/hip_runtime.h>
    /// __device__ void add(float& sum, float a, float b) { asm("v_mac_f32 %0, %1, %2" : "+v"(sum) : "v"(a), "v"(b)); }
    /// ```
    ///
    /// ## What to do
    /// Write C++, of which the compiler chooses the instruction, or ask for the target: `#if defined(__gfx90a__)`.
    MissingInstruction { code: "P003", name: "missing-instruction", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for MissingInstruction {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Asms;

    fn check(asm: Asm, cx: &mut Context<'_>) {
        // Whoever asks for the target, in whatever way, knows what it has.
        if cx.facts.conditions.opener_around(asm.keyword).is_some() {
            return;
        }
        let statement = Statement::read(cx.document, asm);
        let mut told: Vec<&str> = Vec::new();
        for instruction in statement.template.split(['\n', ';']).filter_map(first_word).filter_map(Instruction::find) {
            let targets = cx.settings.targets.iter().map(|target| target.name.as_str());
            let lacking: Vec<&str> = targets.filter(|target| instruction.is_lacking(target)).collect();
            if lacking.is_empty() || told.contains(&instruction.instruction.as_str()) {
                continue;
            }
            told.push(&instruction.instruction);
            let verb = if lacking.len() == 1 { "lacks" } else { "lack" };
            let message = format!("{} {verb} the instruction `{}`", lacking.join(", "), instruction.instruction);
            let finding = cx.report(statement.range, message);
            if !instruction.advice.is_empty() {
                finding.note(instruction.advice.as_str());
            }
        }
    }
}

fn first_word(line: &str) -> Option<&str> {
    line.split_whitespace().next()
}
