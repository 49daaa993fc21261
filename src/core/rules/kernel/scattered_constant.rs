//! Constant memory that each thread reads elsewhere.

use crate::analysis::{DeviceVariable, Function, Space};
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Notes `__constant__` arrays whose index holds `threadIdx`. Only the first place of a file is
    /// reported.
    ///
    /// ## Why is this bad?
    /// Constant memory is fast where all threads of a wave read one place. Otherwise AMD GPUs read
    /// it as global memory.
    ///
    /// ## Example
    /// ```cuda
    /// __constant__ float weights[256];
    /// __global__ void scale(float* x) { x[threadIdx.x] *= weights[threadIdx.x]; }
    /// ```
    ///
    /// ## What to do
    /// Copy the array into shared memory, or leave it if it is not read often.
    ScatteredConstant { code: "K031", name: "scattered-constant", severity: Info, fix: None, since: "0.1.0" }
}

impl Rule for ScatteredConstant {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        let constants = cx.facts.device_variables(document).iter().filter(|v| v.space == Space::Constant);
        let on_device = |idx: TokenIdx| cx.facts.functions.around(idx).is_some_and(Function::runs_on_device);
        let mut uses = DeviceVariable::named(document, constants).into_iter().map(|(idx, _)| idx);
        let scattered = uses.find(|&idx| on_device(idx) && depends_on_thread(document, idx));
        if let Some(idx) = scattered {
            let name = document.token_text(idx);
            let message = format!("each thread reads another element of `{name}`, which is constant memory");
            cx.report(document.range_of(idx..idx + 1), message);
        }
    }
}

fn depends_on_thread(document: &Document, idx: TokenIdx) -> bool {
    let open = idx + 1;
    let close = document.partner(open).filter(|_| document.is(open, b'['));
    close.is_some_and(|close| (open..close).any(|at| document.token_text(at) == "threadIdx"))
}
