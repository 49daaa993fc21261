//! Names of PyTorch's headers that count the lanes of the whole wave, in code that keeps warps of 32 lanes.

use super::lane_function::keeps_32_lanes;
use crate::analysis::{Role, role};
use crate::diagnostic::RuleInfo;
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Call, Document, TokenIdx, statement_start, words_among};

declare_rule! {
    /// ## What it does
    /// Finds names of PyTorch's headers that stand for the size of a wave, or go over all of its lanes, in CUDA code whose warps keep
    /// 32 lanes: `C10_WARP_SIZE`, `WARP_SHFL_DOWN` and the like.
    ///
    /// ## Why is this bad?
    /// In PyTorch for ROCm `C10_WARP_SIZE` is the size of the wave (`c10/macros/Macros.h`), and the functions go over the wave unless
    /// they are given a width (`ATen/cuda/DeviceUtils.cuh`): 64 lanes on gfx9. What stands beside them counts on 32, and a sum over a
    /// warp is one over two, or lanes are counted twice.
    ///
    /// ## Example
    /// ```cuda
    /// #include <ATen/cuda/DeviceUtils.cuh>
    /// __device__ float sum(float x) {
    ///     for (int o = C10_WARP_SIZE / 2; o > 0; o /= 2) x += WARP_SHFL_DOWN(x, o);
    ///     return x;
    /// }
    /// ```
    ///
    /// ## What to do
    /// Write 32 for the size and give the functions 32 for their width, or convert the file with `--wave-policy native`.
    LibraryWaveSize { code: "W043", name: "library-wave-size", severity: Warning, fix: None, since: "0.2.0" }
}

/// Names with the size of the wave in them (PyTorch, `c10/macros/Macros.h`, `ATen/cuda/DeviceUtils.cuh`, `ATen/cuda/CUDAContextLight.h`).
const NAMES: &[&str] = &[
    "C10_WARP_SIZE",
    "C10_WARP_SIZE_LOWER_BOUND",
    "C10_WARP_SIZE_STATIC",
    "C10_WARP_SIZE_UPPER_BOUND",
    "WARP_BALLOT",
    "WARP_SHFL",
    "WARP_SHFL_DOWN",
    "WARP_SHFL_UP",
    "WARP_SHFL_XOR",
];

impl Rule for LibraryWaveSize {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document = cx.document;
        if cx.facts.is_hip {
            return;
        }
        for idx in words_among(document, NAMES) {
            let range = document.range_of(idx..idx + 1);
            let text = document.token_text(idx);
            // The project may have something of that name itself.
            let is_own = !cx.facts.declared.all(text).is_empty() || cx.project.own_names.contains_key(text);
            let is_read = keeps_32_lanes(range.start(), cx) && !cx.is_for_cuda_alone(idx) && !is_for_hip(idx, cx);
            if is_own || role(document, idx) != Role::Free || !is_read || has_width(document, idx) {
                continue;
            }
            let message = format!("PyTorch's `{text}` counts the lanes of a wave, and warps keep 32 lanes here");
            cx.report(range, message).note("write 32, or give the function 32 for its width");
        }
    }
}

/// Whether a shuffle is given its width, or a check only asks for the size.
fn has_width(document: &Document, idx: TokenIdx) -> bool {
    let is_shuffle = document.token_text(idx).starts_with("WARP_SHFL");
    is_shuffle && Call::at(document, idx).is_some_and(|call| call.arguments.len() > 2)
        || document.token_text(statement_start(document, idx)) == "static_assert"
}
