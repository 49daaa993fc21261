//! Warp collectives of CUB whose width is left to the library.

use super::lane_function::keeps_32_lanes;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{TokenIdx, TokenKind, split_arguments, words};

declare_rule! {
    /// ## What it does
    /// Finds `cub::WarpReduce`, `WarpScan`, `WarpExchange`, `WarpMergeSort`, `WarpLoad` and `WarpStore` without a number of
    /// lanes, in a project whose warps keep 32 lanes (`--wave-policy logical32`), and functions of CUB that count by warps
    /// without a number to give.
    ///
    /// ## Why is this bad?
    /// CUB's default is 32. That of hipCUB is the size of a wave, 64 on CDNA GPUs. Items that `LoadDirectWarpStriped` or
    /// `BlockedToWarpStriped` stripes over a warp come to other threads there.
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
    /// Safe: it spells out CUB's default. Functions that stripe over warps have no fix.
    UnsizedWarpCollective { code: "W011", name: "unsized-warp-collective", severity: Hint, fix: Sometimes, since: "0.1.0" }
}

impl Rule for UnsizedWarpCollective {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let text = cx.document.token_text(name.token);
        if !keeps_32_lanes(name.range.start(), cx) {
            return;
        }
        if STRIPED.contains(&text) {
            report_stripes(name.token, cx);
            return;
        }
        if text == EXCHANGE && words(cx.document, EXCHANGE).next() == Some(name.token) {
            report_members(cx);
        }
        let Some((_, position, default)) = COLLECTIVES.iter().find(|(of, ..)| *of == text) else { return };
        let open = name.token + 1;
        let Some(close) = close_of_list(open, cx) else { return };
        let given = split_arguments(cx.document, open + 1..close).len();
        let missing = match position.checked_sub(given) {
            Some(0) => ", 32".to_owned(),
            Some(1) if !default.is_empty() => format!(", {default}, 32"),
            _ => return,
        };
        let at = cx.document.range_of(close - 1..close).end();
        let fix = Fix::safe("spell out 32 lanes", vec![Edit::insert(at, missing)]);
        cx.report(name.range, format!("`{text}` has 32 lanes in CUB, but those of a wave in hipCUB")).fix(fix);
    }
}

/// The members of an exchange in a block that stripe over warps.
fn report_members(cx: &mut Context<'_>) {
    let document = cx.document;
    let is_called = |at: &TokenIdx| matches!(document.token_text(at.saturating_sub(1)), "." | "->");
    let found: Vec<TokenIdx> = MEMBERS.iter().flat_map(|member| words(document, member)).filter(is_called).collect();
    for token in found {
        report_stripes(token, cx);
    }
}

fn report_stripes(token: TokenIdx, cx: &mut Context<'_>) {
    let text = cx.document.token_text(token);
    let message = format!("`{text}` stripes over 32 threads in CUB, but over those of a wave in hipCUB");
    let note =
        "on waves of 64 lanes items come to other threads; write the stripes by hand, or use a blocked arrangement";
    cx.report(cx.document.range_of(token..token + 1), message).severity(Severity::Warning).note(note);
}

/// The class of CUB that exchanges items within a block, and its members that stripe over warps.
const EXCHANGE: &str = "BlockExchange";
const MEMBERS: &[&str] = &["BlockedToWarpStriped", "WarpStripedToBlocked"];

/// Class templates of CUB for a warp: which argument is the number of lanes, and the default of the one before.
const COLLECTIVES: &[(&str, usize, &str)] = &[
    ("WarpReduce", 1, ""),
    ("WarpScan", 1, ""),
    ("WarpExchange", 2, ""),
    ("WarpMergeSort", 2, ""),
    ("WarpLoad", 3, "hipcub::WARP_LOAD_DIRECT"),
    ("WarpStore", 3, "hipcub::WARP_STORE_DIRECT"),
];

/// Functions of CUB that stripe items over a warp.
const STRIPED: &[&str] = &["LoadDirectWarpStriped", "StoreDirectWarpStriped"];

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
