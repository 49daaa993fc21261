//! The third argument of `__launch_bounds__`.

use super::bounds::all_bounds;
use crate::analysis::Owner;
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};

declare_rule! {
    /// ## What it does
    /// Finds `__launch_bounds__` with a third argument, the most blocks that a thread block cluster
    /// may have, and drops it.
    ///
    /// ## Why is this bad?
    /// AMD GPUs have no thread block clusters, and HIP's macro takes two arguments at most: three do
    /// not compile. Code that counts on clusters, such as on shared memory of other blocks, has to
    /// be written anew.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void __launch_bounds__(256, 1, 4) step(float* x) { x[threadIdx.x] *= 2; }
    /// ```
    /// Use instead:
    /// ```hip
    /// __global__ void __launch_bounds__(256, 1) step(float* x) { x[threadIdx.x] *= 2; }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the bound itself changes no result.
    ClusterBound { code: "L006", name: "cluster-bound", severity: Warning, fix: Always, since: "0.1.0" }
}

impl Rule for ClusterBound {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        for bounds in all_bounds(cx).iter().filter(|bounds| bounds.owner != Owner::Function) {
            let Some([_, second, third]) = bounds.arguments.as_deref() else { continue };
            let (second, third) = (cx.document.range_of(second.clone()), cx.document.range_of(third.clone()));
            let unwanted = TextRange::new(second.end(), third.end());
            let fix = Fix::safe("drop the size of clusters", vec![Edit::delete(unwanted)]);
            let finding = cx.report(third, "AMD GPUs have no thread block clusters, so their size is dropped").fix(fix);
            finding.note("HIP's `__launch_bounds__` takes two arguments at most");
        }
    }
}
