//! Votes of cooperative groups, which releases before ROCm 7.0 hide.

use super::lane_function::{REWORKED, is_behind_switch};
use super::sync_builtins_off::{BEHIND_SWITCH, SWITCH};
use crate::analysis::{Function, Role, role};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::header::{for_first_include, lacks_runtime};
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Document, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Finds the first vote, ballot or match of a cooperative group, if the ROCm release asked for
    /// (`--rocm`) hides it or lacks it.
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
    /// Safe: defines the macro in front of the includes, which declares more functions and changes
    /// none. There is no fix for releases without such votes, nor where the file declares a function
    /// that would come with the macro.
    HiddenGroupVote { code: "W018", name: "hidden-group-vote", severity: Hint, fix: Sometimes, since: "0.1.0" }
}

const VOTES: &[&str] = &["any", "all", "ballot", "match_any", "match_all"];

impl Rule for HiddenGroupVote {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let rocm = cx.settings.rocm;
        if rocm >= REWORKED || !has_groups(cx) || cx.facts.declared.get(SWITCH).is_some() {
            return;
        }
        let document: &Document = cx.document;
        let uses = VOTES.iter().flat_map(|vote| words(document, vote));
        let Some(first) = uses.filter(|&idx| is_vote(idx, cx)).min() else { return };
        let text = document.token_text(first);
        let range = document.range_of(first..first + 1);
        if rocm < BEHIND_SWITCH {
            let message = format!("groups have `{text}` from ROCm 6.2 on, not in {rocm}");
            let finding = cx.report(range, message).severity(Severity::Error);
            finding.note("combine the predicates of the lanes with `shfl_xor`");
            return;
        }
        let newline = document.file().newline.as_str();
        let lines = ["#ifndef ", SWITCH, newline, "#define ", SWITCH, newline, "#endif", newline].concat();
        let edit = Edit::insert(for_first_include(document, first), lines);
        let is_fixable = !lacks_runtime(cx) && !cx.facts.declared.iter().any(is_behind_switch);
        let finding = cx.report(range, format!("`{text}` of groups needs {SWITCH} in ROCm {rocm}"));
        if is_fixable {
            finding.fix(Fix::safe("define it before the first HIP header", vec![edit]));
        } else {
            finding.severity(Severity::Warning).note("define it for the whole build");
        }
    }
}

/// Whether the file includes the header of cooperative groups.
fn has_groups(cx: &Context<'_>) -> bool {
    let mut includes = cx.document.includes();
    includes.any(|include| include.path.contains("cooperative_groups"))
}

/// `tile.any(`, in device code.
fn is_vote(idx: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    document.is(idx + 1, b'(')
        && role(document, idx) == Role::Member
        && cx.facts.functions.around(idx).is_some_and(Function::runs_on_device)
}
