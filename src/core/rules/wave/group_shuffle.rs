//! Shuffles of cooperative groups with values that are no numbers.

use std::ops::Range;

use super::group_function::{GroupFunction, defined, member_calls};
use crate::diagnostic::RuleInfo;
use crate::mapping::{Intrinsic, vector_size};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Call, Document, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Finds `shfl`, `shfl_up`, `shfl_down` and `shfl_xor` of cooperative groups with values of other types than numbers: of the
    /// project's own structures, of CUDA's vectors, and of a template's parameters, which may be such.
    ///
    /// ## Why is this bad?
    /// CUDA's groups move any type that is a plain copy of bytes, up to 32 of them (CUDA C++ Programming Guide, "Cooperative Groups",
    /// "Warp Shuffle Functions"). Those of HIP up to 7.2 hand the value to `__shfl`, which takes numbers: `no matching function for call
    /// to '__shfl_down'`.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cooperative_groups.h>
    /// struct pair { float value; int at; };
    /// __device__ pair next(cooperative_groups::thread_block_tile<32> tile, pair mine) { return tile.shfl_down(mine, 1); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe where the function declares the group, else unsafe, as the member may be of another class: a function moves the value word by
    /// word.
    GroupShuffle { code: "W040", name: "group-shuffle", severity: Hint, fix: Always, since: "0.2.0" }
}

const SHUFFLES: &[&str] = &["shfl", "shfl_down", "shfl_up", "shfl_xor"];

/// Words of the types that HIP's own functions take (`hip/amd_detail/amd_warp_functions.h`, `amd_hip_fp16.h` and `amd_hip_bf16.h` of
/// ROCm 5.7 to 7.2), and of those that become one of them.
const NUMBERS: &[&str] = &[
    "__half",
    "__half2",
    "__hip_bfloat16",
    "__hip_bfloat162",
    "__nv_bfloat16",
    "__nv_bfloat162",
    "bool",
    "char",
    "double",
    "float",
    "half",
    "half2",
    "int",
    "long",
    "nv_bfloat16",
    "nv_bfloat162",
    "short",
    "signed",
    "uchar",
    "uint",
    "ulong",
    "unsigned",
    "ushort",
];

impl Rule for GroupShuffle {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        for shuffle in shuffles(cx) {
            let Some(function) = GroupFunction::of(shuffle, cx) else { continue };
            let message = format!("`{}` of HIP's groups takes numbers only", cx.document.token_text(shuffle));
            function.report(shuffle, message, cx);
        }
    }
}

/// The shuffles that become functions, and the definitions of these.
pub(in crate::rules) fn defined_shuffles(cx: &Context<'_>) -> Vec<(TokenIdx, &'static Intrinsic)> {
    if !cx.settings.rules.is_enabled(&GroupShuffle::RULE_INFO) {
        return Vec::new();
    }
    defined(shuffles(cx), cx)
}

/// The shuffles of values that are no numbers, in the order of the text.
fn shuffles(cx: &Context<'_>) -> Vec<TokenIdx> {
    let mut found = member_calls(SHUFFLES, cx);
    found.retain(|&shuffle| is_of_other_type(shuffle, cx));
    found
}

/// Whether the first argument of a call is declared as something else than a number.
fn is_of_other_type(call: TokenIdx, cx: &Context<'_>) -> bool {
    let Some(function) = cx.facts.functions.around(call) else { return false };
    let Some(call) = Call::at(cx.document, call).filter(|found| found.open == call + 1) else { return false };
    let Some(&value) = call.arguments.first() else { return false };
    let tokens = cx.document.tokens_in(value);
    match cx.variable_types().of_argument(function, tokens.clone()) {
        Some(found) => !found.ends_with('*') && !found.split(' ').any(is_number),
        None if makes_vector(cx.document, tokens.clone()) => true,
        None => tokens.len() == 1 && cx.variable_types().is_of_template(function, tokens.start),
    }
}

/// Whether all of a value is a call of one of the functions that make CUDA's vectors: `make_float2(x, 1)`.
fn makes_vector(document: &Document, value: Range<TokenIdx>) -> bool {
    let made = document.token_text(value.start).strip_prefix("make_");
    let is_whole = document.is(value.start + 1, b'(') && document.partner(value.start + 1) == Some(value.end - 1);
    is_whole && made.and_then(vector_size).is_some()
}

fn is_number(word: &str) -> bool {
    NUMBERS.contains(&word) || word.ends_with("_t")
}
