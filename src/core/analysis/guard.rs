//! Include guards, and the guards that hipshift writes.

use super::conditions::Conditions;
use crate::source::TextRange;
use crate::syntax::{Directive, DirectiveKind, Document};

/// Opens what HIP compilers read. Clang defines the second macro for HIP sources before any header; the first
/// comes with HIP's headers, from `hipcc`, or from the build of files that another compiler reads.
pub const GUARD: &str = "#if defined(__HIP_PLATFORM_AMD__) || defined(__HIP__)";

/// Opens what all other compilers read.
pub const GUARD_UNLESS: &str = "#if !defined(__HIP_PLATFORM_AMD__) && !defined(__HIP__)";

/// What guards of hipshift leave to CUDA.
pub(super) fn left_to_cuda(document: &Document, conditions: &Conditions) -> Vec<TextRange> {
    let line_of = |token| document.directive_of(token).map_or("", |line| document.slice(line.range).trim_end());
    let mut blocks = Vec::new();
    for chain in conditions.chains() {
        let block = match (chain.branches.as_slice(), chain.branches.first().map(|branch| line_of(branch.opened_by))) {
            ([only], Some(GUARD_UNLESS)) => only,
            ([_, other], Some(GUARD)) if other.condition.is_none() => other,
            _ => continue,
        };
        blocks.push(document.range_of(block.body.clone()));
    }
    blocks
}

/// The `#ifndef` and `#define` of an include guard that opens the file.
pub fn include_guard(document: &Document) -> Option<(&Directive, &Directive)> {
    let [test, define, ..] = document.directives() else { return None };
    let opens_file =
        test.tokens.start == 0 && test.kind == DirectiveKind::Ifndef && define.kind == DirectiveKind::Define;
    let macro_of = |directive: &Directive| document.token_text(directive.tokens.start + 2);
    let same = macro_of(test) == macro_of(define) && define.tokens.len() == 3;
    (opens_file && same && define.tokens.start == test.tokens.end).then_some((test, define))
}
