//! Macros right behind a string, which Clang takes for the suffix of the string.

use super::device_code::is_left_out;
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds names right behind a string, without a blank in between: `"%"PRIu64`.
    ///
    /// ## Why is this bad?
    /// From C++11 on such a name is a suffix of the string (C++17, \[lex.ext\]). g++, which reads sources for nvcc first, takes the name of
    /// a macro for one with a warning (GCC, `-Wliteral-suffix`); Clang stops with "invalid suffix on literal".
    ///
    /// ## Example
    /// ```cuda
    /// void show(size_t bytes) { cudaDeviceSynchronize(); printf("%"PRIu64"\n", (uint64_t)bytes); }
    /// ```
    /// Use instead:
    /// ```hip
    /// void show(size_t bytes) { hipDeviceSynchronize(); printf("%" PRIu64"\n", (uint64_t)bytes); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: only suffixes of the standard library have no `_` in front (C++17, \[usrlit.suffix\]), and those of strings stay. Names with
    /// two belong to the implementation, as `__FILE__` does.
    LiteralSuffix { code: "K061", name: "literal-suffix", severity: Hint, fix: Always, since: "0.2.0" }
}

/// The suffixes of strings in the standard library.
const OF_STRINGS: [&str; 2] = ["s", "sv"];

impl Rule for LiteralSuffix {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if cx.facts.is_hip {
            return;
        }
        let document = cx.document;
        let found: Vec<TokenIdx> =
            (1..document.tokens().len()).filter(|&idx| is_taken_for_suffix(document, idx)).collect();
        for name in found.into_iter().filter(|&name| !is_left_out(name, cx)).collect::<Vec<_>>() {
            let place = document.range_of(name..name + 1);
            let message = format!("`{}` right behind a string is a suffix of it for Clang", document.token_text(name));
            let fix = Fix::safe("a blank in front of it", vec![Edit::insert(place.start(), " ")]);
            cx.report(place, message).fix(fix);
        }
    }
}

fn is_taken_for_suffix(document: &Document, name: TokenIdx) -> bool {
    let string = name - 1;
    document.kind(name) == Some(TokenKind::Ident)
        && matches!(document.kind(string), Some(TokenKind::Str | TokenKind::RawStr))
        && document.range_of(string..name).end() == document.range_of(name..name + 1).start()
        && (!document.token_text(name).starts_with('_') || document.token_text(name).starts_with("__"))
        && !OF_STRINGS.contains(&document.token_text(name))
}
