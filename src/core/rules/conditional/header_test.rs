//! Conditions that ask whether one of CUDA's headers is there.

use super::hip_code::is_for_hip;
use crate::analysis::{Binary, Branch, Node};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::Resolution;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange, range};
use crate::syntax::{Document, TokenIdx, TokenKind};

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

/// The path in `__has_include(<path>)`, if the token is its keyword.
fn tested_header(document: &Document, keyword: TokenIdx) -> Option<TextRange> {
    if !matches!(document.token_text(keyword), "__has_include" | "__has_include_next")
        || !document.is(keyword + 1, b'(')
    {
        return None;
    }
    let close = document.partner(keyword + 1).filter(|&close| close > keyword + 2)?;
    let (first, last) = (document.token(keyword + 2)?, document.token(close - 1)?);
    let is_quoted = first.kind == TokenKind::Str && keyword + 3 == close;
    let is_bracketed = document.is(keyword + 2, b'<') && document.is(close - 1, b'>');
    let path = range(first.start as usize + 1, last.end as usize - 1);
    (is_quoted || is_bracketed).then_some(path)
}

/// Whether a branch is compiled only where a header is that HIP has no counterpart of.
pub(super) fn needs_missing_header(branch: &Branch, cx: &Context<'_>) -> bool {
    let Some(condition) = &branch.condition else { return false };
    let mut conjuncts = vec![condition];
    let mut is_missing = false;
    while let Some(part) = conjuncts.pop() {
        if let Node::Binary(Binary::And, sides) = &part.node {
            conjuncts.extend(sides.iter());
        } else if part.node == Node::Other {
            let path = tested_header(cx.document, part.tokens.start);
            let resolution = path.and_then(|path| cx.resolve_header(cx.document.slice(path)));
            is_missing |= matches!(resolution, Some(Resolution::Missing(_)));
        }
    }
    is_missing
}
