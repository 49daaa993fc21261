//! Reductions of bits that HIP's headers make of truth values.

use super::lane_function::{LaneFunction, REWORKED, has_wide_masks};
use super::mask_constant::MaskConstant;
use crate::diagnostic::RuleInfo;
use crate::rules::api::{is_declaration, visible_call};
use crate::rules::context::Context;
use crate::rules::query::{Name, Names};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;
use crate::syntax::{Document, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds `__reduce_and_sync`, `__reduce_or_sync` and `__reduce_xor_sync` whose mask may have holes, in sources written for
    /// HIP, and in CUDA whose warps become whole waves (`--wave-policy native`).
    ///
    /// ## Why is this bad?
    /// In CUDA they combine bits. The headers of ROCm 7.2 do so as well where the mask holds all lanes from the first on and
    /// the compiler optimises; else they combine with `&&`, `||` and their like, and the result is 0 or 1.
    ///
    /// ## Example
    /// ```cuda
    /// #include <hip/hip_runtime.h>
    /// __device__ unsigned bits(unsigned x, unsigned long long mask) { return __reduce_or_sync(mask, x); }
    /// ```
    ///
    /// ## What to do
    /// Combine the bits with shuffles, or give values that are 0 or 1.
    LogicalReduction { code: "W021", name: "logical-reduction", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for LogicalReduction {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Names;

    fn check<'d>(name: Name<'d>, cx: &mut Context<'d>) {
        let combines = matches!(&*name.text, "__reduce_and_sync" | "__reduce_or_sync" | "__reduce_xor_sync");
        if !combines
            || LaneFunction::of(&name).is_none()
            || !has_wide_masks(name.range.start(), cx)
            || cx.settings.rocm < REWORKED
        {
            return;
        }
        let Some(call) = visible_call(cx.document, name.token).filter(|call| !is_declaration(call, cx)) else { return };
        let [mask, value] = call.arguments.as_slice() else { return };
        // A constant of 32 bits does not compile, which is another rule's.
        let is_narrow = MaskConstant::of(cx, *mask).is_some();
        if is_narrow || is_without_holes(cx.document.slice(*mask)) || is_truth(cx.document, *value) {
            return;
        }
        let message = format!("`{}` gives 0 or 1 where its mask has holes", name.text);
        let finding = cx.report(name.range, message);
        finding.note("HIP's headers combine with `&&`, `||` and `!=` then, and CUDA's combine bits");
    }
}

/// Whether a mask is a number whose ones begin at the first lane and go on without a gap.
fn is_without_holes(mask: &str) -> bool {
    let text = mask.trim().to_ascii_lowercase();
    let bare = text.trim_end_matches(['u', 'l']);
    if matches!(bare, "~0" | "-1") {
        return true;
    }
    let number =
        bare.strip_prefix("0x").map_or_else(|| bare.parse().ok(), |digits| u64::from_str_radix(digits, 16).ok());
    number.is_some_and(|number| number != 0 && number & number.wrapping_add(1) == 0)
}

/// Whether a value is 0 or 1 by what computes it: a comparison, a negation, a number.
fn is_truth(document: &Document, value: TextRange) -> bool {
    let text = document.slice(value).trim();
    let compares = |idx| match document.kind(idx) {
        Some(TokenKind::Punct(b'!' | b'<' | b'>')) => !document.is(idx + 1, b'<') && !document.is(idx + 1, b'>'),
        Some(TokenKind::Punct(b'=')) => document.is(idx + 1, b'='),
        _ => false,
    };
    let tokens = document.tokens_in(value);
    let is_shift = text.contains("<<") || text.contains(">>");
    matches!(text, "0" | "1" | "0u" | "1u" | "true" | "false") || (!is_shift && tokens.into_iter().any(compares))
}
