//! Tests of the compute capability at run time.

use super::for_hip::is_for_hip;
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, TokenKind, words_among};

declare_rule! {
    /// ## What it does
    /// Finds comparisons and arithmetic with `major` and `minor` of device properties, and
    /// queries of the compute capability.
    ///
    /// ## Why is this bad?
    /// On AMD GPUs the numbers are those of the gfx name: 9 and 0 for gfx90a, 11 and 0 for
    /// gfx1100. A test such as `major >= 7` holds for all of them and says nothing about tensor
    /// cores; `major == 8` never holds. `CUB_PTX_ARCH` of a condition is 1 (`hipcub/config.hpp`).
    ///
    /// ## Example
    /// ```cuda
    /// bool fast(cudaDeviceProp& prop) { return prop.major >= 8; }
    /// ```
    ///
    /// ## What to do
    /// Ask for what the code needs: the members of `prop.arch`, a limit, or `prop.gcnArchName`.
    ComputeCapabilityTest {
        code: "C005", name: "compute-capability-test", severity: Warning, fix: None, since: "0.1.0"
    }
}

/// Types and queries that bring the compute capability into a file.
const SOURCES: &[&str] = &["cudaDeviceProp", "cudaGetDeviceProperties", "getCurrentDeviceProperties"];

/// Attributes that are the compute capability.
const ATTRIBUTES: &[&str] = &[
    "cudaDevAttrComputeCapabilityMajor",
    "cudaDevAttrComputeCapabilityMinor",
    "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR",
    "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR",
    "cuDeviceComputeCapability",
];

/// Members that hold the compute capability.
const MEMBERS: &[&str] = &["major", "minor"];

/// CUB's number of the GPU generation (`hipcub/config.hpp`, `HIPCUB_ARCH`).
const CUB_ARCH: &str = "CUB_PTX_ARCH";

const MEANING: &str = "on AMD GPUs it holds the number of the gfx name, such as 9 for gfx90a and gfx942; ask for a \
                       feature (`arch.has…`), a limit or `gcnArchName` instead";

impl Rule for ComputeCapabilityTest {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document = cx.document;
        let has_properties = !words_among(document, SOURCES).is_empty();
        let asked = [ATTRIBUTES, MEMBERS, &[CUB_ARCH]].concat();
        for idx in words_among(document, &asked) {
            let (Some(token), text) = (document.token(idx), document.token_text(idx)) else { continue };
            if is_for_hip(idx, cx) {
                continue;
            }
            if ATTRIBUTES.contains(&text) {
                let message = format!("`{text}` asks for the compute capability, which AMD GPUs do not have");
                cx.report(token.range(), message).note(MEANING);
            } else if text == CUB_ARCH {
                if is_compared(document, idx) {
                    let message = format!("`{text}` is 1 in hipCUB, so this test is meaningless");
                    cx.report(token.range(), message).note("test `__gfx90a__` and the like, or what the code needs");
                }
            } else if has_properties && is_computed_with(document, idx) {
                let message = format!("`{text}` is no compute capability on AMD GPUs, so this test is meaningless");
                cx.report(token.range(), message).note(MEANING);
            }
        }
    }
}

/// `CUB_PTX_ARCH >= 600`, and not `BlockReduce<T, CUB_PTX_ARCH>`.
fn is_compared(document: &Document, name: TokenIdx) -> bool {
    let is_number = |idx: Option<TokenIdx>| idx.is_some_and(|idx| document.kind(idx) == Some(TokenKind::Number));
    let behind = is_operator(document, name + 1) && (is_number(Some(name + 2)) || is_number(Some(name + 3)));
    let in_front = || name.checked_sub(1).is_some_and(|before| ends_operator(document, before));
    behind || in_front() && (is_number(name.checked_sub(2)) || is_number(name.checked_sub(3)))
}

/// `prop.major >= 7`, `7 <= prop->major`, `prop.major * 10`; the object's name has to suggest a
/// device where that can be seen, because other structures have such members too.
fn is_computed_with(document: &Document, member: TokenIdx) -> bool {
    let accesses =
        |idx| matches!(document.token(idx).map(|token| token.kind), Some(TokenKind::Arrow | TokenKind::Punct(b'.')));
    let Some(access) = member.checked_sub(1).filter(|&idx| accesses(idx)) else { return false };
    if !is_device_object(document, access) {
        return false;
    }
    let mut start = access;
    while start > 0 && (accesses(start - 1) || accesses(start) || is_object_part(document, start - 1)) {
        start -= 1;
    }
    is_operator(document, member + 1) || start.checked_sub(1).is_some_and(|before| ends_operator(document, before))
}

fn is_object_part(document: &Document, idx: TokenIdx) -> bool {
    document.token(idx).is_some_and(|token| matches!(token.kind, TokenKind::Ident | TokenKind::Punct(b']')))
        && !matches!(document.token_text(idx), "return" | "case")
}

/// Whether the object before `.` or `->` is declared as device properties or named like them.
fn is_device_object(document: &Document, access: TokenIdx) -> bool {
    let mut end = access.saturating_sub(1);
    if document.is(end, b']') || document.is(end, b')') {
        end = document.partner(end).map_or(end, |open| open.saturating_sub(1));
    }
    let name = document.name(end);
    let lower = name.to_ascii_lowercase();
    lower.contains("prop") || lower.contains("device") || is_declared_as_properties(document, &name)
}

fn is_declared_as_properties(document: &Document, name: &str) -> bool {
    (1..document.tokens().len()).any(|idx| {
        let before = |back: usize| idx.checked_sub(back).map_or("", |at| document.token_text(at));
        let follows_type =
            before(1) == "cudaDeviceProp" || (matches!(before(1), "&" | "*") && before(2) == "cudaDeviceProp");
        follows_type && document.name(idx) == name
    })
}

/// Whether an operator that computes or compares begins at a token.
pub(super) fn is_operator(document: &Document, idx: TokenIdx) -> bool {
    let Some(token) = document.token(idx) else { return false };
    let doubled = document.is(idx + 1, b'=');
    match token.kind {
        TokenKind::Punct(b'<') => !document.is(idx + 1, b'<'),
        TokenKind::Punct(b'>' | b'*' | b'+' | b'-' | b'/' | b'%') => true,
        TokenKind::Punct(b'=' | b'!') => doubled,
        _ => false,
    }
}

/// Whether an operator ends at a token that computes or compares: `7 <= prop.major`, `10 * prop.major`.
pub(super) fn ends_operator(document: &Document, idx: TokenIdx) -> bool {
    let Some(token) = document.token(idx) else { return false };
    let before = |punct| idx > 0 && document.is(idx - 1, punct);
    match token.kind {
        TokenKind::Punct(b'=') => before(b'=') || before(b'<') || before(b'>') || before(b'!'),
        TokenKind::Punct(b'>') => !before(b'>'),
        TokenKind::Punct(b'<') => !before(b'<'),
        TokenKind::Punct(b'*' | b'+') => idx > 0 && document.token(idx - 1).is_some_and(is_operand),
        _ => false,
    }
}

fn is_operand(token: crate::syntax::Token) -> bool {
    matches!(token.kind, TokenKind::Number | TokenKind::Punct(b')'))
}
