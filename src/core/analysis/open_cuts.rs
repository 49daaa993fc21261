//! What threads are cut by where its value is not known (`threadIdx.x & mask`), and variables that go on from a lane.

use std::ops::Range;

use super::functions::Function;
use super::statements::Statement;
use super::thread_numbers::{ThreadNumber, ThreadNumbers};
use crate::syntax::{Arithmetic, Operand, OperandKind, OperatorKind, TokenIdx};

impl ThreadNumbers<'_> {
    /// What a function cuts the number of a thread by, if that is no constant: the right sides of `%`, `/`, `&` and `>>`.
    pub fn open_cuts(&self, function: &Function) -> Vec<Range<TokenIdx>> {
        use Arithmetic::{BitAnd, Divide, Remainder, ShiftRight};
        let mut open = Vec::new();
        let mut collect = |operand: &Operand| {
            operand.walk(&mut |part| {
                let OperandKind::Binary(operator, sides) = &part.kind else { return };
                let [left, right] = &**sides;
                let cuts = matches!(operator.kind, OperatorKind::Arithmetic(BitAnd | Divide | Remainder | ShiftRight));
                let is_thread = || self.kind(left, Some(function)) == Some(ThreadNumber::Thread);
                if cuts && self.constant(right.tokens.clone()).is_none() && is_thread() {
                    open.push(right.tokens.clone());
                }
            });
        };
        for statement in &self.body(function).statements {
            match statement {
                Statement::Expression(operand) | Statement::Return(operand) => collect(operand),
                Statement::Declaration(declared) => {
                    declared
                        .declarators
                        .iter()
                        .filter_map(|declarator| declarator.value.as_ref())
                        .for_each(&mut collect);
                }
            }
        }
        open
    }

    /// Whether a variable that changes is the number of a lane first.
    pub(super) fn starts_as_lane(&self, variable: &Operand, function: &Function) -> bool {
        let OperandKind::Name(name) = variable.kind else { return false };
        let first = self.first_value(name, function);
        first.is_some_and(|value| self.kind(&value, Some(function)) == Some(ThreadNumber::Lane))
    }
}
