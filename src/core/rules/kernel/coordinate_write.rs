//! Assignments to the coordinates of a thread.

use super::places::{OwnWords, writes};
use crate::analysis::{Function, Role, role};
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, words};

declare_rule! {
    /// ## What it does
    /// Finds assignments to `threadIdx`, `blockIdx`, `blockDim` and `gridDim` in device code.
    ///
    /// ## Why is this bad?
    /// They are constants of the thread, set when the kernel starts (HIP C++ language extensions, "Index built-ins").
    /// No compiler takes the assignment.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void k(int* out) { threadIdx.x = 3; out[threadIdx.x] = 1; }
    /// ```
    ///
    /// ## What to do
    /// Copy the member to a variable, and change that.
    CoordinateWrite { code: "K046", name: "coordinate-write", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for CoordinateWrite {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        let mut own_words = OwnWords::default();
        for coordinate in ["threadIdx", "blockIdx", "blockDim", "gridDim"] {
            for idx in words(document, coordinate).filter(|&idx| role(document, idx) == Role::Free) {
                let Some(function) = cx.facts.functions.around(idx).filter(|f| Function::runs_on_device(f)) else {
                    continue;
                };
                if document.is(idx + 1, b'.')
                    && writes(document, idx)
                    && !own_words.declares(document, function, coordinate)
                {
                    let message = format!("`{coordinate}` is a constant of the thread");
                    cx.report(document.range_of(idx..idx + 1), message).note("copy the member to a variable");
                }
            }
        }
    }
}
