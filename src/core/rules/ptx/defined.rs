//! The functions that replacements of PTX call, which the file has to define.

use super::inline_ptx::InlinePtx;
use super::reading::Readings;
use crate::mapping::{Intrinsic, Intrinsics};
use crate::rules::context::Context;
use crate::syntax::TokenIdx;

/// The statements that become calls of functions for warps of 32 lanes, and the definitions of these.
pub(in crate::rules) fn defined_for_ptx(cx: &Context<'_>) -> Vec<(TokenIdx, &'static Intrinsic)> {
    let Ok(table) = Intrinsics::builtin() else { return Vec::new() };
    if !cx.settings.rules.is_enabled(&InlinePtx::RULE_INFO) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let readings = Readings::of(cx);
    for asm in cx.asms.iter().filter(|asm| !cx.skips(cx.document.range_of(asm.keyword..asm.keyword + 1).start())) {
        let Some(Ok(rewrite)) = readings.get(*asm).map(|reading| &reading.outcome) else { continue };
        let needed = rewrite.rows.iter().flat_map(|row| &row.needs);
        found.extend(needed.filter_map(|name| table.get(name)).map(|intrinsic| (asm.keyword, intrinsic)));
    }
    found
}
