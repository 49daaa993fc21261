//! Loops of device code that do nothing but read until another thread has written.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::control_flow::{Loop, statement_end};
use super::functions::Function;
use super::outcome::constant;
use super::statements::{Statement, declaration, statements};
use super::thread_numbers::ThreadNumbers;
use super::waits_for::WaitsFor;
use crate::syntax::{Call, Document, Operand, OperandKind, OperatorKind, TokenIdx, TokenKind, is_type_word};

/// Looks at the loops of one function.
pub(super) struct Poller<'a, 'd> {
    document: &'d Document,
    numbers: &'a ThreadNumbers<'d>,
    function: &'a Function,
    shared: FxHashSet<&'d str>,
}

impl<'a, 'd> Poller<'a, 'd> {
    pub(super) fn of(document: &'d Document, numbers: &'a ThreadNumbers<'d>, function: &'a Function) -> Poller<'a, 'd> {
        Poller { document, numbers, function, shared: shared_variables(document, function) }
    }

    /// What a loop waits for that does nothing but read, if it is one.
    pub(super) fn polls(&self, looped: &Loop) -> Option<WaitsFor> {
        let document = self.document;
        let is_short = looped.body.len() < LONGEST_PAUSE && looped.step.is_empty() && !looped.condition.is_empty();
        if !is_short || looped.condition.clone().any(|idx| counts(document, idx)) || !self.is_idle(looped) {
            return None;
        }
        let tokens = || looped.condition.clone().chain(looped.body.clone());
        let writes = |idx: TokenIdx| document.token_text(idx).starts_with("atomic") && !self.reads_memory(idx);
        if tokens().any(writes) {
            return None;
        }
        let place = tokens().find(|&idx| self.reads_memory(idx))?;
        if looped.condition.clone().any(|idx| self.drew(idx)) {
            return Some(WaitsFor::Turn);
        }
        let is_shared = |idx: &TokenIdx| self.shared.contains(document.token_text(*idx));
        Some(tokens().find(is_shared).map_or(WaitsFor::Value(place), WaitsFor::Shared))
    }

    /// Whether the name at `idx` is of a variable whose first value an atomic operation gave.
    fn drew(&self, idx: TokenIdx) -> bool {
        let value = || self.numbers.first_value(idx, self.function);
        let draws = |idx: TokenIdx| matches!(self.document.token_text(idx), "atomicAdd" | "atomicInc");
        self.document.kind(idx) == Some(TokenKind::Ident)
            && value().is_some_and(|value| value.tokens.into_iter().any(draws))
    }

    /// Whether the body of a loop does nothing, but for pauses and reading what its condition asks for.
    fn is_idle(&self, looped: &Loop) -> bool {
        let document = self.document;
        statements(document, looped.body.clone()).iter().all(|statement| match statement {
            Statement::Expression(operand) => match &operand.kind {
                OperandKind::Call(name, _) => PAUSES.contains(&document.token_text(*name)),
                OperandKind::Name(name) => document.token_text(*name) == "continue",
                OperandKind::Binary(operator, sides) if operator.kind == OperatorKind::Assign(None) => {
                    self.is_read_anew(&sides[0], &sides[1], looped)
                }
                _ => false,
            },
            _ => false,
        })
    }

    /// Whether an assignment gives a variable that the condition compares what a memory cell has now, always the same one.
    fn is_read_anew(&self, target: &Operand, value: &Operand, looped: &Loop) -> bool {
        let document = self.document;
        let OperandKind::Name(name) = target.kind else { return false };
        let name = document.token_text(name);
        let is_compared = |idx: TokenIdx| {
            let touches_memory = |idx: TokenIdx| matches!(document.token_text(idx), "*" | "[" | "->" | ".");
            document.token_text(idx) == name && !touches_memory(idx - 1) && !touches_memory(idx + 1)
        };
        let mut uses = looped.condition.clone().filter(|&idx| document.token_text(idx) == name).peekable();
        uses.peek().is_some()
            && uses.all(is_compared)
            && value.tokens.clone().any(|idx| self.reads_memory(idx))
            && value.tokens.clone().all(|idx| document.token_text(idx) != name)
    }

    fn constant(&self, tokens: Range<TokenIdx>) -> Option<i64> {
        constant(self.document, self.numbers, self.function, &Operand::read(self.document, tokens))
    }

    /// Whether something is read at a token that other threads may write.
    fn reads_memory(&self, idx: TokenIdx) -> bool {
        let document = self.document;
        let text = document.token_text(idx);
        match text {
            "*" => !document.before(idx).is_some_and(|before| ends_value(document, before)),
            "[" => document.before(idx).is_some_and(|before| document.kind(before) == Some(TokenKind::Ident)),
            "->" | "load" | "__ldcg" | "__ldcv" => true,
            "atomicAdd" | "atomicOr" | "atomicCAS" => {
                let call = Call::at(document, idx);
                let value = call.and_then(|call| call.arguments.last().map(|&value| document.tokens_in(value)));
                value.is_some_and(|value| self.constant(value) == Some(0))
            }
            _ => self.shared.contains(text),
        }
    }
}

/// The body of a loop with more tokens than this does more than wait.
const LONGEST_PAUSE: usize = 100;

/// Functions that only let time pass, or make sure of the order of what is read.
const PAUSES: &[&str] = &[
    "__nanosleep",
    "__threadfence",
    "__threadfence_block",
    "__threadfence_system",
    "__syncwarp",
    "__builtin_amdgcn_s_sleep",
];

/// The variables that a function declares in the block's shared memory.
fn shared_variables<'d>(document: &'d Document, function: &Function) -> FxHashSet<&'d str> {
    let words = function.body.clone().filter(|&idx| document.token_text(idx) == "__shared__");
    let declarations = words.filter_map(|word| {
        let end = statement_end(document, word..function.body.end).checked_sub(1).filter(|&end| end > word)?;
        declaration(document, word..end)
    });
    let names = declarations.flat_map(|declared| declared.declarators).map(|declarator| declarator.name);
    names.map(|name| document.token_text(name)).collect()
}

/// `++` or `--`
fn counts(document: &Document, idx: TokenIdx) -> bool {
    let sign = document.token_text(idx);
    matches!(sign, "+" | "-") && document.token_text(idx + 1) == sign && document.touches_next(idx)
}

/// Whether an operator behind the token has a value before it.
fn ends_value(document: &Document, idx: TokenIdx) -> bool {
    match document.kind(idx) {
        Some(TokenKind::Ident) => document.token_text(idx) != "return",
        Some(TokenKind::Number | TokenKind::Punct(b']')) => true,
        // `(int)*p` reads, `(a + b) * p` does not.
        Some(TokenKind::Punct(b')')) => {
            let word = document.before(idx);
            !word.is_some_and(|word| is_type_word(document.token_text(word)) || document.is(word, b'*'))
        }
        _ => false,
    }
}
