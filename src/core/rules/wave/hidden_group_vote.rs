//! Votes of cooperative groups, which releases before ROCm 7.0 hide.

use super::group_function::{GroupFunction, defined};
use super::group_vote::hidden_votes;
use super::lane_function::is_behind_switch;
use super::sync_builtins_off::{BEHIND_SWITCH, SWITCH};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::Intrinsic;
use crate::rules::context::Context;
use crate::rules::header::{for_first_include, lacks_runtime};
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Finds votes, ballots and matches of cooperative groups, if the ROCm release asked for
    /// (`--rocm`) hides or lacks them. Where it hides them, the first one stands for all.
    ///
    /// ## Why is this bad?
    /// ROCm 6.2 to 6.4 declare `any`, `all`, `ballot`, `match_any` and `match_all` of groups only
    /// where `HIP_ENABLE_WARP_SYNC_BUILTINS` is defined before the first HIP header. Releases
    /// before 6.2 lack them.
    ///
    /// ## Example
    /// With `--rocm 6.4`:
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// #include <cooperative_groups.h>
    /// namespace cg = cooperative_groups;
    /// __device__ int f(cg::thread_block_tile<32> tile, int x) { return tile.any(x > 0); }
    /// ```
    ///
    /// ## Fix safety
    /// For ROCm 6.2 to 6.4 safe: defines the macro in front of the includes, which declares more
    /// functions and changes none; there is no fix where the file declares a function that would
    /// come with the macro. For older releases a function with shuffles of the group is defined and
    /// takes the place of the vote: safe where the function declares the group, else unsafe, as the
    /// member may be of another class.
    HiddenGroupVote { code: "W018", name: "hidden-group-vote", severity: Hint, fix: Sometimes, since: "0.1.0" }
}

impl Rule for HiddenGroupVote {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let votes = hidden_votes(cx);
        let Some(&first) = votes.first() else { return };
        if cx.settings.rocm >= BEHIND_SWITCH {
            ask_for_switch(first, cx);
            return;
        }
        for vote in votes {
            replace(vote, cx);
        }
    }
}

/// For releases whose groups have no votes.
fn replace(vote: TokenIdx, cx: &mut Context<'_>) {
    let (document, rocm) = (cx.document, cx.settings.rocm);
    let message = format!("groups have `{}` from ROCm 6.2 on, not in {rocm}", document.token_text(vote));
    if let Some(function) = GroupFunction::of(vote, cx) {
        function.report(vote, message, cx);
    } else {
        let finding = cx.report(document.range_of(vote..vote + 1), message).severity(Severity::Error);
        finding.note("combine the predicates of the lanes with `shfl_xor`");
    }
}

/// For releases that declare votes only where a macro is defined.
fn ask_for_switch(first: TokenIdx, cx: &mut Context<'_>) {
    let (document, rocm): (&Document, _) = (cx.document, cx.settings.rocm);
    let range = document.range_of(first..first + 1);
    let newline = document.file().newline.as_str();
    let lines = ["#ifndef ", SWITCH, newline, "#define ", SWITCH, newline, "#endif", newline].concat();
    let edit = Edit::insert(for_first_include(document, first), lines);
    let is_fixable = !lacks_runtime(cx) && !cx.facts.declared.iter().any(is_behind_switch);
    let message = format!("`{}` of groups needs {SWITCH} in ROCm {rocm}", document.token_text(first));
    let finding = cx.report(range, message);
    if is_fixable {
        finding.fix(Fix::safe("define it before the first HIP header", vec![edit]));
    } else {
        finding.severity(Severity::Warning).note("define it for the whole build");
    }
}

/// The votes and matches that become functions, and the definitions of these.
pub(in crate::rules) fn defined_votes(cx: &Context<'_>) -> Vec<(TokenIdx, &'static Intrinsic)> {
    if cx.settings.rocm >= BEHIND_SWITCH || !cx.settings.rules.is_enabled(&HiddenGroupVote::RULE_INFO) {
        return Vec::new();
    }
    defined(hidden_votes(cx), cx)
}
