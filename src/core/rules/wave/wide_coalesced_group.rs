//! Groups of the threads that run together, which hold up to 64 lanes.

use super::lane_function::{REWORKED, keeps_32_lanes};
use crate::analysis::{Declaration, Role, role};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::groups::{GroupKind, group_of_value};
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Call, Document, TokenIdx, end_of_value, path_start, statement_start, words};

declare_rule! {
    /// ## What it does
    /// Finds `coalesced_threads()` of cooperative groups in a project whose warps keep 32 lanes (`--wave-policy logical32`,
    /// the default).
    ///
    /// ## Why is this bad?
    /// In HIP the group holds the active lanes of a whole wave: up to 64 on CDNA GPUs, where CUDA's has up to 32. Its size, ranks,
    /// votes and shuffles then speak of other threads.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// #include <cooperative_groups.h>
    /// namespace cg = cooperative_groups;
    /// __device__ unsigned active() { return cg::coalesced_threads().size(); }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// #include <hip/hip_cooperative_groups.h>
    /// namespace cg = cooperative_groups;
    /// __device__ unsigned active() { return cg::binary_partition(cg::coalesced_threads(), __builtin_amdgcn_wavefrontsize() > 32 && __lane_id() >= 32).size(); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the partition holds the lanes of the caller's half of the wave, and on waves of 32 lanes all of them, which the
    /// first comparison tells the compiler (without it, clang 22 crashes on aggregated atomics for gfx1100). Before
    /// ROCm 7.0 HIP's headers have `binary_partition` behind a switch or not at all, so there is no fix. Nor is there one where
    /// the function is handed on, and where a file with such groups takes any group as a `thread_group`, which in HIP knows
    /// nothing of a coalesced one.
    WideCoalescedGroup { code: "W031", name: "wide-coalesced-group", severity: Hint, fix: Sometimes, since: "0.2.0" }
}

impl Rule for WideCoalescedGroup {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        check_bases(cx);
        if cx.facts.declared.all("coalesced_threads").iter().any(|own| own.kind != Declaration::Using) {
            return;
        }
        let document = cx.document;
        let can_part = cx.settings.rocm >= REWORKED;
        for name in words(document, "coalesced_threads") {
            let start = path_start(document, name);
            if document.token_text(statement_start(document, start)) == "using" {
                continue;
            }
            let call = Call::at(document, name).filter(|call| call.arguments.is_empty());
            let at = document.range_of(name..name + 1).start();
            if !keeps_32_lanes(at, cx)
                || role(document, name) == Role::Member
                || is_for_hip(name, cx)
                || is_parted(document, start)
            {
                continue;
            }
            let path = document.slice(document.range_of(start..name));
            let whole = document.range_of(start..call.as_ref().map_or(name, |call| call.close) + 1);
            let finding =
                cx.report(document.range_of(name..name + 1), "the group holds up to 64 lanes, but warps keep 32 here");
            if call.is_none() {
                let note = "call it where its lanes are needed, so that the caller's half of the wave can be taken";
                finding.severity(Severity::Warning).note(note);
            } else if can_part {
                let edits = vec![
                    Edit::insert(whole.start(), format!("{path}binary_partition(")),
                    Edit::insert(whole.end(), ", __builtin_amdgcn_wavefrontsize() > 32 && __lane_id() >= 32)"),
                ];
                finding.fix(Fix::safe("take the lanes of the caller's half", edits));
            } else {
                finding
                    .severity(Severity::Warning)
                    .note("part it with a mask of the caller's 32 lanes, or choose ROCm 7.0 or later");
            }
        }
    }
}

/// Groups of any kind in a file with coalesced ones: what HIP's `thread_group` says of such a group is empty.
fn check_bases(cx: &mut Context<'_>) {
    let document = cx.document;
    let names = |name: &str| words(document, name).next().is_some();
    if !names("coalesced_threads") && !names("coalesced_group") {
        return;
    }
    let of_cuda = |token: &TokenIdx| path_start(document, *token) < *token && !is_for_hip(*token, cx);
    let bases: Vec<TokenIdx> =
        words(document, "thread_group").filter(of_cuda).filter(|&base| !is_of_other_group(base, cx)).collect();
    for base in bases {
        let message = "a coalesced group that is taken for a `thread_group` has no threads in HIP";
        let note = "take it as a `coalesced_group`, or by a template parameter";
        cx.report(document.range_of(base..base + 1), message).severity(Severity::Warning).note(note);
    }
}

/// Whether what is declared by the base class at `base` is made of a group that is surely no coalesced one: `thread_group group = tile;`.
fn is_of_other_group(base: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let value = base + 3..end_of_value(document, base + 3);
    let kind = if document.is(base + 2, b'=') { group_of_value(value, cx) } else { None };
    matches!(kind, Some(GroupKind::Grid | GroupKind::Block | GroupKind::Other))
}

/// Whether an earlier conversion, or somebody by hand, parts the group already.
fn is_parted(document: &Document, start: TokenIdx) -> bool {
    start >= 2 && document.is(start - 1, b'(') && document.token_text(start - 2) == "binary_partition"
}
