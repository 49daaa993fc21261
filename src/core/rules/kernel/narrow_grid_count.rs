//! Counts of the threads of a grid, or of a group of any kind, which have 32 bits in HIP.

use std::ops::Range;

use super::unsigned_places::Place;
use crate::analysis::{Role, role};
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::groups::{GroupKind, group_of_member, has_groups};
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Call, Document, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Finds `thread_rank()`, `size()` and `num_threads()` of a `grid_group` or a `thread_group` wherever the type of the
    /// result may matter. It does not where the result is stored in a variable whose type is written down,
    /// is compared, or is an index.
    ///
    /// ## Why is this bad?
    /// They return `unsigned long long` in CUDA and 32 bits in HIP, so that products overflow, and a
    /// difference below zero becomes about four thousand million in a variable of 64 bits (NVIDIA, "CUDA C++
    /// Programming Guide", "Cooperative Groups", "Grid Groups"; `cooperative_groups.h` of CUDA 13.0).
    ///
    /// ## Example
    /// ```cuda
    /// #include <cooperative_groups.h>
    /// __device__ long long bytes() { return cooperative_groups::this_grid().size() * 4096; }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_cooperative_groups.h>
    /// __device__ long long bytes() { return static_cast<unsigned long long>(cooperative_groups::this_grid().size()) * 4096; }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the cast gives the type that the member has in CUDA.
    NarrowGridCount { code: "K054", name: "narrow-grid-count", severity: Hint, fix: Always, since: "0.2.0" }
}

/// Members that count threads; of blocks HIP's grids have no counts.
const MEMBERS: &[&str] = &["num_threads", "size", "thread_rank"];

impl Rule for NarrowGridCount {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if !has_groups(cx) {
            return;
        }
        let document: &Document = cx.document;
        let members = MEMBERS.iter().flat_map(|member| words(document, member));
        let mut found: Vec<_> = members.filter_map(|idx| Some((idx, count_of(idx, cx)?))).collect();
        found.sort_by_key(|(idx, _)| *idx);
        for (member, (call, group)) in found {
            report(member, call, group, cx);
        }
    }
}

/// How the groups that count with 64 bits in CUDA are called.
fn shown(kind: GroupKind) -> Option<&'static str> {
    match kind {
        GroupKind::Grid => Some("grid"),
        GroupKind::Any => Some("`thread_group`"),
        GroupKind::Block | GroupKind::Coalesced | GroupKind::Part | GroupKind::Other => None,
    }
}

/// The call from the group on, where its type may matter, and what the group is called.
fn count_of(member: TokenIdx, cx: &Context<'_>) -> Option<(Range<TokenIdx>, &'static str)> {
    let document: &Document = cx.document;
    let call = Call::at(document, member).filter(|_| role(document, member) == Role::Member)?;
    let (first, kind) = group_of_member(member, cx)?;
    let group = shown(kind)?;
    let place = Place::of((first, call.close), cx);
    (!place.takes_any_type() && !place.is_compared()).then_some((first..call.close + 1, group))
}

fn report(member: TokenIdx, call: Range<TokenIdx>, group: &str, cx: &mut Context<'_>) {
    let range = cx.document.range_of(call);
    let edits = vec![Edit::insert(range.start(), "static_cast<unsigned long long>("), Edit::insert(range.end(), ")")];
    let name = cx.document.range_of(member..member + 1);
    let message = format!("`{}` of a {group} has 32 bits in HIP, which may matter here", cx.document.slice(name));
    cx.report(name, message).fix(Fix::safe("cast it to the type that it has in CUDA", edits));
}
