//! Names that HIP spells otherwise and that mean the same.

use super::helpers::{changed_arguments, needs_its_call};
use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::Support;
use crate::rules::context::Context;
use crate::rules::kernel::is_alignment_for_all;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;

declare_rule! {
    /// ## What it does
    /// Finds functions, types, constants and macros of CUDA whose HIP counterpart has another
    /// name and the same meaning.
    ///
    /// ## Why is this bad?
    /// The name does not exist in HIP's headers.
    ///
    /// ## Example
    /// ```cuda
    /// cudaError_t status = cudaMalloc(&pointer, size);
    /// ```
    /// Use instead:
    /// ```hip
    /// hipError_t status = hipMalloc(&pointer, size);
    /// ```
    ///
    /// ## Fix safety
    /// Safe. Names in comments and strings, members, names that the file declares itself and
    /// names qualified by a foreign scope are left alone.
    RenamedName { code: "A001", name: "renamed-name", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for RenamedName {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let Meaning::Renamed(to, entry) = name.meaning else { return };
        if entry.support != Support::Full || changed_arguments(&name, cx).is_some() || needs_its_call(&name, cx) {
            return;
        }
        if is_alignment_for_all(name.token, cx) {
            return;
        }
        let fix = Fix::safe(format!("rename to `{to}`"), vec![Edit::replace(name.range, to)]);
        cx.report(name.range, format!("`{}` is `{to}` in HIP", name.text)).note(entry.note).fix(fix);
    }
}
