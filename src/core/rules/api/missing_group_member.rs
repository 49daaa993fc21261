//! Members of cooperative groups that HIP's groups lack, or that mean something else there.

use std::ops::Range;

use crate::analysis::{Function, Role, role};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::mapping::RocmVersion;
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::groups::{GroupKind, group_of_member, has_groups};
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Call, Document, TokenIdx, words};

declare_rule! {
    /// ## What it does
    /// Finds members of cooperative groups that HIP's groups lack or answer in another way: `dim_threads` of a block, `num_blocks`,
    /// `dim_blocks`, `block_rank` and `block_index` of a grid, `barrier_arrive` and `barrier_wait`, and
    /// before ROCm 7.2 `num_threads` of all groups. Before 7.2 `group_dim` of a grid is missing, too, or is the
    /// size of a block. The numbers of a part that `binary_partition` or `labeled_partition` makes are found as well.
    ///
    /// ## Why is this bad?
    /// The program does not compile, or takes the size of a block for that of the grid. In CUDA, the two parts of
    /// `binary_partition` have the numbers 0 and 1, and those of `labeled_partition` each have their own; in HIP, each is number 0 of 1.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cooperative_groups.h>
    /// __device__ unsigned rank() {
    ///     auto block = cooperative_groups::this_thread_block();
    ///     return block.thread_index().y * block.dim_threads().x + block.thread_index().x;
    /// }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_cooperative_groups.h>
    /// __device__ unsigned rank() {
    ///     auto block = cooperative_groups::this_thread_block();
    ///     return block.thread_index().y * block.group_dim().x + block.thread_index().x;
    /// }
    /// ```
    ///
    /// ## What to do
    /// A barrier in two steps becomes one: `sync()` where the program waits.
    ///
    /// ## Fix safety
    /// Safe: `group_dim` and `size` are what the members were called first, and a grid's numbers are those of
    /// `gridDim` and `blockIdx`.
    MissingGroupMember { code: "A033", name: "missing-group-member", severity: Error, fix: Sometimes, since: "0.1.0" }
}

/// The first release seen whose groups have `num_threads`, and whose grids have their own `group_dim`.
const COUNTED: RocmVersion = RocmVersion::new(7, 2);

