//! Names of driver functions in strings that look up entry points.

use super::helpers::visible_call;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::Resolution;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange, TextSize};
use crate::syntax::TokenKind;

declare_rule! {
    /// ## What it does
    /// Finds strings that name a function of CUDA's driver in calls that look up its entry point.
    ///
    /// ## Why is this bad?
    /// HIP's library has no function of that name, so the look-up fails at run time.
    ///
    /// ## Example
    /// ```cuda
    /// cuGetProcAddress("cuMemAlloc", &function, 12000, 0, &status);
    /// ```
    /// Use instead:
    /// ```hip
    /// hipGetProcAddress("hipMalloc", &function, 702, 0, &status);
    /// ```
    ///
    /// ## Fix safety
    /// Safe.
    EntryPointName { code: "A021", name: "entry-point-name", severity: Hint, fix: Sometimes, since: "0.1.0" }
}

const LOOK_UPS: &[&str] =
    &["cuGetProcAddress", "cuGetProcAddress_v2", "cudaGetDriverEntryPoint", "cudaGetDriverEntryPointByVersion"];

impl Rule for EntryPointName {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        if !LOOK_UPS.contains(&&*name.text) || matches!(name.meaning, Meaning::Own(_)) {
            return;
        }
        let Some(symbol) = symbol(&name, cx) else { return };
        let function = cx.document.slice(symbol);
        match cx.resolve(function) {
            Some(Resolution::Name(to, _)) if to != function => {
                let fix = Fix::safe(format!("look up `{to}`"), vec![Edit::replace(symbol, to)]);
                cx.report(symbol, format!("`{function}` is `{to}` in HIP")).fix(fix);
            }
            Some(Resolution::OtherRelease(_) | Resolution::Missing(_)) => {
                let message = format!("`{function}` has no counterpart in ROCm {}", cx.settings.rocm);
                cx.report(symbol, message).severity(Severity::Error);
            }
            _ => {}
        }
    }
}

/// The text between the quotes of the first argument.
fn symbol(name: &Name<'_>, cx: &Context<'_>) -> Option<TextRange> {
    let call = visible_call(cx.document, name.token)?;
    let literal = *call.arguments.first()?;
    let token = cx.document.token(call.open + 1)?;
    if token.kind != TokenKind::Str || token.range() != literal || !cx.document.slice(literal).starts_with('"') {
        return None;
    }
    let quote = TextSize::new(1);
    Some(TextRange::new(literal.start() + quote, literal.end() - quote))
}
