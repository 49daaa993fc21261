//! Vectors of 32 bytes among the members of a structure.

use std::ops::Range;

use super::member_layout::{Aggregate, Layout};
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Name, Names};
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
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        if !WIDE.contains(&&*name.text) || !matches!(name.meaning, Meaning::Same(_)) {
            return;
        }
        let Some((start, body)) = member(name.token, cx) else { return };
        let layout = |alignment| Layout::of(&Aggregate { body: body.clone(), wide: WIDE, alignment }, cx);
        let (cuda, hip) = (layout(16), layout(32));
        let sizes = match (&cuda, &hip) {
            (Some(cuda), Some(hip)) if cuda == hip => return,
            (Some(cuda), Some(hip)) if cuda.size != hip.size => {
                format!(": this structure has {} bytes in CUDA, and {} in HIP", cuda.size, hip.size)
            }
            _ => String::new(),
        };
        let edit =
            Edit::insert(cx.document.range_of(start..start + 1).start(), "__attribute__((packed, aligned(16))) ");
        let message = format!("`{}` is aligned to 32 bytes in HIP, and to 16 in CUDA{sizes}", name.text);
        cx.report(name.range, message).fix(Fix::risky("align it as in CUDA", vec![edit]));
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
    while !matches!(document.token_text(end), ";" | "(" | "") {
        end = document.partner(end).filter(|&close| close > end).unwrap_or(end) + 1;
    }
    let is_pointer = document.is(kind + 1, b'*') || document.is(kind + 1, b'&');
    (starts && !is_pointer && document.is(end, b';')).then(|| (start, open + 1..document.partner(open).unwrap_or(open)))
}
