//! The members of raw pairs of halves, which are numbers in CUDA and structures in HIP.

use super::places::{declared, scope_end};
use crate::analysis::{Role, role};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds uses of the members `x` and `y` of `__half2_raw`.
    ///
    /// ## Why is this bad?
    /// They are of type `unsigned short` in CUDA and of type `__half_raw` in HIP, whose member `x`
    /// is the `unsigned short`.
    ///
    /// ## Example
    /// ```cuda
    /// __device__ int bits(__half2_raw pair) { return pair.x; }
    /// ```
    /// Use instead:
    /// ```hip
    /// __device__ int bits(__half2_raw pair) { return pair.x.x; }
    /// ```
    ///
    /// ## Fix safety
    /// Safe for ROCm 6.4 and later. In ROCm 5.7 the members are as in CUDA and nothing is reported.
    /// Unsafe for the releases between, whose headers may have either form.
    RawHalfMember { code: "K040", name: "raw-half-member", severity: Hint, fix: Always, since: "0.1.0" }
}

/// The last release whose members are known to be numbers.
const LAST_WITH_NUMBERS: RocmVersion = RocmVersion { major: 5, minor: 7 };
/// The first release whose members are known to be structures.
const FIRST_WITH_STRUCTURES: RocmVersion = RocmVersion { major: 6, minor: 4 };

impl Rule for RawHalfMember {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let is_pair = matches!(&*name.text, "__half2_raw" | "__nv_half2_raw");
        if !is_pair || cx.settings.rocm <= LAST_WITH_NUMBERS {
            return;
        }
        let document = cx.document;
        if let Some(value) = cast_end(document, name.token) {
            report_member(value, cx);
        }
        for variable in declared(document, name.token) {
            let spelling = document.token_text(variable);
            let Some(scope_end) = scope_end(variable, cx) else { continue };
            for idx in variable + 1..scope_end {
                if document.token_text(idx) == spelling && role(document, idx) == Role::Free {
                    report_member(idx, cx);
                }
            }
        }
    }
}

/// Reports the member that follows the value that ends with the token `value`, if one does.
fn report_member(value: TokenIdx, cx: &mut Context<'_>) {
    let document = cx.document;
    let accesses = document.is(value + 1, b'.') || document.token(value + 1).map(|t| t.kind) == Some(TokenKind::Arrow);
    let member = value + 2;
    let goes_on = document.is(member + 1, b'.') || document.is(member + 1, b'(');
    if !accesses || goes_on || !matches!(document.token_text(member), "x" | "y") {
        return;
    }
    let Some(token) = document.token(member) else { return };
    let edits = vec![Edit::insert(token.range().end(), ".x")];
    let title = "take the number in it";
    let message = format!("`{}` of `__half2_raw` is a `__half_raw` in HIP", document.token_text(member));
    let is_known = cx.settings.rocm >= FIRST_WITH_STRUCTURES;
    let finding = cx.report(token.range(), message);
    if is_known {
        finding.fix(Fix::safe(title, edits));
    } else {
        finding.severity(Severity::Warning).fix(Fix::risky(title, edits));
    }
}

/// The parenthesis that ends `static_cast<__half2_raw>(value)` or `__half2_raw(value)`.
fn cast_end(document: &Document, name: TokenIdx) -> Option<TokenIdx> {
    let open = name + 1 + usize::from(document.is(name + 1, b'>'));
    document.partner(open).filter(|_| document.is(open, b'('))
}
