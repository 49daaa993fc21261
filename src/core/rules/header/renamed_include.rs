//! Includes of the project's own files that get another name.

use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::query::Includes;
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, range};
use crate::syntax::Include;

declare_rule! {
    /// ## What it does
    /// Finds includes of the project's own files that the conversion gives another extension.
    ///
    /// ## Why is this bad?
    /// The file will not be found under its old name.
    ///
    /// ## Example
    /// With `--ext hip`:
    /// ```cuda
    /// #include "reduce.cuh"
    /// ```
    ///
    /// ## Fix safety
    /// Safe. Only includes of files that are part of the same run are changed.
    RenamedInclude { code: "H003", name: "renamed-include", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for RenamedInclude {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Includes;

    fn check<'d>(include: Include<'d>, cx: &mut Context<'d>) {
        let file_name = include.path.rsplit(['/', '\\']).next().unwrap_or(include.path);
        if !cx.project.renamed_files.contains(file_name) {
            return;
        }
        let Some(new_name) = cx.settings.extension.rename(file_name) else { return };
        let end = usize::from(include.path_range.end());
        let name_range = range(end - file_name.len(), end);
        let fix = Fix::safe(format!("include `{new_name}`"), vec![Edit::replace(name_range, new_name.clone())]);
        cx.report(include.path_range, format!("`{file_name}` becomes `{new_name}`")).fix(fix);
    }
}