/// What takes the place of a member.
#[derive(Debug, Clone, Copy)]
enum Instead {
    /// Another member.
    Member(&'static str),
    /// An expression that needs no group.
    Value(&'static str),
    /// Nothing.
    Nothing,
}

/// What has to be so for a member to be missing.
#[derive(Debug)]
struct Missing {
    member: &'static str,
    /// Of these groups only.
    of: &'static [GroupKind],
    /// In releases before this.
    before: Option<RocmVersion>,
    instead: Instead,
}

const GRID: &[GroupKind] = &[GroupKind::Grid];
const WHOLE: &[GroupKind] = &[GroupKind::Grid, GroupKind::Block];
const ALL: &[GroupKind] =
    &[GroupKind::Grid, GroupKind::Block, GroupKind::Any, GroupKind::Coalesced, GroupKind::Part, GroupKind::Other];

const GRID_SIZE: Instead = Instead::Value("dim3(gridDim.x, gridDim.y, gridDim.z)");
const BLOCK_INDEX: Instead = Instead::Value("dim3(blockIdx.x, blockIdx.y, blockIdx.z)");
const BLOCKS: Instead = Instead::Value("((unsigned long long)gridDim.x * gridDim.y * gridDim.z)");
const BLOCK_RANK: Instead =
    Instead::Value("(((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x)");

/// CUDA Programming Guide, "Cooperative Groups", "Group Types"; `hip/amd_detail/amd_hip_cooperative_groups.h` of ROCm 5.7, 6.4 and
/// 7.2. The program `fixtures/programs/cooperative_groups` uses all that have something instead.
const MISSING: &[Missing] = &[
    Missing { member: "barrier_arrive", of: WHOLE, before: None, instead: Instead::Nothing },
    Missing { member: "barrier_wait", of: WHOLE, before: None, instead: Instead::Nothing },
    Missing { member: "block_index", of: GRID, before: None, instead: BLOCK_INDEX },
    Missing { member: "block_rank", of: GRID, before: None, instead: BLOCK_RANK },
    Missing { member: "dim_blocks", of: GRID, before: None, instead: GRID_SIZE },
    Missing { member: "dim_threads", of: &[GroupKind::Block], before: None, instead: Instead::Member("group_dim") },
    Missing { member: "group_dim", of: GRID, before: Some(COUNTED), instead: GRID_SIZE },
    Missing { member: "num_blocks", of: GRID, before: None, instead: BLOCKS },
    Missing { member: "num_threads", of: ALL, before: Some(COUNTED), instead: Instead::Member("size") },
];

impl Rule for MissingGroupMember {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if !has_groups(cx) {
            return;
        }
        let document: &Document = cx.document;
        let rocm = cx.settings.rocm;
        let mut found = Vec::new();
        for missing in MISSING.iter().filter(|missing| missing.before.is_none_or(|first| rocm < first)) {
            let uses = words(document, missing.member).filter(|&idx| is_use(idx, cx));
            found.extend(uses.filter_map(|idx| Some((idx, call_of(idx, missing, cx)?, missing))));
        }
        found.sort_by_key(|(idx, ..)| *idx);
        for (idx, call, missing) in found {
            report(idx, call, missing, cx);
        }
        for idx in NUMBERS.iter().flat_map(|member| words(document, member)) {
            let is_of_part = |idx| group_of_member(idx, cx).is_some_and(|(_, kind)| kind == GroupKind::Part);
            if is_use(idx, cx) && is_of_part(idx) && !is_for_hip(idx, cx) {
                let member = document.token_text(idx);
                let message = format!("`{member}` says of this part of a group that there is one part only");
                let note = "HIP does not number what `binary_partition` makes: take the predicate or label itself";
                cx.report(document.range_of(idx..idx + 1), message).severity(Severity::Warning).note(note);
            }
        }
    }
}

/// Members that number the parts of a group.
const NUMBERS: &[&str] = &["meta_group_rank", "meta_group_size"];

/// A call of a member, in device code.
fn is_use(idx: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    document.is(idx + 1, b'(')
        && role(document, idx) == Role::Member
        && cx.facts.functions.around(idx).is_some_and(Function::runs_on_device)
}

/// The call from the group on, if that is one that lacks the member.
fn call_of(idx: TokenIdx, missing: &Missing, cx: &Context<'_>) -> Option<Range<TokenIdx>> {
    let (first, _) = group_of_member(idx, cx).filter(|(_, kind)| missing.of.contains(kind))?;
    Some(first..Call::at(cx.document, idx)?.close + 1)
}

fn report(idx: TokenIdx, call: Range<TokenIdx>, missing: &Missing, cx: &mut Context<'_>) {
    let document: &Document = cx.document;
    let range = document.range_of(idx..idx + 1);
    let (member, rocm) = (missing.member, cx.settings.rocm);
    let message = match missing.before {
        Some(_) if member == "group_dim" => format!("`{member}` of a grid is not the size of the grid in ROCm {rocm}"),
        Some(_) => format!("groups have no `{member}` in ROCm {rocm}"),
        None => format!("HIP's groups have no `{member}`"),
    };
    let finding = cx.report(range, message);
    let (replaced, by) = match missing.instead {
        Instead::Member(other) => (range, other),
        Instead::Value(value) => (document.range_of(call), value),
        Instead::Nothing => {
            finding.note("`sync` is one step where this is two");
            return;
        }
    };
    finding.severity(Severity::Hint).fix(Fix::safe(format!("use `{by}`"), vec![Edit::replace(replaced, by)]));
}
