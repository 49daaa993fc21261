//! Branches that are read for targets with waves of one size only.

use super::macros::is_of_series;
use crate::analysis::{Definition, Expression, Value, evaluate};
use crate::rules::context::Context;
use crate::source::Spans;
use crate::syntax::TokenIdx;

/// Whether the number 32 in a branch cannot be meant for waves of 64 lanes: only targets with waves of 32 read it, or it is about
/// the matrix instructions of targets with 64, whose tiles have 32 rows.
pub(in crate::rules) fn is_for_one_width(place: TokenIdx, cx: &Context<'_>) -> bool {
    let find = || {
        let chains = cx.facts.conditions.chains().iter();
        let skipped = chains.flat_map(|chain| {
            let mut skipped = chain.skipped(|condition| truth(condition, &on_64_lanes, cx));
            skipped.extend(chain.skipped(|condition| truth(condition, &without_matrices, cx)));
            skipped
        });
        skipped.collect::<Spans<TokenIdx>>()
    };
    cx.branches.of_one_width.get_or_init(find).contains(place)
}

fn truth(condition: &Expression, definition: &dyn Fn(&str) -> Definition, cx: &Context<'_>) -> Option<bool> {
    evaluate(condition, &|token| definition(&cx.document.name(token))).truth()
}

/// What macros are on every target with waves of 64 lanes, as LLVM's "User Guide for AMDGPU Backend" names targets: `__GFX9__` is
/// defined for all of them, and the series from 10 on, RDNA, have waves of 32.
fn on_64_lanes(name: &str) -> Definition {
    if matches!(name, "__GFX9__" | "CDNA") {
        Definition::Defined(Value::Known(1))
    } else if is_of_series(name, "RDNA") || name.split('_').any(is_later_series) {
        Definition::Undefined
    } else {
        Definition::Unknown
    }
}

/// `gfx1100`, `GFX12`
fn is_later_series(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["gfx10", "gfx11", "gfx12"].iter().any(|series| word.starts_with(series))
}

/// What macros are where there are no matrix instructions of 64 lanes.
fn without_matrices(name: &str) -> Definition {
    if name.split('_').any(|word| word == "MFMA") { Definition::Undefined } else { Definition::Unknown }
}
