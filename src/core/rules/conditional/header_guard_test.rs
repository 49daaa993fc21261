//! Conditions that ask for an include guard of CUDA's headers.

use super::for_hip::is_for_hip;
use crate::analysis::Declaration;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::HeaderGuard;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds `#ifdef` and its like with the include guard of one of CUDA's headers, by which a program asks whether that
    /// header was included.
    ///
    /// ## Why is this bad?
    /// HIP's headers define guards of their own, so the branch would silently go dead.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cublas_v2.h>
    /// #ifdef CUBLAS_API_H_
    /// const char* name(cublasStatus_t status);
    /// #endif
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hipblas/hipblas.h>
    /// #ifdef HIPBLAS_H
    /// const char* name(hipblasStatus_t status);
    /// #endif
    /// ```
    ///
    /// ## Fix safety
    /// Safe: it is the guard of the header that takes the place of CUDA's. Where that has none, there is no fix.
    HeaderGuardTest { code: "C008", name: "header-guard-test", severity: Hint, fix: Sometimes, since: "0.2.0" }
}

impl Rule for HeaderGuardTest {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let document = cx.document;
        for directive in document.directives().iter().filter(|directive| directive.kind.has_condition()) {
            for idx in directive.tokens.start + 2..directive.tokens.end {
                if document.kind(idx) == Some(TokenKind::Ident) {
                    check_macro(idx, cx);
                }
            }
        }
    }
}

fn check_macro(idx: TokenIdx, cx: &mut Context<'_>) {
    let name = cx.document.name(idx);
    let Some(guard) = HeaderGuard::find(&name, cx.settings.rocm) else { return };
    // A header of the project may take the place of CUDA's, guard and all.
    let is_own = cx.facts.declared.get(&name) == Some(Declaration::Macro);
    let Some(token) = cx.document.token(idx).filter(|_| !is_own && !cx.table.contains(&name) && !is_for_hip(idx, cx))
    else {
        return;
    };
    let (header, hip) = (guard.header, guard.hip_guard);
    if hip.is_empty() {
        let message = format!("`{name}` is the guard of `{header}`, for which HIP's headers define none");
        let finding = cx.report(token.range(), message);
        finding
            .severity(Severity::Warning)
            .note("the condition counts it as undefined; write what it is to mean under HIP");
    } else {
        let fix = Fix::safe(format!("write `{hip}`"), vec![Edit::replace(token.range(), hip)]);
        cx.report(token.range(), format!("`{name}` is the guard of `{header}`, which is `{hip}` in HIP"))
            .note(guard.note)
            .fix(fix);
    }
}
