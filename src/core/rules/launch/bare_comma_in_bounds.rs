//! Template arguments in `__launch_bounds__`.

use super::bounds::all_bounds;
use crate::analysis::Owner;
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, Piece};
use crate::syntax::has_bare_comma;

declare_rule! {
    /// ## What it does
    /// Finds arguments of `__launch_bounds__` with a comma between template arguments, and puts them
    /// in parentheses.
    ///
    /// ## Why is this bad?
    /// HIP's macro counts its arguments at commas, so that `Traits<T, 4>::threads` is two arguments
    /// to it and does not compile. CUDA's hands them on as they are.
    ///
    /// ## Example
    /// ```cuda
    /// template <class T> __global__ void __launch_bounds__(Traits<T, 4>::threads) step(T* x) { x[0] *= 2; }
    /// ```
    /// Use instead:
    /// ```hip
    /// template <class T> __global__ void __launch_bounds__((Traits<T, 4>::threads)) step(T* x) { x[0] *= 2; }
    /// ```
    ///
    /// ## Fix safety
    /// Safe.
    BareCommaInBounds { code: "L008", name: "bare-comma-in-bounds", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for BareCommaInBounds {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        for bounds in all_bounds(cx).iter().filter(|bounds| bounds.owner != Owner::Function) {
            // A third argument is dropped.
            for tokens in bounds.arguments.iter().flatten().take(2) {
                if !has_bare_comma(cx.document, tokens.clone()) {
                    continue;
                }
                let range = cx.document.range_of(tokens.clone());
                let text = |text: &str| Piece::Text(text.to_owned());
                // The whole argument, so that it keeps its parentheses where it is repeated.
                let wrapped = Edit { range, pieces: vec![text("("), Piece::Keep(range), text(")")] };
                let fix = Fix::safe("add parentheses", vec![wrapped]);
                cx.report(range, "HIP's `__launch_bounds__` takes this argument for several").fix(fix);
            }
        }
    }
}
