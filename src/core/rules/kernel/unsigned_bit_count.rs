//! Counts of bits, which are unsigned in HIP.

use std::ops::Range;
use std::rc::Rc;

use super::places::statement;
use super::unsigned_places::{Place, wraps_alike};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Call, Document, MacroDefinition, TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds `__popc` and `__popcll` (before ROCm 6.4 `__ffs` and `__ffsll` as well) wherever the type of
    /// the result may matter. It does not where the result is stored in a variable whose type is written down,
    /// is a condition, an index or the number of bits of a shift, or is compared with a number.
    ///
    /// ## Why is this bad?
    /// They return `int` in CUDA and `unsigned int` in HIP. A difference that is negative in CUDA
    /// is about four thousand million in HIP. Macros, `auto` and templates carry the type far from the call.
    ///
    /// ## Example
    /// ```cuda
    /// __device__ float score(unsigned x) { return 0.5f * (__popc(x) - 16); }
    /// ```
    /// Use instead:
    /// ```hip
    /// __device__ float score(unsigned x) { return 0.5f * (static_cast<int>(__popc(x)) - 16); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the cast gives the type that the function has in CUDA.
    UnsignedBitCount { code: "K023", name: "unsigned-bit-count", severity: Hint, fix: Sometimes, since: "0.1.0" }
}

impl Rule for UnsignedBitCount {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let names = Rc::clone(&cx.names);
        // The statement that was read last, and whether the type matters nowhere in it.
        let mut last = (0..0, false);
        for name in names.iter().filter(|name| is_unsigned(name, cx.settings.rocm)) {
            let Some(call) = Call::at(cx.document, name.token) else {
                if stands_for_macro(cx.document, name.token) {
                    report_alias(&name, cx);
                }
                continue;
            };
            let first = start_of(cx.document, call.name);
            if Place::of((first, call.close), cx).takes_any_type() {
                continue;
            }
            if !last.0.contains(&name.token) {
                let whole = statement(cx.document, name.token);
                last = (whole.clone(), wraps_alike(&whole, cx));
            }
            if !last.1 {
                report(&name, first..call.close + 1, cx);
            }
        }
    }
}

/// Whether a name is a function that counts bits without a sign in HIP.
fn is_unsigned(name: &Name<'_>, rocm: RocmVersion) -> bool {
    let unsigned = match &*name.text {
        "__popc" | "__popcll" => true,
        // The headers of 5.7 and 6.2 have `unsigned`, those of 6.4 and later `int`.
        "__ffs" | "__ffsll" => rocm < RocmVersion { major: 6, minor: 4 },
        _ => false,
    };
    unsigned && matches!(name.meaning, Meaning::Same(_))
}

/// `#define COUNT __popc`: what calls the macro is a call of the function.
fn stands_for_macro(document: &Document, name: TokenIdx) -> bool {
    let definition = document.directive_of(name).and_then(|directive| MacroDefinition::of(document, directive));
    definition.is_some_and(|definition| definition.body == (name..name + 1))
}

fn report_alias(name: &Name<'_>, cx: &mut Context<'_>) {
    let message = format!("`{}` is unsigned in HIP, which matters where the macro is used", name.text);
    let finding = cx.report(name.range, message);
    finding.severity(Severity::Warning).note("give the macro a parameter, and cast the call to `int`");
}

/// The name, or the `::` before it.
fn start_of(document: &Document, name: TokenIdx) -> TokenIdx {
    let is_global = |idx: TokenIdx| {
        let names_scope = idx.checked_sub(1).is_some_and(|scope| document.kind(scope) == Some(TokenKind::Ident));
        document.kind(idx) == Some(TokenKind::PathSep) && !names_scope
    };
    name - usize::from(name.checked_sub(1).is_some_and(is_global))
}

fn report(name: &Name<'_>, call: Range<TokenIdx>, cx: &mut Context<'_>) {
    let range = cx.document.range_of(call);
    let edits = vec![Edit::insert(range.start(), "static_cast<int>("), Edit::insert(range.end(), ")")];
    let message = format!("`{}` is unsigned in HIP, which may matter here", name.text);
    cx.report(name.range, message).fix(Fix::safe("cast it to `int`", edits));
}
