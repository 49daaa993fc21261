//! How a condition parts the 64 threads of a wave, by where its values come from.

use std::ops::Range;

use crate::analysis::{Function, ThreadNumber, ThreadNumbers, WAVE_SIZE};
use crate::rules::context::Context;
use crate::rules::groups::{GroupKind, group_of_member};
use crate::syntax::{Arithmetic, BinaryOperator, Document, Operand, OperandKind, OperatorKind, TokenIdx, words_in};

/// How a condition parts the threads of a wave of 64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Division {
    /// At some thread.
    Threads,
    /// Into warps of 32.
    Warps,
}

/// How the condition, or the value of a `switch`, that `tokens` in a function are parts threads; `None` if all of a wave
/// go one way for all that can be told.
pub(super) fn division(cx: &Context<'_>, function: &Function, tokens: Range<TokenIdx>) -> Option<Division> {
    let values = Values { cx, document: cx.document, numbers: cx.thread_numbers() };
    values.of_condition(&Operand::read(cx.document, tokens), function, DEEPEST)
}

/// Values that come from each other by more names than this are not followed.
const DEEPEST: u32 = 64;

struct Values<'c, 'd> {
    cx: &'c Context<'d>,
    document: &'d Document,
    numbers: &'c ThreadNumbers<'d>,
}

impl Values<'_, '_> {
    fn of_condition(&self, operand: &Operand, function: &Function, depth: u32) -> Option<Division> {
        let depth = depth.checked_sub(1)?;
        match &operand.kind {
            OperandKind::Binary(operator, sides) if operator.kind == OperatorKind::Logic => {
                let [left, right] = &**sides;
                match operator.text(self.document) {
                    "&&" | "||" => {
                        self.of_condition(left, function, depth).max(self.of_condition(right, function, depth))
                    }
                    _ => self.of_comparison(operator, (left, right), function, depth),
                }
            }
            OperandKind::Unary(_, inner) | OperandKind::Cast(inner) => self.of_condition(inner, function, depth),
            OperandKind::Choice(parts) => {
                parts.iter().filter_map(|part| self.of_condition(part, function, depth)).max()
            }
            _ if self.differs(operand, function, depth) => Some(Division::Warps),
            _ if self.number(operand, function, depth) == Some(ThreadNumber::Thread) => Some(Division::Threads),
            OperandKind::Name(name) => {
                let text = self.document.token_text(*name);
                let value = self.numbers.only_value(text, function).or_else(|| self.numbers.meaning(text))?;
                self.of_condition(&value, function, depth)
            }
            OperandKind::Call(name, _) => {
                let (value, callee) = self.numbers.only_return(self.document.token_text(*name))?;
                self.of_condition(&value, callee, depth)
            }
            _ => None,
        }
    }

    fn of_comparison(
        &self,
        operator: &BinaryOperator,
        (left, right): (&Operand, &Operand),
        function: &Function,
        depth: u32,
    ) -> Option<Division> {
        let sign = operator.text(self.document);
        let one_side = |side: &Operand, bound: &Operand| {
            let threads = match self.number(side, function, depth) {
                Some(ThreadNumber::Warp) => 32,
                Some(ThreadNumber::Thread) => 1,
                _ => return self.differs(side, function, depth).then_some(Division::Warps),
            };
            match self.numbers.constant(bound.tokens.clone()) {
                Some(bound) if parts_no_wave(sign, bound, threads) => None,
                _ if threads == 32 => Some(Division::Warps),
                _ => Some(Division::Threads),
            }
        };
        one_side(left, right).max(one_side(right, left))
    }

