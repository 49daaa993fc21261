//! Vectors of 32 bytes among the members of a structure.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::member_layout::{Aggregate, Layout};
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, Name, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::TokenIdx;

declare_rule! {
    /// ## What it does
    /// Finds members of type `double4`, `long4`, `ulong4`, `longlong4` and `ulonglong4` in structures and unions whose layout they
    /// change.
    ///
    /// ## Why is this bad?
    /// These types are aligned to 16 bytes in CUDA (CUDA C++ Programming Guide, "Built-in Vector Types") and to 32 in HIP: members
    /// behind them stand elsewhere, and the structure is larger. What reads a file, shares memory with a program of CUDA's, or counts
    /// on a number of bytes goes wrong without a word.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// struct Body { double4 position; double mass; };
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// struct Body { __attribute__((packed, aligned(16))) double4 position; double mass; };
    /// ```
    ///
    /// ## Fix safety
    /// Unsafe: functions that take a `double4` by reference expect it to be aligned to 32 bytes. GPUs need no more than 16, nor do
    /// hosts, unless the compiler may use AVX (`-march=native`).
    ///
    /// ## What to do
    /// Nothing where each copy of the structure is made and read by this program, with `sizeof` for its size.
    WideVectorLayout { code: "K056", name: "wide-vector-layout", severity: Warning, fix: Sometimes, since: "0.2.0" }
}

/// The vectors of 32 bytes.
const WIDE: &[&str] = &["double4", "long4", "ulong4", "longlong4", "ulonglong4"];

impl Rule for WideVectorLayout {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let is_wide = |name: &Name<'_>| WIDE.contains(&&*name.text) && matches!(name.meaning, Meaning::Same(_));
        let wide: Vec<_> = cx.names.iter().filter(is_wide).map(|name| (name.token, name.range)).collect();
        // C has the vectors of clang, which a structure aligns as their components.
        let hip = if cx.document.file().path.extension() == Some("c") { 8 } else { 32 };
        let mut known: FxHashMap<TokenIdx, Option<String>> = FxHashMap::default();
        for (kind, range) in wide {
            let Some((start, body)) = member(kind, cx) else { continue };
            let change = known.entry(body.start).or_insert_with(|| change(&body, hip, cx)).clone();
            let Some(sizes) = change else { continue };
            let edit =
                Edit::insert(cx.document.range_of(start..start + 1).start(), "__attribute__((packed, aligned(16))) ");
            let name = cx.document.token_text(kind);
            let message = format!("`{name}` is aligned to {hip} bytes in HIP, and to 16 in CUDA{sizes}");
            let finding = cx.report(range, message);
            if hip > 16 {
                finding.fix(Fix::risky("align it as in CUDA", vec![edit]));
            }
        }
    }
}

/// What is told of the sizes of a structure whose layout is not that of CUDA; `None` where it is.
fn change(body: &Range<TokenIdx>, hip: u64, cx: &Context<'_>) -> Option<String> {
    let layout = |alignment| Layout::of(&Aggregate { body: body.clone(), wide: WIDE, alignment }, cx);
    match (layout(16), layout(hip)) {
        (Some(cuda), Some(hip)) if cuda == hip => None,
        (Some(cuda), Some(hip)) if cuda.size != hip.size => {
            Some(format!(": this structure has {} bytes in CUDA, and {} in HIP", cuda.size, hip.size))
        }
        _ => Some(String::new()),
    }
}

/// Where the declaration of a member with the type at `kind` starts, and what stands in the braces of its class.
fn member(kind: TokenIdx, cx: &Context<'_>) -> Option<(TokenIdx, Range<TokenIdx>)> {
    let document = cx.document;
    let blocks = cx.facts.blocks(document);
    let open = blocks.around(kind).filter(|_| blocks.is_in_class(kind))?;
    let mut start = kind;
    while matches!(document.token_text(start - 1), "const" | "volatile" | "mutable") {
        start -= 1;
    }
    let starts = matches!(document.token_text(start - 1), ";" | "{" | "}" | ":");
    let mut end = kind + 1;
    while !matches!(document.token_text(end), ";" | "(" | "=" | "{" | "") {
        end = document.after_brackets(end);
    }
    let is_pointer = document.is(kind + 1, b'*') || document.is(kind + 1, b'&');
    let is_data = matches!(document.token_text(end), ";" | "=" | "{");
    (starts && !is_pointer && is_data).then(|| (start, open + 1..document.partner(open).unwrap_or(open)))
}
