//! Whose value a loop waits for, by what the place of the value or what it is compared with is made of.

use rustc_hash::FxHashSet;

use super::control_flow::Loop;
use super::functions::Function;
use super::statements::{Statement, statements};
use super::thread_numbers::{ThreadNumber, ThreadNumbers};
use crate::syntax::{Document, Operand, OperandKind, TokenIdx, words_in};

/// What expressions are made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Polled {
    /// The number of a warp.
    pub by_warp: bool,
    /// The number of a lane.
    pub by_lane: bool,
    /// The number of a block, or that of all, or one that was drawn.
    pub by_block: bool,
}

impl Polled {
    /// What the condition and the body of a loop are made of.
    pub fn of_loop(document: &Document, numbers: &ThreadNumbers<'_>, function: &Function, looped: &Loop) -> Polled {
        let mut reader = Reader { document, numbers, function, seen: FxHashSet::default(), polled: Polled::default() };
        reader.read(&Operand::read(document, looped.condition.clone()));
        for statement in statements(document, looped.body.clone()) {
            match statement {
                Statement::Expression(operand) | Statement::Return(operand) => reader.read(&operand),
                Statement::Declaration(declared) => {
                    declared.declarators.iter().filter_map(|one| one.value.as_ref()).for_each(|one| reader.read(one));
                }
            }
        }
        reader.polled
    }

    /// What an expression of a function is made of.
    pub fn of(document: &Document, numbers: &ThreadNumbers<'_>, function: &Function, operand: &Operand) -> Polled {
        let mut reader = Reader { document, numbers, function, seen: FxHashSet::default(), polled: Polled::default() };
        reader.read(operand);
        reader.polled
    }

    /// What either is made of.
    #[must_use]
    pub fn or(self, other: Polled) -> Polled {
        Polled {
            by_warp: self.by_warp || other.by_warp,
            by_lane: self.by_lane || other.by_lane,
            by_block: self.by_block || other.by_block,
        }
    }
}

struct Reader<'a, 'd> {
    document: &'a Document,
    numbers: &'a ThreadNumbers<'d>,
    function: &'a Function,
    /// The variables that were looked up, by where they stand.
    seen: FxHashSet<TokenIdx>,
    polled: Polled,
}

impl Reader<'_, '_> {
    fn read(&mut self, operand: &Operand) {
        let mut values = Vec::new();
        operand.walk(&mut |part| {
            match self.numbers.number(part.tokens.clone(), self.function) {
                Some(ThreadNumber::Warp) => self.polled.by_warp = true,
                Some(ThreadNumber::Lane) => self.polled.by_lane = true,
                _ => {}
            }
            let (OperandKind::Name(name) | OperandKind::Call(name, _)) = part.kind else { return };
            match self.document.token_text(name) {
                "blockIdx" | "gridDim" | "atomicInc" => self.polled.by_block = true,
                "atomicAdd" => self.polled.by_block |= !self.adds_nothing(part),
                _ => {}
            }
            let first = self.numbers.first_value(name, self.function);
            self.polled.by_block |= first.is_none() && self.is_drawn(name);
            values.extend(first.filter(|value| self.is_new(value)));
        });
        for value in &values {
            self.read(value);
        }
    }

    /// Whether a thread drew the value of a shared variable for all of its block: `__shared__ int tile; if (first) tile = atomicAdd(next, 1);`.
    fn is_drawn(&self, name: TokenIdx) -> bool {
        let (document, text) = (self.document, self.document.token_text(name));
        let draws = |value: &Operand| match value.kind {
            OperandKind::Call(called, _) => {
                matches!(document.token_text(called), "atomicAdd" | "atomicInc") && !self.adds_nothing(value)
            }
            _ => false,
        };
        let values = self.numbers.assigned_values(name, self.function, 2);
        let is_shared = || {
            let first = words_in(document, text, self.function.body.clone()).next();
            let mut front = first.into_iter().flat_map(|first| (self.function.body.start..first).rev());
            let ends = |idx: &TokenIdx| [b';', b'{', b'}'].iter().any(|sign| document.is(*idx, *sign));
            front.by_ref().take_while(|idx| !ends(idx)).any(|idx| document.token_text(idx) == "__shared__")
        };
        values.len() == 1 && values.iter().all(draws) && is_shared()
    }

    fn is_new(&mut self, value: &Operand) -> bool {
        self.seen.insert(value.tokens.start)
    }

    /// `atomicAdd(p, 0)` only reads.
    fn adds_nothing(&self, call: &Operand) -> bool {
        let OperandKind::Call(_, arguments) = &call.kind else { return false };
        arguments.last().is_some_and(|value| self.numbers.constant(value.tokens.clone()) == Some(0))
    }
}
