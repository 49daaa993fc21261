//! Parts of device functions that only the first threads of a block or lanes of a warp reach: what is behind `if (threadIdx.x < 32)`,
//! or behind `if (lane >= 16) return;`.

use std::ops::Range;

use super::blocks::Blocks;
use super::functions::Function;
use super::statement_ends::StatementEnds;
use super::thread_axes::{has_more_dimensions, thread_axis};
use super::thread_numbers::ThreadNumbers;
use crate::syntax::{Arithmetic, BinaryOperator, Document, Operand, OperandKind, OperatorKind, TokenIdx};

/// The lanes of a wave where it has most.
pub const MOST_LANES: i64 = 64;

/// A part of a function that some lanes of each wave do not reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadLimit {
    /// The tokens that are not reached.
    pub tokens: Range<TokenIdx>,
    /// The comparison that keeps lanes away.
    pub condition: Range<TokenIdx>,
    /// Lanes from this number on do not reach it.
    pub below: i64,
    /// After how many lanes the numbers start again.
    pub period: i64,
}

impl ThreadLimit {
    /// Whether the lane that a lane in the limit reads by this number is kept away.
    pub fn keeps_away(&self, lane: i64) -> bool {
        (self.below..self.period).contains(&lane)
    }
}

/// The limits of a function, asked for from its first token to its last.
#[derive(Debug)]
pub struct ThreadLimits {
    limits: std::iter::Peekable<std::vec::IntoIter<ThreadLimit>>,
    /// Those around the place that was reached; none goes as far as one with fewer lanes.
    around: Vec<ThreadLimit>,
}

impl ThreadLimits {
    /// The limits in a function whose threads are numbered along one dimension.
    pub fn of(document: &Document, blocks: &Blocks, numbers: &ThreadNumbers<'_>, function: &Function) -> ThreadLimits {
        let ends = StatementEnds::of(document, function.body.clone());
        let finder = Finder { document, blocks, numbers, function, ends };
        let mut limits = Vec::new();
        if !has_more_dimensions(document, function.body.clone()) {
            let ifs = function.body.clone().filter(|&idx| document.token_text(idx) == "if");
            limits = ifs.flat_map(|idx| finder.limits_of(idx)).collect();
            limits.sort_by_key(|limit| limit.tokens.start);
        }
        ThreadLimits { limits: limits.into_iter().peekable(), around: Vec::new() }
    }

    /// The limit that lets the fewest lanes through to a token, which is not before one that was asked for earlier.
    pub fn at(&mut self, idx: TokenIdx) -> Option<&ThreadLimit> {
        self.around.retain(|limit| limit.tokens.end > idx);
        while let Some(limit) = self.limits.next_if(|limit| limit.tokens.start <= idx) {
            let goes_further = |known: &ThreadLimit| known.below <= limit.below && known.tokens.end >= limit.tokens.end;
            if limit.tokens.end > idx && !self.around.iter().any(goes_further) {
                self.around.push(limit);
            }
        }
        self.around.iter().min_by_key(|limit| limit.below)
    }
}

struct Finder<'a, 'd> {
    document: &'a Document,
    blocks: &'a Blocks,
    numbers: &'a ThreadNumbers<'d>,
    function: &'a Function,
    ends: StatementEnds<'a>,
}

impl Finder<'_, '_> {
    fn limits_of(&self, keyword: TokenIdx) -> Vec<ThreadLimit> {
        let document = self.document;
        let Some(close) = document.partner(keyword + 1).filter(|_| document.is(keyword + 1, b'(')) else {
            return Vec::new();
        };
        let condition = Operand::read(document, keyword + 2..close);
        let end = self.ends.of_statement(close + 1);
        if self.only_returns(close + 1..end) {
            let block = self.blocks.around(keyword).and_then(|open| document.partner(open));
            let rest = end..block.unwrap_or(self.function.body.end).max(end);
            return self.limit(&condition, false, rest).into_iter().collect();
        }
        let mut found = Vec::new();
        let mut waiting = vec![&condition];
        while let Some(part) = waiting.pop() {
            match &part.kind {
                OperandKind::Binary(operator, sides) if operator.text(self.document) == "&&" => {
                    waiting.extend(sides.iter());
                }
                _ => found.extend(self.limit(part, true, close + 1..end)),
            }
        }
        found
    }

    /// The limit that a comparison sets, or its contrary.
    fn limit(&self, comparison: &Operand, holds: bool, tokens: Range<TokenIdx>) -> Option<ThreadLimit> {
        let OperandKind::Binary(operator, sides) = &comparison.kind else { return None };
        let [left, right] = &**sides;
        let number = |side: &Operand| self.numbers.constant(side.tokens.clone());
        let (of, bound, is_turned) = match (number(left), number(right)) {
            (None, Some(bound)) => (left, bound, false),
            (Some(bound), None) => (right, bound, true),
            _ => return None,
        };
        let below = match (operator.text(self.document), is_turned, holds) {
            ("<", false, true) | (">", true, true) | (">=", false, false) | ("<=", true, false) => bound,
            ("<=", false, true) | (">=", true, true) | (">", false, false) | ("<", true, false) => bound + 1,
            ("==", _, true) | ("!=", _, false) if bound == 0 => 1,
            _ => return None,
        };
        let period = self.period(of)?;
        let condition = comparison.tokens.clone();
        (0 < below && below < period).then_some(ThreadLimit { tokens, condition, below, period })
    }

