//! Parts of a block by its size, `blockDim.x / 2`, and whether they are whole warps.

use crate::analysis::{BlockAxes, Function, common_divisor};
use crate::rules::context::Context;
use crate::syntax::{Arithmetic, Operand, OperandKind, OperatorKind, TokenIdx};

/// Into so many parts people cut blocks of a size that is not known. More are warps, and each number counts one:
/// `threadIdx.x < blockDim.x / 32`.
const MOST_PARTS: i64 = 8;

/// Variables that one bound is followed through at most.
const DEEPEST: u32 = 8;

/// How the blocks of a kernel are shaped.
pub(super) fn axes_of(cx: &Context<'_>, function: &Function) -> Option<BlockAxes> {
    let name = function.name.filter(|_| function.is_kernel)?;
    cx.block_axes(cx.document.token_text(name))
}

/// Whether an expression speaks of whole waves, by whatever name: `warpSize`, `2 * WAVE`, but not `warpSize / 2`.
pub(super) fn names_waves(cx: &Context<'_>, operand: &Operand) -> bool {
    let cuts = |idx: TokenIdx| matches!(cx.document.token_text(idx), "/" | "-" | "%" | "+" | ">");
    if operand.tokens.clone().any(cuts) {
        return false;
    }
    let mut words = operand.tokens.clone().map(|idx| cx.document.token_text(idx).to_ascii_lowercase());
    words.any(|word| word.contains("warp") || word.contains("wave"))
}

/// Whether an expression is a part of the block, and all launches that are known make it whole warps of so many lanes. Where none is
/// known, a part of few is taken to be meant as such: who lets lanes of a full mask come together there counts on it.
pub(super) fn is_whole_share(cx: &Context<'_>, function: &Function, bound: &Operand, lanes: i64) -> bool {
    let share = Share { cx, function, lanes };
    if share.is_block(bound, 0) {
        return true;
    }
    let Some(parts) = share.parts(bound, 0) else { return false };
    let row = axes_of(cx, function).map_or(0, |axes| axes.row);
    if row == 0 { parts <= MOST_PARTS } else { parts.checked_mul(lanes).is_some_and(|threads| row % threads == 0) }
}

struct Share<'s, 'd> {
    cx: &'s Context<'d>,
    function: &'s Function,
    lanes: i64,
}

impl Share<'_, '_> {
    /// Whether an expression is the size of the block, which no thread comes up to.
    fn is_block(&self, operand: &Operand, depth: u32) -> bool {
        let document = self.cx.document;
        match &operand.kind {
            OperandKind::Member(object, member) => {
                let is_size = |name| document.token_text(name) == "blockDim" && document.token_text(*member) == "x";
                matches!(object.kind, OperandKind::Name(name) if is_size(name))
            }
            OperandKind::Cast(inner) => self.is_block(inner, depth),
            OperandKind::Name(_) => self.value(operand, depth).is_some_and(|value| self.is_block(&value, depth + 1)),
            _ => false,
        }
    }

    /// So that an expression is whole warps if the block is whole warps times this.
    fn parts(&self, operand: &Operand, depth: u32) -> Option<i64> {
        if self.is_block(operand, depth) {
            return Some(1);
        }
        match &operand.kind {
            OperandKind::Cast(inner) => self.parts(inner, depth),
            OperandKind::Name(_) => self.parts(&self.value(operand, depth)?, depth + 1),
            OperandKind::Binary(operator, sides) => {
                let OperatorKind::Arithmetic(arithmetic) = operator.kind else { return None };
                self.computed(arithmetic, sides, depth)
            }
            _ => None,
        }
    }

    fn computed(&self, arithmetic: Arithmetic, [left, right]: &[Operand; 2], depth: u32) -> Option<i64> {
        let number = || self.cx.thread_numbers().constant(right.tokens.clone());
        let parts = |side: &Operand| self.parts(side, depth);
        match arithmetic {
            Arithmetic::Divide => parts(left)?.checked_mul(number().filter(|&number| number > 0)?),
            Arithmetic::ShiftRight => {
                parts(left)?.checked_mul(1 << number().filter(|number| (0..16).contains(number))?)
            }
            Arithmetic::Multiply => parts(left).or_else(|| parts(right)),
            Arithmetic::Add | Arithmetic::Subtract => {
                let first = parts(left)?;
                let is_whole =
                    || number().map_or_else(|| names_waves(self.cx, right), |number| number % self.lanes == 0);
                match parts(right) {
                    Some(second) => first.checked_mul(second / common_divisor(first, second)),
                    None => is_whole().then_some(first),
                }
            }
            _ => None,
        }
    }

    /// What a variable keeps.
    fn value(&self, operand: &Operand, depth: u32) -> Option<Operand> {
        let OperandKind::Name(name) = operand.kind else { return None };
        let numbers = self.cx.thread_numbers();
        numbers.only_value(self.cx.document.token_text(name), self.function).filter(|_| depth < DEEPEST)
    }
}
