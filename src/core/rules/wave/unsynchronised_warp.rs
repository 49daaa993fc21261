//! Code that counts on the lanes of a warp running in step.

use std::ops::Range;

use super::warp_rounds::warp_rounds;
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::TextRange;
use crate::syntax::{Document, TokenIdx, TokenKind};

declare_rule! {
    /// ## What it does
    /// Finds rows of statements such as `s[tid] += s[tid + 16]; s[tid] += s[tid + 8];` in device
    /// code, where each lane reads what another wrote one statement before. Loops such as
    /// `for (int d = 16; d > 0; d /= 2) s[tid] += s[tid + d];` without a barrier are the same.
    ///
    /// ## Why is this bad?
    /// Lanes of a wave do run in step on AMD GPUs, but the compiler knows nothing of other lanes:
    /// it keeps values in registers, and the sums are wrong on every target. With `volatile` they
    /// are right, and each access is a slow one to memory. (CUDA needs `__syncwarp()` here since
    /// Volta.)
    ///
    /// ## Example
    /// ```cuda
    /// __device__ void sum(float* s, int tid) {
    ///     s[tid] += s[tid + 16];
    ///     s[tid] += s[tid + 8];
    /// }
    /// ```
    ///
    /// ## What to do
    /// Reduce with shuffles, or put `__syncwarp()` (ROCm 7.0 or later) between reading and writing.
    UnsynchronisedWarp { code: "W013", name: "unsynchronised-warp", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for UnsynchronisedWarp {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let document = cx.document;
        let device: Vec<_> = cx.facts.functions.iter().filter(|function| function.runs_on_device()).cloned().collect();
        for function in device {
            for round in warp_rounds(cx, &function) {
                let is_volatile = is_volatile(document, function.head.start..round.start, round.start);
                report(round, is_volatile, cx);
            }
            let mut at = function.body.start;
            while at < function.body.end {
                let Some(first) = Step::at(document, at) else {
                    at += 1;
                    continue;
                };
                at = first.end;
                let Some(second) = Step::at(document, first.end).filter(|second| second.follows(&first, document))
                else {
                    continue;
                };
                let is_volatile = is_volatile(document, function.head.start..first.start, first.array);
                report(first.start..first.end, is_volatile, cx);
                // One finding for a row.
                let mut last = second;
                while let Some(next) = Step::at(document, last.end).filter(|next| next.follows(&last, document)) {
                    last = next;
                }
                at = last.end;
            }
        }
    }
}

/// `array[index] += array[index + distance];`
struct Step {
    start: TokenIdx,
    array: TokenIdx,
    index: TextRange,
    distance: u32,
    /// Behind the semicolon.
    end: TokenIdx,
}

/// The largest distance within a warp of 32 lanes, for blocks whose first warp adds the second.
const FARTHEST: u32 = 32;

impl Step {
    fn at(document: &Document, start: TokenIdx) -> Option<Step> {
        let is_name = document.token(start)?.kind == TokenKind::Ident && document.is(start + 1, b'[');
        let close = document.partner(start + 1).filter(|&close| is_name && close > start)?;
        let end = (close..close + 24).find(|&idx| document.is(idx, b';'))?;
        let index = document.range_of(start + 2..close);
        let array = document.token_text(start);
        let assigns = document.is(close + 1, b'=') || document.is(close + 2, b'=');
        let mut reads = (close + 1..end).filter(|&idx| document.token_text(idx) == array && document.is(idx + 1, b'['));
        let distance = reads.find_map(|read| distance(document, read, index))?;
        (assigns && distance <= FARTHEST).then_some(Step { start, array: start, index, distance, end: end + 1 })
    }

    /// Whether this is the next step of the same row.
    fn follows(&self, before: &Step, document: &Document) -> bool {
        document.token_text(self.array) == document.token_text(before.array)
            && document.slice(self.index) == document.slice(before.index)
            && self.distance < before.distance
    }
}

/// The number in `array[index + number]` at `read`.
fn distance(document: &Document, read: TokenIdx, index: TextRange) -> Option<u32> {
    let close = document.partner(read + 1)?;
    let number = close.checked_sub(1)?;
    let starts_alike = document.slice(document.range_of(read + 2..number.checked_sub(1)?)) == document.slice(index);
    let is_sum = document.is(number - 1, b'+') && starts_alike;
    document.token_text(number).parse().ok().filter(|_| is_sum)
}

/// Whether the array is declared `volatile` among `tokens`.
fn is_volatile(document: &Document, mut tokens: Range<TokenIdx>, array: TokenIdx) -> bool {
    let name = document.token_text(array);
    tokens.any(|idx| {
        document.token_text(idx) == "volatile" && (idx + 1..idx + 6).any(|near| document.token_text(near) == name)
    })
}

/// Reports a statement that starts with the name of an array.
fn report(statement: Range<TokenIdx>, is_volatile: bool, cx: &mut Context<'_>) {
    let array = cx.document.token_text(statement.start).to_owned();
    let range = cx.document.range_of(statement);
    if is_volatile {
        let finding = cx.report(range, format!("lanes hand on values through volatile `{array}`, which is slow"));
        finding.severity(Severity::Info).note("shuffles do the same in registers");
    } else {
        let finding = cx.report(range, format!("lanes read from `{array}` what others write, and nothing orders that"));
        finding.note("reduce with shuffles, or put `__syncwarp()` between reading and writing");
    }
}