    /// After how many lanes the numbers start again that an expression has, if it numbers lanes.
    fn period(&self, operand: &Operand) -> Option<i64> {
        let document = self.document;
        match &operand.kind {
            OperandKind::Member(..) => (thread_axis(document, operand) == Some("x")).then_some(MOST_LANES),
            OperandKind::Call(name, arguments) if arguments.is_empty() => {
                (document.token_text(*name) == "__lane_id").then_some(MOST_LANES)
            }
            OperandKind::Cast(inner) => self.period(inner),
            OperandKind::Name(name) => {
                self.period(&self.numbers.only_value(document.token_text(*name), self.function)?)
            }
            OperandKind::Binary(operator, sides) => self.period_of_part(operator, &sides[0], &sides[1]),
            _ => None,
        }
    }

    /// `threadIdx.x & 31`, `threadIdx.x % warpSize`
    fn period_of_part(&self, operator: &BinaryOperator, left: &Operand, right: &Operand) -> Option<i64> {
        let number = self.numbers.constant(right.tokens.clone());
        let text = self.document.slice(self.document.range_of(right.tokens.clone()));
        let lanes = match (operator.kind, number) {
            (OperatorKind::Arithmetic(Arithmetic::BitAnd), Some(mask)) => mask + 1,
            (OperatorKind::Arithmetic(Arithmetic::Remainder), Some(lanes)) => lanes,
            (OperatorKind::Arithmetic(Arithmetic::BitAnd | Arithmetic::Remainder), None) if is_wave_size(text) => {
                MOST_LANES
            }
            _ => return None,
        };
        self.period(left).filter(|_| matches!(lanes, 32 | MOST_LANES)).map(|_| lanes)
    }

    fn only_returns(&self, tokens: Range<TokenIdx>) -> bool {
        let mut words =
            tokens.map(|idx| self.document.token_text(idx)).filter(|word| !matches!(*word, "{" | "}" | ";"));
        words.next() == Some("return") && words.next().is_none()
    }
}

/// `warpSize`, `(warpSize - 1)`
pub(super) fn is_wave_size(text: &str) -> bool {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    matches!(text.trim_matches(['(', ')']), "warpSize" | "warpSize-1")
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::analysis::constants::Constants;
    use crate::analysis::functions::Functions;
    use crate::source::SourceFile;
    use crate::syntax::words;

    /// The limits at `X`: how many lanes are let through, out of how many.
    #[track_caller]
    fn check(body: &str, expected: Option<(i64, i64)>) {
        let text = format!("__global__ void k(int n) {{ {body} }}");
        let document = Document::new(SourceFile::from_text("a.hip", text));
        let functions = Functions::of(&document);
        let numbers = ThreadNumbers::of(&document, &functions, Rc::new(Constants::of(&document)));
        let function = functions.iter().next().unwrap();
        let idx = words(&document, "X").next().unwrap();
        let mut limits = ThreadLimits::of(&document, &Blocks::of(&document), &numbers, function);
        assert_eq!(limits.at(idx).map(|limit| (limit.below, limit.period)), expected, "{body}");
    }

    #[test]
    fn comparisons_keep_lanes_away() {
        check("if (threadIdx.x < 32) X;", Some((32, 64)));
        check("if (31 >= threadIdx.x && n) { f(); X; }", Some((32, 64)));
        check("int lane = threadIdx.x & 31; if (lane < 16) { if (n) X; }", Some((16, 32)));
        check("unsigned l = (unsigned)threadIdx.x % warpSize; if (l <= 7) X;", Some((8, 64)));
        check("if (__lane_id() == 0) X;", Some((1, 64)));
        check("const int t = threadIdx.x; if (t >= 32) return; X;", Some((32, 64)));
        check("if (threadIdx.x != 0) { return; } if (n) X;", Some((1, 64)));
    }

    #[test]
    fn other_conditions_keep_nobody_away() {
        check("if (threadIdx.x < 64) X;", None);
        check("if (threadIdx.x < 32) f(); X;", None);
        check("if (threadIdx.x < 32) { f(); } else X;", None);
        check("if (threadIdx.x < 32 || n) X;", None);
        check("if (threadIdx.x < n) X;", None);
        check("if (threadIdx.x / 64 == 0) X;", None);
        check("if (n < 32) X;", None);
        check("if (threadIdx.y < 8 && threadIdx.x < 8) X;", None);
        check("int t = threadIdx.x; t += n; if (t < 32) X;", None);
        check("if (n) { if (threadIdx.x >= 32) return; } X;", None);
        check("if (threadIdx.x >= 32) return n; X;", None);
    }
}
