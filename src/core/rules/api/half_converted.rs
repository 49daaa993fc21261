//! Names of CUDA's in files that count as HIP.

use crate::analysis::{WAVE_SIZE, has_hip_extension, is_shuffle, is_warp_function, looks_like_cuda};
use crate::diagnostic::RuleInfo;
use crate::rules::conditional::is_for_hip;
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Call, TokenIdx, words, words_that};

declare_rule! {
    /// ## What it does
    /// Finds the first name that only CUDA has in a file which counts as HIP, as it includes HIP's headers and none of CUDA's, where the file
    /// has launch bounds, `warpSize` or functions for lanes, too.
    ///
    /// ## Why is this bad?
    /// What has the same name in both is taken for HIP's there: warps are not kept at 32 lanes, and the second number of
    /// `__launch_bounds__` stays. If the file was converted in part, as with `--select cuda-header` or "Convert selection" of an editor, it
    /// is CUDA's all the same, and means something else on AMD GPUs.
    ///
    /// ## Example
    /// ```cuda
    /// #include <hip/hip_runtime.h>
    /// __global__ void first(int* out) { out[threadIdx.x] = __shfl(out[threadIdx.x], 0); }
    /// void wait() { cudaDeviceSynchronize(); }
    /// ```
    ///
    /// ## What to do
    /// Convert the file as it was, as a whole. If it is HIP, write HIP's name.
    HalfConverted { code: "A040", name: "half-converted", severity: Warning, fix: None, since: "0.2.0" }
}

impl Rule for HalfConverted {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document = cx.document;
        if !cx.facts.is_hip || has_hip_extension(&document.file().path) || !includes_hip(cx) {
            return;
        }
        let Some(other) = other_in_hip(cx) else { return };
        let names = cx.names.iter().filter(|name| matches!(name.meaning, Meaning::Renamed(..)));
        let of_cuda = names.filter(|name| looks_like_cuda(&name.text) && cx.facts.declared.get(&name.text).is_none());
        let of_cuda = of_cuda.filter(|name| !cx.project.own_names.contains_key(&*name.text));
        let mut of_cuda = of_cuda.filter(|name| !cx.is_for_cuda_alone(name.token)).map(|name| name.token);
        let Some(first) = of_cuda.next() else { return };
        drop(of_cuda);
        let range = document.range_of(first..first + 1);
        let name = document.slice(range);
        let same = document.token_text(other);
        let label = document.range_of(other..other + 1);
        let message =
            format!("`{name}` is CUDA's, in a file that counts as HIP for its headers: `{same}` is taken for HIP's");
        cx.report(range, message).label(label, "left as it is").note("convert the file as it was, as a whole");
    }
}

/// Whether the file includes HIP's headers for all compilers, and not in a branch of a source for both.
fn includes_hip(cx: &Context<'_>) -> bool {
    cx.document
        .includes()
        .any(|include| include.path.starts_with("hip/") && !is_for_hip(include.directive.tokens.start, cx))
}

/// What CUDA and HIP call alike, and read otherwise.
fn other_in_hip(cx: &Context<'_>) -> Option<TokenIdx> {
    let document = cx.document;
    let has_two = |idx: TokenIdx| Call::at(document, idx).is_some_and(|call| call.arguments.len() > 1);
    let bounds = words(document, "__launch_bounds__").find(|&idx| has_two(idx));
    let is_vote = |name: &str| name.starts_with("__any") || name.starts_with("__all");
    let is_about_lanes = |name: &str| name == WAVE_SIZE || is_shuffle(name) || is_warp_function(name) || is_vote(name);
    let lanes = || words_that(document, is_about_lanes).into_iter().min();
    bounds.or_else(lanes)
}