    /// What an expression counts, the ranks of groups included.
    fn number(&self, operand: &Operand, function: &Function, depth: u32) -> Option<ThreadNumber> {
        let depth = depth.checked_sub(1)?;
        let known = self.numbers.number(operand.tokens.clone(), function);
        known.or_else(|| match &operand.kind {
            OperandKind::Cast(inner) => self.number(inner, function, depth),
            OperandKind::Call(name, arguments) if arguments.is_empty() => self.rank(*name),
            OperandKind::Name(name) => {
                let value = self.numbers.only_value(self.document.token_text(*name), function)?;
                self.number(&value, function, depth)
            }
            OperandKind::Binary(operator, sides) => {
                let [left, right] = &**sides;
                let bound = self.numbers.constant(right.tokens.clone());
                let is_size = right.tokens.len() == 1 && self.document.token_text(right.tokens.start) == WAVE_SIZE;
                let cuts = match operator.kind {
                    OperatorKind::Arithmetic(Arithmetic::Divide) => is_size || bound == Some(32),
                    OperatorKind::Arithmetic(Arithmetic::ShiftRight) => bound == Some(5),
                    _ => false,
                };
                let is_thread = || self.number(left, function, depth) == Some(ThreadNumber::Thread);
                (cuts && is_thread()).then_some(ThreadNumber::Warp)
            }
            _ => None,
        })
    }

    /// What the member of a group counts: threads of the block, or tiles of it.
    fn rank(&self, member: TokenIdx) -> Option<ThreadNumber> {
        match self.document.token_text(member) {
            "thread_rank" => {
                let (_, kind) = group_of_member(member, self.cx)?;
                (kind == GroupKind::Block).then_some(ThreadNumber::Thread)
            }
            "meta_group_rank" => Some(ThreadNumber::Warp),
            _ => None,
        }
    }

    /// Whether a value may be one thing in a warp and another in the next.
    fn differs(&self, operand: &Operand, function: &Function, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        if self.number(operand, function, depth) == Some(ThreadNumber::Warp) {
            return true;
        }
        let any = |operands: &[Operand]| operands.iter().any(|operand| self.differs(operand, function, depth));
        match &operand.kind {
            // Half of a warp's number is the same for the two of a wave.
            OperandKind::Binary(operator, _)
                if matches!(operator.kind, OperatorKind::Arithmetic(Arithmetic::Divide | Arithmetic::ShiftRight)) =>
            {
                false
            }
            OperandKind::Binary(operator, _) if operator.kind == OperatorKind::Logic => {
                self.of_condition(operand, function, depth) == Some(Division::Warps)
            }
            OperandKind::Binary(_, sides) => any(&**sides),
            OperandKind::Index(parts) => self.differs(&parts[1], function, depth),
            OperandKind::Call(name, arguments) => !self.is_for_block(*name) && any(arguments),
            OperandKind::Choice(parts) => any(&**parts),
            OperandKind::Cast(inner) | OperandKind::Unary(_, inner) => self.differs(inner, function, depth),
            OperandKind::Name(name) => {
                let value = self.numbers.only_value(self.document.token_text(*name), function);
                value.is_some_and(|value| self.differs(&value, function, depth))
            }
            _ => false,
        }
    }

    /// Whether a function gives the same to all threads of a block: a vote of all, or one of the file by way of shared memory or a vote.
    fn is_for_block(&self, name: TokenIdx) -> bool {
        const VOTES: [&str; 3] = ["__syncthreads_or", "__syncthreads_and", "__syncthreads_count"];
        if VOTES.contains(&self.document.token_text(name)) {
            return true;
        }
        let callee = self.numbers.only_function(self.document.token_text(name));
        let has = |word: &str| {
            callee.is_some_and(|callee| words_in(self.document, word, callee.body.clone()).next().is_some())
        };
        has("__shared__") && has("__syncthreads") || VOTES.into_iter().any(has)
    }
}

/// Whether a comparison of numbers of `threads` threads each with a constant is the same for all threads of each 64.
fn parts_no_wave(sign: &str, bound: i64, threads: i64) -> bool {
    let starts_wave = |number: i64| number * threads % 64 == 0;
    match sign {
        "<" | ">=" => starts_wave(bound),
        "<=" | ">" => starts_wave(bound) || starts_wave(bound + 1),
        _ => false,
    }
}
