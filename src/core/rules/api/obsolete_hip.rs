//! Names of HIP's first years.

use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};
use crate::syntax::{Call, Document, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Finds `HIP_DYNAMIC_SHARED` and parameters of type `hipLaunchParm` in sources that were
    /// converted long ago.
    ///
    /// ## Why is this bad?
    /// Compilers before HIP-Clang needed them. Today the macro is only another spelling, so that
    /// is for information, and the parameter a number that `hipLaunchKernelGGL` does not pass.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void sum(float* x) { HIP_DYNAMIC_SHARED(float, part) part[0] = x[0]; }
    /// ```
    /// Use instead:
    /// ```hip
    /// __global__ void sum(float* x) { extern __shared__ float part[]; part[0] = x[0]; }
    /// ```
    ///
    /// ## Fix safety
    /// Safe for the macro, which expands to just that. Unsafe for the parameter: whoever calls the
    /// kernel may still pass it.
    ObsoleteHip { code: "A021", name: "obsolete-hip", severity: Warning, fix: Sometimes, since: "0.1.0" }
}

impl Rule for ObsoleteHip {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        for idx in words(document, "HIP_DYNAMIC_SHARED").filter(|&idx| document.directive_of(idx).is_none()) {
            let fix = declaration(document, idx);
            let finding = cx.report(document.range_of(idx..idx + 1), "`HIP_DYNAMIC_SHARED` is no longer needed");
            finding.severity(Severity::Info);
            if let Some(fix) = fix {
                finding.fix(fix);
            }
        }
        for idx in words(document, "hipLaunchParm") {
            let Some(parameter) = parameter(document, idx) else { continue };
            let finding = cx.report(document.range_of(idx..idx + 2), "kernels no longer take a `hipLaunchParm`");
            finding.fix(Fix::risky("remove the parameter", vec![Edit::delete(parameter)]));
        }
    }
}

fn declaration(document: &Document, idx: TokenIdx) -> Option<Fix> {
    let call = Call::at(document, idx)?;
    let [of, name] = call.arguments.as_slice() else { return None };
    // The macro brings its own semicolon.
    let end = call.close + usize::from(document.is(call.close + 1, b';')) + 1;
    let text = format!("extern __shared__ {} {}[];", document.slice(*of), document.slice(*name));
    Some(Fix::safe("declare the array", vec![Edit::replace(document.range_of(idx..end), text)]))
}

/// The first parameter of a kernel, up to the next one.
fn parameter(document: &Document, idx: TokenIdx) -> Option<TextRange> {
    let opens = document.is(idx.checked_sub(1)?, b'(');
    let end = idx + 2;
    let start = document.token(idx)?.range().start();
    let next = if document.is(end, b',') {
        document.token(end + 1)?.range().start()
    } else {
        document.token(end)?.range().start()
    };
    (opens && (document.is(end, b',') || document.is(end, b')'))).then(|| TextRange::new(start, next))
}
