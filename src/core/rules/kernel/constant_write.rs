//! Kernels that write to constant memory.

use super::places::{OwnWords, writes};
use crate::analysis::{DeviceVariable, Function, Role, Space, role};
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::Document;

declare_rule! {
    /// ## What it does
    /// Finds device code that assigns to a `__constant__` variable of the same file.
    ///
    /// ## Why is this bad?
    /// Constant memory is filled by the host and read by kernels. clang compiles the write without
    /// a word, and what it does is not defined.
    ///
    /// ## Example
    /// ```cuda
    /// __constant__ int table[4];
    /// __global__ void fill() { table[threadIdx.x] = 1; }
    /// ```
    ///
    /// ## What to do
    /// Make it a `__device__` variable, or fill it with `cudaMemcpyToSymbol`.
    ConstantWrite { code: "K029", name: "constant-write", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for ConstantWrite {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        let is_own = |variable: &&DeviceVariable| variable.space == Space::Constant && !variable.is_conditional;
        let mut own_words = OwnWords::default();
        for (idx, _) in DeviceVariable::named(document, cx.facts.device_variables(document).iter().filter(is_own)) {
            let function = cx.facts.functions.around(idx).filter(|function| Function::is_device_only(function));
            let Some(function) = function.filter(|_| writes(document, idx)) else { continue };
            let name = document.token_text(idx);
            if role(document, idx) == Role::Free && !own_words.declares(document, function, name) {
                let message = format!("device code writes to `{name}`, which is constant memory");
                cx.report(document.range_of(idx..idx + 1), message);
            }
        }
    }
}
