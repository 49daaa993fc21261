//! Kernels that could tell the compiler how large their blocks are.

use super::bounds::all_bounds;
use crate::analysis::{Declaration, Function, LaunchBlocks, Owner, threads_of};
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Launch, TokenIdx};

/// The largest block, with which the compiler reckons where nothing else is said.
const LARGEST_BLOCK: i64 = 1024;

declare_rule! {
    /// ## What it does
    /// Finds kernels without `__launch_bounds__` whose launches, in all files of the run, have blocks
    /// of one size, less than 1024 threads.
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
        let is_bound = |name: &str| {
            bounds.iter().any(|bounds| matches!(bounds.owner, Owner::Kernel(of) if document.token_text(of) == name))
        };
        for kernel in cx.facts.functions.iter().filter(|function| function.is_kernel) {
            let Some(name) = kernel.name.filter(|name| !may_hold_bounds(kernel, *name, cx)) else { continue };
            let text = document.token_text(name);
            let launches = document.launches().iter().filter(|launch| launch.kernel_name(document) == Some(text));
            let launches: Vec<&Launch> = launches.collect();
            if is_bound(text) {
                continue;
            }
            // Without a look at the project, this file is all there is.
            let size = match cx.project.kernels.blocks(text) {
                Some(LaunchBlocks::Same(size)) => Some(size),
                Some(LaunchBlocks::Open) => None,
                None => {
                    let constants = cx.constants();
                    let mut sizes = launches.iter().map(|launch| threads_of(launch, &constants, document));
                    let first = sizes.next().flatten();
                    first.filter(|_| sizes.all(|other| other == first))
                }
            };
            let Some(size) = size.filter(|size| (1..LARGEST_BLOCK).contains(size)) else { continue };
            let message = format!("`{text}` runs in blocks of {size} threads, but the compiler reckons with 1024");
            let finding = cx.report(document.range_of(name..name + 1), message);
            finding
                .note(format!("`__launch_bounds__({size})` frees registers, if no other code launches larger blocks"));
            for launch in launches.iter().take(1) {
                finding.label(launch.range(document), "launched here");
            }
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
