//! Kernels that could tell the compiler how large their blocks are.

use rustc_hash::{FxHashMap, FxHashSet};

use super::bounds::all_bounds;
use crate::analysis::{Bounds, Declaration, Function, LaunchBlocks, Owner, threads_of};
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, Launch, TokenIdx};

/// The largest block, with which the compiler reckons where nothing else is said.
const LARGEST_BLOCK: i64 = 1024;

declare_rule! {
    /// ## What it does
    /// Finds kernels without `__launch_bounds__` whose launches, in all files of the run, have blocks
    /// of one size, less than 1024 threads. This is advice about speed, shown when it is asked for:
    /// `hipshift lint --select unbounded-kernel`.
    ///
    /// ## Why is this bad?
    /// The compiler reckons with blocks of 1024 threads, and gives each thread as few registers as
    /// such a block needs. The kernel of the table in `launch-bounds-units` spills 22 registers for
    /// gfx90a, and none with `__launch_bounds__(256)`.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void step(float* x) { x[threadIdx.x] *= 2; }
    /// void run(float* x) { step<<<1, 256>>>(x); }
    /// ```
    ///
    /// ## What to do
    /// Add `__launch_bounds__(256)`, unless the kernel is launched elsewhere with larger blocks: HIP
    /// refuses these.
    UnboundedKernel { code: "L010", name: "unbounded-kernel", severity: Hint, fix: None, since: "0.1.0" }
}

impl Rule for UnboundedKernel {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document = cx.document;
        let bounds = all_bounds(cx);
        let owner = |bounds: &Bounds| match bounds.owner {
            Owner::Kernel(of) => Some(document.token_text(of)),
            _ => None,
        };
        let bound: FxHashSet<&str> = bounds.iter().filter_map(owner).collect();
        let launches = launches_by_name(document);
        let mut sizes: FxHashMap<&str, Option<i64>> = FxHashMap::default();
        for kernel in cx.facts.functions.iter().filter(|function| function.is_kernel) {
            let Some(name) = kernel.name.filter(|name| !may_hold_bounds(kernel, *name, cx)) else { continue };
            let text = document.token_text(name);
            let launches = launches.get(text).map_or(&[][..], Vec::as_slice);
            if bound.contains(text) {
                continue;
            }
            let size = *sizes.entry(text).or_insert_with(|| size_of_blocks(text, launches, cx));
            let Some(size) = size.filter(|size| (1..LARGEST_BLOCK).contains(size)) else { continue };
            let message = format!("`{text}` runs in blocks of {size} threads, but the compiler reckons with 1024");
            let finding = cx.report(document.range_of(name..name + 1), message);
            finding
                .note(format!("`__launch_bounds__({size})` frees registers, if no other code launches larger blocks"));
            if let Some(launch) = launches.first() {
                finding.label(launch.range(document), "launched here");
            }
        }
    }
}

/// The launches of a file by the names of their kernels.
fn launches_by_name(document: &Document) -> FxHashMap<&str, Vec<&Launch>> {
    let mut launches: FxHashMap<&str, Vec<&Launch>> = FxHashMap::default();
    for launch in document.launches() {
        if let Some(name) = launch.kernel_name(document) {
            launches.entry(name).or_default().push(launch);
        }
    }
    launches
}

/// The size of the blocks of all launches of a kernel, if it is one and known.
fn size_of_blocks(kernel: &str, launches: &[&Launch], cx: &Context<'_>) -> Option<i64> {
    match cx.project.kernels.blocks(kernel) {
        Some(LaunchBlocks::Same(size)) => Some(size),
        Some(LaunchBlocks::Open) => None,
        // Without a look at the project, this file is all there is.
        None => {
            let constants = cx.constants();
            let mut sizes = launches.iter().map(|launch| threads_of(launch, &constants, cx.document));
            let first = sizes.next().flatten();
            first.filter(|_| sizes.all(|other| other == first))
        }
    }
}

/// Whether a macro in front of a kernel's name may hold `__launch_bounds__`.
fn may_hold_bounds(kernel: &Function, name: TokenIdx, cx: &Context<'_>) -> bool {
    (kernel.head.start..name).any(|idx| {
        let word = cx.document.token_text(idx);
        let is_shouted =
            word.len() > 1 && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
        let names_attribute = word.starts_with("__") && word != "__global__";
        let is_macro = cx.facts.declared.get(word) == Some(Declaration::Macro);
        is_macro || names_attribute || (is_shouted && word.contains(|c: char| c.is_ascii_uppercase()))
    })
}
