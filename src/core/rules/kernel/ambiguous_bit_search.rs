//! Searches for the first bit whose overload HIP cannot choose.

use std::ops::Range;

use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Call, Document, TokenIdx, words_in};

declare_rule! {
    /// ## What it does
    /// Finds `__ffsll` of values that are not known to be `long long`, signed or not.
    ///
    /// ## Why is this bad?
    /// HIP has an overload for `long long` and one for `unsigned long long`, and the compiler cannot
    /// choose for any other type: `int`, and `uint64_t` and `size_t`, which are `unsigned long` on
    /// Linux. CUDA has one function, which takes `long long`.
    ///
    /// ## Example
    /// ```cuda
    /// __device__ int first(uint64_t bits) { return __ffsll(bits); }
    /// ```
    /// Use instead:
    /// ```hip
    /// __device__ int first(uint64_t bits) { return __ffsll(static_cast<long long>(bits)); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the cast is the conversion that CUDA makes.
    AmbiguousBitSearch { code: "K027", name: "ambiguous-bit-search", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for AmbiguousBitSearch {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        // What is HIP already compiles, so the overloads fit there.
        if name.text != "__ffsll" || !matches!(name.meaning, Meaning::Same(_)) || cx.facts.is_hip {
            return;
        }
        let document = cx.document;
        let Some(call) = Call::at(document, name.token) else { return };
        let [argument] = call.arguments.as_slice() else { return };
        let (start, end) = (argument.start(), argument.end());
        if is_long_long(cx, name.token, document.token_at(start)..document.token_at(end)) {
            return;
        }
        let edits = vec![Edit::insert(start, "static_cast<long long>("), Edit::insert(end, ")")];
        let message = "`__ffsll` has two overloads in HIP, and none of them need fit the argument";
        cx.report(name.range, message).fix(Fix::safe("cast it to `long long`", edits));
    }
}

/// Whether an argument is a cast to `long long`, a mask of lanes, or a variable that the function
/// declares as `long long`.
fn is_long_long(cx: &Context<'_>, place: TokenIdx, argument: Range<TokenIdx>) -> bool {
    const MASKS: &[&str] = &["__ballot", "__ballot_sync", "__activemask", "__match_any_sync", "__match_all_sync"];
    let document: &Document = cx.document;
    if says_long_long(document, argument.start, argument.end.min(argument.start + 5)) {
        return true;
    }
    if MASKS.contains(&document.token_text(argument.start)) {
        return true;
    }
    let Some(function) = cx.facts.functions.around(place).filter(|_| argument.len() == 1) else { return false };
    let name = document.token_text(argument.start);
    let declared = words_in(document, name, function.head.start..place).next();
    declared.is_some_and(|idx| says_long_long(document, idx.saturating_sub(3).max(function.head.start), idx))
}

/// `long long`, or a word of CUDA's for it.
fn says_long_long(document: &Document, start: TokenIdx, end: TokenIdx) -> bool {
    let word = |idx: TokenIdx| document.token_text(idx);
    (start..end)
        .any(|idx| matches!(word(idx), "ulonglong" | "longlong") || word(idx) == "long" && word(idx + 1) == "long")
}
