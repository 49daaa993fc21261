//! Conditions that ask whether one of CUDA's headers is there.

use super::for_hip::is_for_hip;
use super::missing_header::tested_header;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::Resolution;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};

declare_rule! {
    /// ## What it does
    /// Finds `__has_include` and `__has_include_next` with one of CUDA's headers.
    ///
    /// ## Why is this bad?
    /// A machine with ROCm has no header of that name, so the branch would silently go dead.
    ///
    /// ## Example
    /// ```cuda
    /// #if __has_include(<cuda_fp16.h>)
    /// #include <cuda_fp16.h>
    /// #endif
    /// ```
    /// Use instead:
    /// ```hip
    /// #if __has_include(<hip/hip_fp16.h>)
    /// #include <hip/hip_fp16.h>
    /// #endif
    /// ```
    ///
    /// ## Fix safety
    /// Safe: it is the header that takes the place of CUDA's. Where HIP has none, there is no fix, and what is in the
    /// branch is not judged.
    HeaderTest { code: "C009", name: "header-test", severity: Hint, fix: Sometimes, since: "0.2.0" }
}

impl Rule for HeaderTest {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let document = cx.document;
        for directive in document.directives().iter().filter(|directive| directive.kind.has_condition()) {
            for idx in directive.tokens.start + 2..directive.tokens.end {
                if let Some(path) = tested_header(document, idx).filter(|_| !is_for_hip(idx, cx)) {
                    check_header(path, cx);
                }
            }
        }
    }
}

fn check_header(path_range: TextRange, cx: &mut Context<'_>) {
    let path = cx.document.slice(path_range);
    match cx.resolve_header(path) {
        Some(Resolution::Name(to, entry)) if to != path => {
            let fix = Fix::safe(format!("ask for `{to}`"), vec![Edit::replace(path_range, to)]);
            cx.report(path_range, format!("`{path}` is `{to}` in HIP")).note(entry.note).fix(fix);
        }
        Some(Resolution::Missing(entry) | Resolution::OtherRelease(entry)) => {
            let message = format!("there is no `{path}` for AMD GPUs, so the condition is false");
            cx.report(path_range, message).severity(Severity::Info).note(entry.note);
        }
        _ => {}
    }
}
