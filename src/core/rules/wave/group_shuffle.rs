//! Shuffles of cooperative groups with values that are no numbers.

use super::group_vote::{VoteFunction, as_function};
use crate::analysis::{Role, role};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::Intrinsic;
use crate::rules::context::Context;
use crate::rules::definitions::definitions;
use crate::rules::groups::has_groups;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Call, Document, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Finds `shfl`, `shfl_up`, `shfl_down` and `shfl_xor` of cooperative groups with values of other types than numbers: of the
    /// project's own structures, and of a template's parameters, which may be such.
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
            let Some(VoteFunction { intrinsic, mut edits, is_of_group }) = as_function(shuffle, cx) else { continue };
            let range = cx.document.range_of(shuffle..shuffle + 1);
            let message = format!("`{}` of HIP's groups takes numbers only", cx.document.token_text(shuffle));
            let title = format!("define and use `{}`", intrinsic.helper());
            edits.extend(definitions(range.start(), cx));
            let finding = cx.report(range, message);
            if is_of_group {
                finding.fix(Fix::safe(title, edits));
            } else {
                let finding = finding.severity(Severity::Warning);
                finding.note("make sure that it is a group").fix(Fix::risky(title, edits));
            }
        }
    }
}

/// The shuffles that become functions, and the definitions of these.
pub(in crate::rules) fn defined_shuffles(cx: &Context<'_>) -> Vec<(TokenIdx, &'static Intrinsic)> {
    if !cx.settings.rules.is_enabled(&GroupShuffle::RULE_INFO) {
        return Vec::new();
    }
    let is_read = |shuffle: &TokenIdx| !cx.skips(cx.document.range_of(*shuffle..*shuffle + 1).start());
    let found = shuffles(cx).into_iter().filter(is_read);
    found.filter_map(|shuffle| as_function(shuffle, cx).map(|function| (shuffle, function.intrinsic))).collect()
}

/// The shuffles of values that are no numbers, in the order of the text.
fn shuffles(cx: &Context<'_>) -> Vec<TokenIdx> {
    let document: &Document = cx.document;
    let names = if has_groups(cx) { SHUFFLES } else { &[] };
    let all = names.iter().flat_map(|name| words(document, name));
    let mut found: Vec<_> = all.filter(|&idx| is_of_other_type(idx, cx)).collect();
    found.sort_unstable();
    found
}

/// `tile.shfl(x, 0)` in device code, where `x` is declared as something else than a number.
fn is_of_other_type(idx: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let Some(function) = cx.facts.functions.around(idx).filter(|function| function.runs_on_device()) else {
        return false;
    };
    if role(document, idx) != Role::Member {
        return false;
    }
    let Some(call) = Call::at(document, idx).filter(|call| call.open == idx + 1) else { return false };
    let Some(&value) = call.arguments.first() else { return false };
    let tokens = document.tokens_in(value);
    match cx.variable_types().of_argument(function, tokens.clone()) {
        Some(found) => !found.ends_with('*') && !found.split(' ').any(is_number),
        None => tokens.len() == 1 && cx.variable_types().is_of_template(function, tokens.start),
    }
}

fn is_number(word: &str) -> bool {
    NUMBERS.contains(&word) || word.ends_with("_t")
}
