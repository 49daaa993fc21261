//! `cuda::std::numeric_limits` of arithmetic types, which is the standard library's.

use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::Resolution;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, TextRange};
use crate::syntax::{Include, TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds files that use nothing of libcu++'s `cuda::std` but `numeric_limits` of arithmetic types.
    ///
    /// ## Why is this bad?
    /// libcu++ is NVIDIA's. What `std::numeric_limits` says of arithmetic types is constant, so kernels may ask it
    /// in HIP.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda/std/limits>
    /// int64_t least = cuda::std::numeric_limits<int64_t>::lowest();
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <limits>
    /// int64_t least = std::numeric_limits<int64_t>::lowest();
    /// ```
    ///
    /// ## Fix safety
    /// Safe. The limits of `__half` and other types that are not arithmetic, or of a parameter of a template, which
    /// may be one, are left: the standard library answers 0 for types that it does not know.
    StandardLimits { code: "A023", name: "standard-limits", severity: Hint, fix: Always, since: "0.1.0" }
}

/// Namespace and header in the tables.
const NAMESPACE: &str = "cuda::std";
const HEADER: &str = "cuda/std/limits";

/// Words that arithmetic types are spelt with.
const ARITHMETIC: &[&str] = &[
    "bool",
    "char",
    "double",
    "float",
    "int",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "intptr_t",
    "long",
    "ptrdiff_t",
    "short",
    "signed",
    "size_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "uintptr_t",
    "unsigned",
    "wchar_t",
];

impl Rule for StandardLimits {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if !serves(cx) {
            return;
        }
        let mut edits: Vec<Edit> = headers(cx).map(|include| Edit::replace(include.path_range, "limits")).collect();
        edits.extend(uses(cx).filter_map(|token| scope_of_limits(token, cx)).map(|scope| Edit::replace(scope, "std")));
        let Some(first) = edits.iter().map(|edit| edit.range).min_by_key(|range| range.start()) else { return };
        let fix = Fix::safe("use `std::numeric_limits`", edits);
        cx.report(first, "what is used of `cuda::std` is in the standard library too").fix(fix);
    }
}

/// Whether the standard library has all that the file uses of `cuda::std`.
pub(in crate::rules) fn serves(cx: &Context<'_>) -> bool {
    *cx.standard_serves.get_or_init(|| {
        let is_missing = matches!(cx.resolve(NAMESPACE), Some(Resolution::Missing(_)));
        let is_enabled = cx.settings.rules.is_enabled(&StandardLimits::RULE_INFO);
        is_enabled && is_missing && uses(cx).all(|token| scope_of_limits(token, cx).is_some())
    })
}

/// Whether a header has a counterpart because `serves` holds.
pub(in crate::rules) fn is_header(include: &Include<'_>) -> bool {
    include.path == HEADER
}

/// Whether a name of the tables is the namespace that the rule is about.
pub(in crate::rules) fn is_namespace(name: &str) -> bool {
    name == NAMESPACE
}

fn headers<'d>(cx: &Context<'d>) -> impl Iterator<Item = Include<'d>> {
    cx.document.includes().filter(is_header)
}

/// The tokens `std` of `cuda::std`.
fn uses<'c>(cx: &'c Context<'_>) -> impl Iterator<Item = TokenIdx> + 'c {
    let is_use = |meaning: Meaning<'_>| matches!(meaning, Meaning::Missing(entry) if is_namespace(entry.cuda));
    cx.names.iter().filter(move |name| is_use(name.meaning)).map(|name| name.token)
}

/// `cuda::std` or `::cuda::std` in front of `::numeric_limits<T>` with an arithmetic `T`.
fn scope_of_limits(std: TokenIdx, cx: &Context<'_>) -> Option<TextRange> {
    let document = cx.document;
    let outer = std.checked_sub(2).filter(|&outer| document.token_text(outer) == "cuda")?;
    let spells = |at: TokenIdx, text: &str| document.token_text(at) == text;
    if !spells(std + 2, "numeric_limits") || !spells(std + 3, "<") {
        return None;
    }
    let mut end = std + 4;
    while ARITHMETIC.contains(&document.token_text(end)) {
        end += 1;
    }
    if end == std + 4 || !spells(end, ">") {
        return None;
    }
    let is_global = outer.checked_sub(1).and_then(|idx| document.token(idx));
    let first = if is_global.is_some_and(|token| token.kind == TokenKind::PathSep) { outer - 1 } else { outer };
    Some(document.range_of(first..std + 1))
}
