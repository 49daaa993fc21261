//! Includes of CUDA headers without counterpart.

use super::helpers::is_of_project;
use crate::diagnostic::RuleInfo;
use crate::mapping::Resolution;
use crate::rules::api::{is_limits_header, standard_serves};
use crate::rules::context::Context;
use crate::rules::query::Includes;
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::Include;

declare_rule! {
    /// ## What it does
    /// Finds includes of CUDA headers that HIP has no counterpart for, or has one in other
    /// releases only.
    ///
    /// ## Why is this bad?
    /// The header does not exist in a HIP installation, so the file does not compile.
    ///
    /// ## Example
    /// ```cuda
    /// #include <mma.h>
    /// ```
    ///
    /// ## What to do
    /// Follow the advice of the finding; guard the include and the code that needs it.
    UnsupportedHeader { code: "H002", name: "unsupported-header", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for UnsupportedHeader {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Includes;

    fn check<'d>(include: Include<'d>, cx: &mut Context<'d>) {
        if is_limits_header(&include) && standard_serves(cx) || is_of_project(&include, cx) {
            return;
        }
        let (entry, message) = match cx.resolve_header(include.path) {
            Some(Resolution::Missing(entry)) => (entry, format!("`{}` has no counterpart in HIP", include.path)),
            Some(Resolution::OtherRelease(entry)) => {
                let since = entry.range.since.map(|since| format!(" from ROCm {since} on")).unwrap_or_default();
                (
                    entry,
                    format!(
                        "`{}`, the counterpart of `{}`, exists{since}; not in ROCm {}",
                        entry.hip, include.path, cx.settings.rocm
                    ),
                )
            }
            _ => return,
        };
        cx.report(include.path_range, message).note(entry.note);
    }
}
