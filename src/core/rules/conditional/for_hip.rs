//! Branches that only HIP compilers read.

use super::macros::{Macro, Pass, Reading, classify, definition};
use crate::analysis::{Branch, Chain, Definition, Expression, Value, evaluate};
use crate::rules::context::Context;
use crate::syntax::TokenIdx;

/// Whether the token at `idx` lies in a branch that a CUDA compiler skips, such as that of
/// `#ifdef __HIP_PLATFORM_AMD__`.
pub(in crate::rules) fn is_for_hip(idx: TokenIdx, cx: &Context<'_>) -> bool {
    let blocks = || {
        cx.facts
            .conditions
            .chains()
            .iter()
            .flat_map(|chain| chain.skipped(|condition| under_cuda(condition, cx).truth()))
            .collect()
    };
    cx.branches.for_hip.get_or_init(blocks).contains(idx)
}

/// The value of a condition where nothing of HIP's is defined.
fn under_cuda(condition: &Expression, cx: &Context<'_>) -> Value {
    evaluate(condition, &|token| {
        let name = cx.document.name(token);
        let is_hip = classify(&name, cx) == Macro::Hip;
        // `__HIP_PLATFORM_NVIDIA__` is the one that AMD's compilers do not define.
        let is_amd = definition(&name, Pass::Device, Reading::Unchanged, cx) != Definition::Undefined;
        if is_hip && is_amd { Definition::Undefined } else { Definition::Unknown }
    })
}

/// Whether a CUDA compiler skips a branch for its condition.
pub(super) fn requires_hip(branch: &Branch, cx: &Context<'_>) -> bool {
    branch.condition.as_ref().is_some_and(|condition| under_cuda(condition, cx).truth() == Some(false))
}

/// The number of the first branch that is for HIP.
pub(super) fn first_for_hip(chain: &Chain, cx: &Context<'_>) -> Option<usize> {
    chain.branches.iter().position(|branch| requires_hip(branch, cx))
}
