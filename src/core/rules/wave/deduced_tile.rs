//! Tiles of cooperative groups whose type is deduced.

use crate::diagnostic::{Fix, RuleInfo};
use crate::mapping::RocmVersion;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{Call, Document, TokenIdx, TokenKind, words};

declare_rule! {
    /// ## What it does
    /// Finds `auto` variables that get a tile of a fixed size from `tiled_partition`, for releases
    /// before ROCm 6.4.
    ///
    /// ## Why is this bad?
    /// In the headers of HIP 5.7 the deduced type names the group that the tile is part of, and has
    /// `size`, `thread_rank` and `sync` from two base classes: to call one of them does not compile.
    /// Those of HIP 6.4 have no such fault.
    ///
    /// ## Example
    /// With `--rocm 5.7`:
    /// ```cuda
    /// #include <cuda_runtime.h>
    /// #include <cooperative_groups.h>
    /// namespace cg = cooperative_groups;
    /// __device__ int rank() {
    ///     auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    ///     return tile.thread_rank();
    /// }
    /// ```
    /// Use instead:
    /// ```hip
    /// #include <hip/hip_runtime.h>
    /// #include <hip/hip_cooperative_groups.h>
    /// namespace cg = cooperative_groups;
    /// __device__ int rank() {
    ///     cooperative_groups::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
    ///     return tile.thread_rank();
    /// }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: HIP converts the one type to the other.
    DeducedTile { code: "W019", name: "deduced-tile", severity: Hint, fix: Always, since: "0.1.0" }
}

/// The oldest release whose headers are known to be right.
const RIGHT: RocmVersion = RocmVersion::new(6, 4);

impl Rule for DeducedTile {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if cx.settings.rocm >= RIGHT {
            return;
        }
        let document = cx.document;
        for partition in words(document, "tiled_partition") {
            let Some((auto, size)) = deduced(document, partition) else { continue };
            let range = document.range_of(auto..auto + 1);
            let edit = Edit::replace(range, format!("cooperative_groups::thread_block_tile<{size}>"));
            let finding = cx.report(range, "members of such a tile are ambiguous in HIP 5.7");
            finding.fix(Fix::safe("write the type", vec![edit]));
        }
    }
}

/// The `auto` of `auto tile = cg::tiled_partition<32>(`, and the size.
fn deduced(document: &Document, partition: TokenIdx) -> Option<(TokenIdx, &str)> {
    let call = Call::at(document, partition).filter(|_| document.is(partition + 1, b'<'))?;
    let size = document.slice(document.range_of(partition + 2..call.open - 1));
    let mut first = partition;
    while first >= 2 && document.kind(first - 1) == Some(TokenKind::PathSep) {
        first = if document.kind(first - 2) == Some(TokenKind::Ident) { first - 2 } else { first - 1 };
    }
    let auto = first.checked_sub(3)?;
    let declares = document.token_text(auto) == "auto"
        && document.kind(auto + 1) == Some(TokenKind::Ident)
        && document.is(auto + 2, b'=');
    (declares && !size.contains(',')).then_some((auto, size))
}
