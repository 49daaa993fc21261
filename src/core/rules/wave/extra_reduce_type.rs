//! Reductions of a warp over types that HIP's headers declare behind a macro only.

use super::lane_function::{LaneFunction, REWORKED};
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Call, Document, TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds `__reduce_add_sync` and the like in sources written for HIP with a value that is no `int` and no `unsigned`,
    /// where the file does not define `HIP_ENABLE_EXTRA_WARP_SYNC_TYPES`.
    ///
    /// ## Why is this bad?
    /// HIP's headers declare the overloads for `float`, `double`, halves and 64 bits behind this macro. Without it
    /// the call does not compile. CUDA has none of them.
    ///
    /// ## Example
    /// ```cuda
    /// #include <hip/hip_runtime.h>
    /// __device__ float sum(float x) { return __reduce_add_sync(~0ull, x); }
    /// ```
    ///
    /// ## What to do
    /// Define `HIP_ENABLE_EXTRA_WARP_SYNC_TYPES` before the first header of HIP's, or for the whole build.
    ExtraReduceType { code: "W020", name: "extra-reduce-type", severity: Warning, fix: None, since: "0.1.0" }
}

/// The macro that declares the overloads. Source: `amd_warp_sync_functions.h` of HIP 7.2.
const SWITCH: &str = "HIP_ENABLE_EXTRA_WARP_SYNC_TYPES";

/// Types whose values `int` and `unsigned` do not hold.
const EXTRA: &[&str] = &["float", "double", "half", "__half", "int64_t", "uint64_t"];

impl Rule for ExtraReduceType {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let is_reduction = cx.facts.is_hip && LaneFunction::of(&name) == Some(LaneFunction::Reduce);
        if !is_reduction || cx.settings.rocm < REWORKED || cx.facts.declared.get(SWITCH).is_some() {
            return;
        }
        let Some(of) = extra_type(name.token, cx) else { return };
        let finding = cx.report(name.range, format!("`{}` takes `{of}` with {SWITCH} only", name.text));
        finding.note("define it before the first header of HIP's, or for the whole build");
    }
}

/// The type of the value that is reduced, if HIP's headers declare no overload for it without the macro.
fn extra_type(token: TokenIdx, cx: &Context<'_>) -> Option<String> {
    let document = cx.document;
    let value = *Call::at(document, token)?.arguments.get(1)?;
    let (first, end) = (document.token_at(value.start()), document.token_at(value.end()));
    let is_element = document.is(first + 1, b'[') && document.partner(first + 1) == end.checked_sub(1);
    let words = match document.kind(first)? {
        TokenKind::Ident if is_element || end == first + 1 => {
            cx.variable_types().of_variable(cx.facts.functions.around(token)?, first)?.join(" ")
        }
        TokenKind::Number if end == first + 1 => type_of_literal(document.token_text(first))?.to_owned(),
        TokenKind::Punct(b'(') => cast(document, first)?,
        _ => return None,
    };
    let is_long = words.matches("long").count() > 0;
    (is_long || EXTRA.contains(&words.as_str())).then_some(words)
}

fn type_of_literal(text: &str) -> Option<&'static str> {
    let is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let is_fraction = !is_hexadecimal && text.contains(['.', 'e', 'E']);
    let is_float = is_fraction && text.ends_with(['f', 'F']);
    is_fraction.then_some(if is_float { "float" } else { "double" })
}

/// `(float)`
fn cast(document: &Document, open: TokenIdx) -> Option<String> {
    let close = document.partner(open)?;
    let words: Vec<&str> = (open + 1..close).map(|idx| document.token_text(idx)).collect();
    let is_value =
        document.token(close + 1).is_some_and(|next| matches!(next.kind, TokenKind::Ident | TokenKind::Number));
    is_value.then(|| words.join(" "))
}
