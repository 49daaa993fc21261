//! Votes of groups that some of their lanes do not come to, as they have returned.

use super::divergent_collective::{WARP, parts_lanes};
use super::group_vote::group_votes;
use crate::analysis::Function;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;
use crate::syntax::{Operand, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Finds `any`, `all`, `ballot`, `match_any` and `match_all` of cooperative groups behind an `if` that lets some lanes of
    /// a warp return, such as `if (i >= n) return;`.
    ///
    /// ## Why is this bad?
    /// CUDA's groups vote among the lanes that are left. HIP's votes ask for all lanes of the group
    /// (`amd_hip_cooperative_groups.h`, `build_mask`): where one of them has returned, the kernel ends with a trap, and
    /// in programs compiled with `NDEBUG` `all` is false.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cooperative_groups.h>
    /// namespace cg = cooperative_groups;
    /// __global__ void count(unsigned* out, int n) {
    ///     auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    ///     int i = blockIdx.x * blockDim.x + threadIdx.x;
    ///     if (i >= n) return;
    ///     out[i] = tile.ballot(i % 3 == 0);
    /// }
    /// ```
    ///
    /// ## What to do
    /// Let all lanes come to the vote, with a predicate that holds for none of those beyond the end: `bool in = i < n; unsigned votes
    /// = tile.ballot(in && i % 3 == 0); if (!in) return;`. Or vote among `cg::coalesced_threads()`.
    VoteAfterReturn { code: "W038", name: "vote-after-return", severity: Warning, fix: None, since: "0.2.0" }
}

impl Rule for VoteAfterReturn {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let votes = group_votes(cx);
        let mut rest = votes.as_slice();
        while let Some(&first) = rest.first() {
            let Some(function) = cx.facts.functions.around(first) else { return };
            let (here, behind) = rest.split_at(rest.partition_point(|&vote| vote < function.body.end).max(1));
            rest = behind;
            let Some((end, condition)) = first_return(cx, function) else { continue };
            if let Some(&vote) = here.iter().find(|&&vote| vote >= end) {
                report(cx, vote, condition);
            }
        }
    }
}

fn report(cx: &mut Context<'_>, vote: TokenIdx, condition: TextRange) {
    let message = format!("`{}` of a group comes behind a return of some of its lanes", cx.document.token_text(vote));
    let finding = cx.report(cx.document.range_of(vote..vote + 1), message);
    finding.label(condition, "lanes return here");
    finding.note("HIP's votes ask for all lanes of the group: let them come here, and return behind it");
}

/// Where the first statement of a function ends by which some lanes return, and its condition.
fn first_return(cx: &Context<'_>, function: &Function) -> Option<(TokenIdx, TextRange)> {
    let document = cx.document;
    let flow = cx.control_flow(function);
    let found = flow.ifs.iter().find(|found| {
        let mut then = found.then.clone();
        then.any(|idx| document.token_text(idx) == "return")
            && parts_lanes(cx, function, &Operand::read(document, found.condition.clone()), WARP)
    })?;
    Some((found.then.end, document.range_of(found.condition.clone())))
}
