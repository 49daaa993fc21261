//! `__launch_bounds__` on what is no kernel.

use super::bounds::all_bounds;
use crate::analysis::Owner;
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::kernel::with_blanks;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;

declare_rule! {
    /// ## What it does
    /// Finds `__launch_bounds__` on lambdas and on functions that are no kernels, and removes it.
    ///
    /// ## Why is this bad?
    /// clang refuses it there: only kernels are launched. nvcc accepts it on lambdas, where it has
    /// no effect, and refuses it on other functions as well.
    ///
    /// ## Example
    /// ```cuda
    /// auto twice = [] __device__ __launch_bounds__(64) (int x) { return 2 * x; };
    /// ```
    /// Use instead:
    /// ```hip
    /// auto twice = [] __device__ (int x) { return 2 * x; };
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the attribute has no effect there.
    BoundWithoutKernel { code: "L007", name: "bound-without-kernel", severity: Warning, fix: Always, since: "0.1.0" }
}

impl Rule for BoundWithoutKernel {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        for bounds in all_bounds(cx).iter().filter(|bounds| bounds.owner == Owner::Function) {
            let unwanted = with_blanks(cx.document, bounds.range);
            let fix = Fix::safe("remove `__launch_bounds__`", vec![Edit::delete(unwanted)]);
            cx.report(bounds.range, "HIP compilers accept `__launch_bounds__` on kernels only").fix(fix);
        }
    }
}
