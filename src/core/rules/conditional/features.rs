//! Macros that name features of NVIDIA's GPUs.

use super::judgement::Case;
use super::parts::walk_joined;
use crate::analysis::{Branch, Node};
use crate::rules::context::Context;
use crate::syntax::Document;

/// What NVIDIA calls its generations of GPUs. Macros with these words tell of their features.
const GENERATIONS: &[&str] = &["PASCAL", "VOLTA", "TURING", "AMPERE", "ADA", "HOPPER", "BLACKWELL", "RUBIN"];

/// Instructions that only NVIDIA's GPUs have, as macros name them.
const INSTRUCTIONS: &[&str] = &["CP_ASYNC", "LDMATRIX", "STMATRIX", "WGMMA"];

/// Whether a `#ifdef` about a feature of NVIDIA's GPUs stands around the condition.
pub(super) fn is_within_feature(case: &Case<'_>, cx: &Context<'_>) -> bool {
    let of_features = || {
        let branches = cx.facts.conditions.chains().iter().flat_map(|chain| &chain.branches);
        branches.filter(|branch| tests_features(branch, cx)).map(|branch| branch.body.clone()).collect()
    };
    cx.branches.of_features.get_or_init(of_features).contains(case.expression.tokens.start)
}

/// Whether the condition of a branch asks for features and nothing else.
fn tests_features(branch: &Branch, cx: &Context<'_>) -> bool {
    let Some(condition) = &branch.condition else { return false };
    let mut all = true;
    walk_joined(condition, &mut |part| {
        all &= matches!(part.node, Node::Defined(name) if is_feature(&cx.document.name(name)));
    });
    all
}

/// `BLACKWELL_MMA_AVAILABLE`, `CP_ASYNC_AVAILABLE`
pub(super) fn is_feature(name: &str) -> bool {
    name.split('_').any(|word| GENERATIONS.contains(&word)) || INSTRUCTIONS.iter().any(|word| name.contains(word))
}

/// Whether the branch does nothing but define macros of features.
pub(super) fn only_names_features(branch: &Branch, document: &Document) -> bool {
    let mut at = branch.body.start;
    while at < branch.body.end {
        let Some(directive) = document.directive_of(at) else { return false };
        let is_definition = document.token_text(directive.tokens.start + 1) == "define";
        if !is_definition || !is_feature(document.token_text(directive.tokens.start + 2)) {
            return false;
        }
        at = directive.tokens.end.max(at + 1);
    }
    !branch.body.is_empty()
}
