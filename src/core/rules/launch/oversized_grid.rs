//! Launches with too many threads in one dimension.

use crate::analysis::{Constants, sizes_of};
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, Launch};

declare_rule! {
    /// ## What it does
    /// Finds launches whose grid and block are known numbers that multiply to 2^32 threads or more
    /// in x, y or z.
    ///
    /// ## Why is this bad?
    /// HIP counts the threads of a dimension in 32 bits and refuses the launch (HIP runtime API,
    /// `hipModuleLaunchKernel`). CUDA counts blocks: up to 2^31 - 1 of them in x.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void step(float* x) { x[0] = 1; }
    /// void run(float* x) { step<<<1 << 24, 256>>>(x); }
    /// ```
    ///
    /// ## What to do
    /// Launch fewer blocks, and let each thread step through the data by the size of the grid.
    OversizedGrid { code: "L020", name: "oversized-grid", severity: Error, fix: None, since: "0.1.0" }
}

impl Rule for OversizedGrid {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        if document.launches().is_empty() {
            return;
        }
        let constants = cx.constants();
        for launch in document.launches() {
            if let Some((threads, dimension)) = too_many(launch, &constants, document) {
                let grid = document.range_of(launch.config.first().cloned().unwrap_or_default());
                let message = format!("the launch has {threads} threads in {dimension}, and HIP allows 4294967295");
                cx.report(grid, message);
            }
        }
    }
}

/// The first dimension with more threads than 32 bits count, and how many they are.
fn too_many(launch: &Launch, constants: &Constants, document: &Document) -> Option<(i64, char)> {
    let (grid, block) = (sizes_of(launch, 0, constants, document), sizes_of(launch, 1, constants, document));
    ['x', 'y', 'z'].into_iter().enumerate().find_map(|(at, dimension)| {
        // Sizes that are not given are 1; of one that is not known nothing can be said.
        let size = |sizes: &[Option<i64>]| sizes.get(at).copied().unwrap_or(Some(1));
        let threads = size(&grid)?.checked_mul(size(&block)?)?;
        (threads > i64::from(u32::MAX)).then_some((threads, dimension))
    })
}
