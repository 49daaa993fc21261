//! Warp collectives of CUB whose width is left to the library.

use super::lane_function::keeps_32_lanes;
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{TokenIdx, TokenKind, split_arguments};

declare_rule! {
    /// ## What it does
    /// Finds `cub::WarpReduce` and `cub::WarpScan` without a number of lanes, in a project whose
    /// warps keep 32 lanes (`--wave-policy logical32`).
    ///
    /// ## Why is this bad?
    /// CUB's default is 32. That of hipCUB is the size of a wave, 64 on CDNA GPUs.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cub/cub.cuh>
    /// using Reduce = cub::WarpReduce<int>;
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hipcub/hipcub.hpp>
    /// using Reduce = hipcub::WarpReduce<int, 32>;
    /// ```
    ///
    /// ## Fix safety
    /// Safe: it spells out CUB's default.
    UnsizedWarpCollective { code: "W011", name: "unsized-warp-collective", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for UnsizedWarpCollective {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let is_collective = matches!(cx.document.token_text(name.token), "WarpReduce" | "WarpScan");
        if !is_collective || !keeps_32_lanes(name.range.start(), cx) {
            return;
        }
        let open = name.token + 1;
        let Some(close) = close_of_list(open, cx) else { return };
        if split_arguments(cx.document, open + 1..close).len() != 1 {
            return;
        }
        let at = cx.document.range_of(close - 1..close).end();
        let fix = Fix::safe("spell out 32 lanes", vec![Edit::insert(at, ", 32")]);
        let text = cx.document.token_text(name.token);
        cx.report(name.range, format!("`{text}` has 32 lanes in CUB, but those of a wave in hipCUB")).fix(fix);
    }
}

/// The `>` that closes the template argument list at `open`.
fn close_of_list(open: TokenIdx, cx: &Context<'_>) -> Option<TokenIdx> {
    let document = cx.document;
    let mut depth = 0_usize;
    let mut at = open;
    loop {
        match document.token(at)?.kind {
            TokenKind::Punct(b'<') => depth += 1,
            TokenKind::Punct(b'>') => depth = depth.checked_sub(1)?,
            TokenKind::Punct(b';' | b'{' | b'}') | TokenKind::Hash => return None,
            TokenKind::Punct(b'(') => at = document.partner(at).filter(|&close| close > at)?,
            _ => {}
        }
        if depth == 0 {
            return (at > open).then_some(at);
        }
        at += 1;
    }
}
