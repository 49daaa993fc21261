//! Code that only HIP compilers read, because somebody ported it already.

use super::macros::{Macro, Pass, Reading, classify, definition};
use crate::analysis::{Chain, Definition, Expression, Value, evaluate};
use crate::rules::context::Context;
use crate::syntax::TokenIdx;

/// Whether the token at `idx` lies in a branch that a CUDA compiler skips, such as that of
/// `#ifdef __HIP_PLATFORM_AMD__`.
pub(in crate::rules) fn is_for_hip(idx: TokenIdx, cx: &Context<'_>) -> bool {
    cx.facts.conditions.chains().iter().any(|chain| skips_under_cuda(chain, idx, cx))
}

fn skips_under_cuda(chain: &Chain, idx: TokenIdx, cx: &Context<'_>) -> bool {
    let Some(number) = chain.branches.iter().position(|branch| branch.body.contains(&idx)) else { return false };
    let (earlier, rest) = chain.branches.split_at(number);
    let truth = |condition: &Expression| under_cuda(condition, cx).truth();
    let own = rest.first().and_then(|branch| branch.condition.as_ref());
    let is_taken_before = earlier.iter().filter_map(|branch| branch.condition.as_ref()).any(|c| truth(c) == Some(true));
    is_taken_before || own.is_some_and(|condition| truth(condition) == Some(false))
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
