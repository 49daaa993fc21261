//! Sets of lanes that members of groups give, which have 64 bits in HIP.

use super::group_function::gives_32_lanes;
use super::group_vote::group_votes;
use super::sync_builtins_off::BEHIND_SWITCH;
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::groups::{group_of_member, is_group, start_of_receiver};
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Call, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Finds `ballot`, `match_any` and `match_all` of cooperative groups in a project whose warps keep 32 lanes
    /// (`--wave-policy logical32`, the default).
    ///
    /// ## Why is this bad?
    /// They return `unsigned int` in CUDA and `unsigned long long` in HIP (NVIDIA, "CUDA C++ Programming Guide", "Cooperative
    /// Groups", "Thread Block Tile"; `amd_hip_cooperative_groups.h`). `~tile.ballot(p)` then has 32 more lanes,
    /// `tile.ballot(p) << 1` keeps a bit that CUDA drops, and `__ffs(tile.ballot(p))` does not compile.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cooperative_groups.h>
    /// namespace cg = cooperative_groups;
    /// __device__ bool all_busy(cg::thread_block_tile<32> tile, bool busy) { return ~tile.ballot(busy) == 0; }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_cooperative_groups.h>
    /// namespace cg = cooperative_groups;
    /// __device__ bool all_busy(cg::thread_block_tile<32> tile, bool busy) { return ~static_cast<unsigned>(tile.ballot(busy)) == 0; }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: no group holds more than 32 lanes where warps keep 32, and the cast gives the type that the member has in CUDA. Where
    /// the text does not show that it is a member of a group, or of whatever a template takes, the fix is unsafe.
    WideGroupMask { code: "W041", name: "wide-group-mask", severity: Hint, fix: Always, since: "0.2.0" }
}

impl Rule for WideGroupMask {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if cx.settings.rocm < BEHIND_SWITCH {
            return;
        }
        for vote in group_votes(cx) {
            if gives_32_lanes(vote, cx) && !is_for_hip(vote, cx) && !cx.is_for_cuda_alone(vote) {
                report(vote, cx);
            }
        }
    }
}

fn report(vote: TokenIdx, cx: &mut Context<'_>) {
    let document = cx.document;
    let Some(call) = Call::at(document, vote) else { return };
    let known = group_of_member(vote, cx).map(|(first, _)| first);
    let Some(first) = known.or_else(|| start_of_receiver(document, vote.checked_sub(2)?)) else { return };
    if needs_no_cast(first, call.close, cx) {
        return;
    }
    let is_of_group = known.is_some() || is_group(document, first, vote, cx) || is_of_any_type(first, cx);
    let range = document.range_of(first..call.close + 1);
    let edits = vec![Edit::insert(range.start(), "static_cast<unsigned>("), Edit::insert(range.end(), ")")];
    let name = document.range_of(vote..vote + 1);
    let message = format!("`{}` of a group gives 64 bits in HIP", document.slice(name));
    let title = "cast it to the type that it has in CUDA";
    let finding = cx.report(name, message);
    if is_of_group {
        finding.fix(Fix::safe(title, edits));
    } else {
        finding.severity(Severity::Warning).note("make sure that it is a group").fix(Fix::risky(title, edits));
    }
}

/// Whether an object is of a type that a template takes: `template <class T> … f(const T& tile)`.
fn is_of_any_type(object: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let Some(function) = cx.facts.functions.around(object) else { return false };
    let Some(words) = cx.variable_types().of_variable(function, object) else { return false };
    let [name] = *words.as_slice() else { return false };
    let is_parameter = |idx: TokenIdx| {
        document.token_text(idx) == name && matches!(document.token_text(idx - 1), "class" | "typename")
    };
    (function.head.start + 1..function.head.end).any(is_parameter)
}

/// Whether the type matters to nobody: the call is a statement, its value is cast to 32 bits already, or goes to a function for 64 bits.
fn needs_no_cast(first: TokenIdx, close: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let word = |back: usize| first.checked_sub(back).map_or("", |idx| document.token_text(idx));
    let is_type = |word: &str| matches!(word, "unsigned" | "uint32_t" | "int" | "uint");
    let is_statement = matches!(word(1), ";" | "{" | "}") && document.is(close + 1, b';');
    // `(unsigned)tile.ballot(p)`
    let is_cast = word(1) == ")" && is_type(word(2));
    let is_whole = word(1) == "(" && document.partner(first - 1) == Some(close + 1);
    // `unsigned(…)`, `static_cast<unsigned>(…)`, `(unsigned)(…)`
    let is_converted = is_type(word(2)) || matches!(word(2), ">" | ")") && is_type(word(3));
    let takes_64 = matches!(word(2), "__ffsll" | "__popcll" | "__clzll" | "__brevll");
    is_statement || is_cast || is_whole && (is_converted || takes_64)
}
