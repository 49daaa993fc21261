//! Launches with chevrons of kernels that wait for the whole grid.

use rustc_hash::FxHashMap;

use crate::analysis::Function;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, words, words_in};

declare_rule! {
    /// ## What it does
    /// Finds launches `kernel<<<…>>>(…)` of kernels in the same file that call `sync()` on the group of the whole grid, or of
    /// the grids of several GPUs, without asking `is_valid()` before.
    ///
    /// ## Why is this bad?
    /// Only a cooperative launch puts all blocks on the GPU at once and gives them the memory to wait with. CUDA fails in
    /// such a kernel, too; HIP reads through a null pointer.
    ///
    /// ## Example
    /// ```cuda
    /// #include <cooperative_groups.h>
    /// __global__ void steps(int* x) { x[0] = 1; cooperative_groups::this_grid().sync(); x[1] = x[0]; }
    /// void run(int* x) { steps<<<4, 64>>>(x); }
    /// ```
    ///
    /// ## What to do
    /// Start it with `hipLaunchCooperativeKernel`, whose arguments are an array of pointers to those of the kernel, and with
    /// `hipLaunchCooperativeKernelMultiDevice` if it waits for several grids.
    UncooperativeLaunch { code: "L023", name: "uncooperative-launch", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for UncooperativeLaunch {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        if document.launches().is_empty() || words(document, "sync").next().is_none() {
            return;
        }
        let waiting = waiting_kernels(cx);
        for launch in document.launches() {
            let kernel = launch.kernel_name(document).and_then(|name| waiting.get(name).copied().flatten());
            let Some(sync) = kernel else { continue };
            let message = "the kernel waits for the whole grid, which takes a cooperative launch";
            let finding = cx.report(launch.range(document), message);
            finding.label(document.range_of(sync..sync + 1), "it waits here");
            finding.note(
                "start it with `hipLaunchCooperativeKernel`, or with `hipLaunchCooperativeKernelMultiDevice` for several GPUs",
            );
        }
    }
}

/// Where the kernels wait for the grid, by name; `None` where another function of the name does not.
fn waiting_kernels<'d>(cx: &Context<'d>) -> FxHashMap<&'d str, Option<TokenIdx>> {
    let document = cx.document;
    let mut waiting: FxHashMap<&str, Option<TokenIdx>> = FxHashMap::default();
    for function in cx.facts.functions.iter().filter(|function| function.is_kernel) {
        let Some(name) = function.name else { continue };
        let sync = GROUPS.iter().find_map(|group| grid_sync(document, function, group));
        let known = waiting.entry(document.token_text(name)).or_insert(sync);
        *known = known.and(sync);
    }
    waiting
}

/// The functions that give the groups of the whole grid, and of the grids of several GPUs.
const GROUPS: [&str; 2] = ["this_grid", "this_multi_grid"];

/// The `sync` of a function's group that `group` gave, unless the function asks whether the group is valid.
fn grid_sync(document: &Document, function: &Function, group: &str) -> Option<TokenIdx> {
    let body = || function.body.clone();
    if words_in(document, "is_valid", body()).next().is_some() {
        return None;
    }
    let groups: Vec<&str> = words_in(document, group, body())
        .filter_map(|idx| variable_of(document, function, idx))
        .map(|name| document.token_text(name))
        .collect();
    words_in(document, "sync", body()).find(|&sync| {
        let of_call = sync > 4 && document.is(sync - 2, b')') && document.token_text(sync - 4) == group;
        // `grid.sync()` and `sync(grid)`
        let object = if document.is(sync.saturating_sub(1), b'.') { sync - 2 } else { sync + 2 };
        of_call || groups.contains(&document.token_text(object))
    })
}

/// `name` in `auto name = cg::this_grid()` and `cg::grid_group name = …`
fn variable_of(document: &Document, function: &Function, call: TokenIdx) -> Option<TokenIdx> {
    let assigned =
        (function.body.start..call).rev().find(|&idx| matches!(document.token_text(idx), "=" | ";" | "{" | "}"))?;
    document.is(assigned, b'=').then(|| assigned.checked_sub(1)).flatten()
}
