//! Loops of device code that do nothing but read until another thread has written.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::control_flow::{ControlFlow, If, Loop};
use super::functions::Function;
use super::outcome::constant;
use super::statement_ends::{StatementEnds, statement_end};
use super::statements::{Statement, declaration, statements};
use super::thread_numbers::ThreadNumbers;
use super::unchanged::is_written;
use super::waits_for::WaitsFor;
use super::warp_words::is_warp_function;
use crate::syntax::{Call, Document, Operand, OperandKind, OperatorKind, TokenIdx, TokenKind, is_type_word};

/// Looks at the loops of one function.
pub(super) struct Poller<'a, 'd> {
    document: &'d Document,
    numbers: &'a ThreadNumbers<'d>,
    function: &'a Function,
    ifs: &'a [If],
    loops: &'a [Loop],
    shared: FxHashSet<&'d str>,
}

/// The parts of a loop.
#[derive(Default)]
struct Parts {
    /// What is asked before it goes on.
    asked: Vec<Range<TokenIdx>>,
    /// What is done in each round.
    rounds: Vec<Range<TokenIdx>>,
    /// Reads in assembler among it.
    loads: Vec<Range<TokenIdx>>,
}

impl Parts {
    fn asked(&self) -> impl Iterator<Item = TokenIdx> {
        self.asked.iter().cloned().flatten()
    }
}

impl<'a, 'd> Poller<'a, 'd> {
    pub(super) fn of(
        document: &'d Document,
        numbers: &'a ThreadNumbers<'d>,
        function: &'a Function,
        flow: &'a ControlFlow,
    ) -> Poller<'a, 'd> {
        let ControlFlow { ifs, loops, .. } = flow;
        Poller { document, numbers, function, ifs, loops, shared: shared_variables(document, function) }
    }

    /// What a loop waits for that does nothing but read, if it is one.
    pub(super) fn polls(&self, looped: &Loop) -> Option<WaitsFor> {
        self.does_nothing_but_read(looped).or_else(|| self.reads_until_there_is_work(looped))
    }

    /// What a loop waits for of which each round but the last does nothing, as its body is an `if` or a loop that asks for it:
    /// `while (j < n) { if (done[j]) sum += x[j++]; }`
    fn reads_until_there_is_work(&self, looped: &Loop) -> Option<WaitsFor> {
        let document = self.document;
        let body = &looped.body;
        let is_block =
            document.is(body.start, b'{') && document.partner(body.start).is_some_and(|end| end + 1 == body.end);
        let inside = if is_block { body.start + 1..body.end - 1 } else { body.clone() };
        let is_short = looped.step.is_empty() && looped.body.len() < LONGEST_WORK;
        let asked = self.asked_alone(&inside).filter(|_| is_short)?;
        let conditions = || looped.condition.clone().chain(asked.clone());
        if conditions().any(|idx| is_written(document, idx) || !self.is_harmless(idx) || self.writes(idx)) {
            return None;
        }
        let place = asked.clone().find(|&idx| self.reads_memory(idx))?;
        Some(self.read_at(place, asked))
    }

    /// What a loop waits for that reads at `place`, among some tokens.
    fn read_at(&self, place: TokenIdx, mut tokens: impl Iterator<Item = TokenIdx>) -> WaitsFor {
        let is_shared = |idx: &TokenIdx| self.shared.contains(self.document.token_text(*idx));
        tokens.find(is_shared).map_or(WaitsFor::Value(place), WaitsFor::Shared)
    }

    /// Whether an atomic function at a token does more than read.
    fn writes(&self, idx: TokenIdx) -> bool {
        self.document.token_text(idx).starts_with("atomic") && !self.reads_memory(idx)
    }

    /// The condition of an `if` without `else`, or of a loop, that some tokens are.
    fn asked_alone(&self, tokens: &Range<TokenIdx>) -> Option<Range<TokenIdx>> {
        let asking = self.ifs.binary_search_by_key(&tokens.start, |found| found.keyword).ok();
        if let Some(found) = asking.and_then(|at| self.ifs.get(at)) {
            return (found.other.is_empty() && found.then.end == tokens.end).then(|| found.condition.clone());
        }
        let at = self.loops.binary_search_by_key(&tokens.start, |looped| looped.keyword).ok()?;
        let looped = self.loops.get(at).filter(|looped| looped.step.is_empty() && looped.end() == tokens.end)?;
        (looped.condition.start < looped.body.start).then(|| looped.condition.clone())
    }

    fn does_nothing_but_read(&self, looped: &Loop) -> Option<WaitsFor> {
        let document = self.document;
        if looped.body.len() >= LONGEST_PAUSE || !looped.step.is_empty() {
            return None;
        }
        let parts = self.parts(looped)?;
        if parts.asked().any(|idx| counts(document, idx)) || !self.is_idle(&parts) {
            return None;
        }
        let tokens = || parts.asked().chain(parts.rounds.iter().cloned().flatten());
        if tokens().any(|idx| self.writes(idx)) {
            return None;
        }
        let loaded = parts.loads.first().filter(|load| self.asks_for(&parts, load)).map(|load| load.start);
        let place = tokens().find(|&idx| self.reads_memory(idx)).or(loaded)?;
        if parts.asked().any(|idx| self.drew(idx)) {
            return Some(WaitsFor::Turn);
        }
        Some(self.read_at(place, tokens()))
    }

    /// The parts of a loop, without what is done where it is left; nothing if something else decides about the way out.
    fn parts(&self, looped: &Loop) -> Option<Parts> {
        let document = self.document;
        let mut parts = Parts::default();
        parts.asked.extend(Some(looped.condition.clone()).filter(|condition| !condition.is_empty()));
        let mut at = looped.body.start;
        while at < looped.body.end {
            let found = self.ifs.binary_search_by_key(&at, |found| found.keyword).ok().and_then(|at| self.ifs.get(at));
            let exit = found.filter(|found| ends_with_exit(document, &found.then));
            let is_assembler = matches!(document.token_text(at), "asm" | "__asm__");
            let end = match exit {
                Some(found) => {
                    if !found.condition.clone().all(|idx| self.is_harmless(idx)) {
                        return None;
                    }
                    parts.asked.push(found.condition.clone());
                    found.then.end
                }
                None if is_assembler => {
                    let end = statement_end(document, at..looped.body.end);
                    loads(document, at..end).then(|| parts.loads.push(at..end))?;
                    end
                }
                None => {
                    match parts.rounds.last_mut().filter(|last| last.end == at) {
                        Some(last) => last.end += 1,
                        None => parts.rounds.push(at..at + 1),
                    }
                    at + 1
                }
            };
            at = end.max(at + 1);
        }
        (!parts.asked.is_empty()).then_some(parts)
    }

    /// Whether a token of a condition calls nothing that may do more than look.
    fn is_harmless(&self, idx: TokenIdx) -> bool {
        let document = self.document;
        let word = document.token_text(idx);
        let calls = document.kind(idx) == Some(TokenKind::Ident) && document.is(idx + 1, b'(');
        let votes = is_warp_function(word) || word.starts_with("__any") || word.starts_with("__all");
        !calls || votes || is_type_word(word) || word.starts_with("atomic") || self.reads_memory(idx)
    }

    /// Whether what is asked names something that an assembler statement sets.
    fn asks_for(&self, parts: &Parts, load: &Range<TokenIdx>) -> bool {
        let is_set =
            |idx: TokenIdx| load.clone().any(|at| self.document.token_text(at) == self.document.token_text(idx));
        parts.asked().any(|idx| self.document.kind(idx) == Some(TokenKind::Ident) && is_set(idx))
    }

    /// Whether a function of the file does nothing but read memory and return what is there.
    fn peeks(&self, name: TokenIdx) -> bool {
        let document = self.document;
        let function = || self.numbers.only_function(document.token_text(name)).map(|callee| callee.body.clone());
        let Some(body) = self.lambda(name).or_else(function).filter(|body| body.len() < LONGEST_PAUSE) else {
            return false;
        };
        if let Some(word) = body.clone().find(|&idx| matches!(document.token_text(idx), "asm" | "__asm__")) {
            return loads(document, word..body.end);
        }
        let looks = |statement: &Statement| match statement {
            Statement::Expression(operand) => self.pauses(operand),
            Statement::Declaration(_) | Statement::Return(_) => true,
        };
        let reads = |idx: TokenIdx| self.reads_place(idx);
        let works = |idx: TokenIdx| {
            counts(document, idx) || document.token_text(idx).starts_with("atomic") && !self.reads_place(idx)
        };
        statements(document, body.clone()).iter().all(looks) && body.clone().any(reads) && !body.clone().any(works)
    }

    /// The body of the lambda that a variable is: `auto ready = [&] { return *flag; };`
    fn lambda(&self, name: TokenIdx) -> Option<Range<TokenIdx>> {
        let value = self.numbers.first_value(name, self.function)?.tokens;
        let open = value.clone().find(|&idx| self.document.is(idx, b'{'))?;
        let close = self.document.partner(open)?;
        (self.document.is(value.start, b'[') && close < value.end).then_some(open..close + 1)
    }

    /// Whether the name at `idx` is of a variable whose first value an atomic operation gave.
    fn drew(&self, idx: TokenIdx) -> bool {
        let value = || self.numbers.first_value(idx, self.function);
        let draws = |idx: TokenIdx| matches!(self.document.token_text(idx), "atomicAdd" | "atomicInc");
        self.document.kind(idx) == Some(TokenKind::Ident)
            && value().is_some_and(|value| value.tokens.into_iter().any(draws))
    }

    /// Whether the rounds of a loop do nothing, but for pauses and reading what is asked for.
    fn is_idle(&self, parts: &Parts) -> bool {
        let document = self.document;
        let found = parts.rounds.iter().flat_map(|tokens| statements(document, tokens.clone()));
        found.into_iter().all(|statement| match statement {
            Statement::Expression(operand) => match &operand.kind {
                OperandKind::Call(..) => self.pauses(&operand),
                OperandKind::Name(name) => document.token_text(*name) == "continue",
                OperandKind::Binary(operator, sides) if operator.kind == OperatorKind::Assign(None) => {
                    let OperandKind::Name(name) = sides[0].kind else { return false };
                    self.is_read_anew(name, &sides[1], parts)
                }
                _ => false,
            },
            Statement::Declaration(declared) => declared.declarators.iter().all(|one| {
                one.value.as_ref().is_none_or(|value| !one.is_compound && self.is_read_anew(one.name, value, parts))
            }),
            Statement::Return(_) => false,
        })
    }

    fn pauses(&self, operand: &Operand) -> bool {
        matches!(operand.kind, OperandKind::Call(name, _) if is_pause(self.document.token_text(name)))
    }

    /// Whether a variable that is asked for gets what a memory cell has now, always the same one.
    fn is_read_anew(&self, name: TokenIdx, value: &Operand, parts: &Parts) -> bool {
        let document = self.document;
        let name = document.token_text(name);
        let is_compared = |idx: TokenIdx| {
            let touches_memory = |idx: TokenIdx| matches!(document.token_text(idx), "*" | "[" | "->" | ".");
            document.token_text(idx) == name && !touches_memory(idx - 1) && !touches_memory(idx + 1)
        };
        let mut uses = parts.asked().filter(|&idx| document.token_text(idx) == name).peekable();
        uses.peek().is_some()
            && uses.all(is_compared)
            && value.tokens.clone().any(|idx| self.reads_memory(idx))
            && value.tokens.clone().all(|idx| document.token_text(idx) != name)
    }

    fn constant(&self, tokens: Range<TokenIdx>) -> Option<i64> {
        constant(self.document, self.numbers, self.function, &Operand::read(self.document, tokens))
    }

    /// Whether something is read at a token that other threads may write, by a function of the file included.
    fn reads_memory(&self, idx: TokenIdx) -> bool {
        let is_name = self.document.kind(idx) == Some(TokenKind::Ident);
        let is_call = || {
            self.document.is(idx + 1, b'(') || self.document.is(idx + 1, b'<') && Call::at(self.document, idx).is_some()
        };
        self.reads_place(idx) || is_name && is_call() && self.peeks(idx)
    }

    fn reads_place(&self, idx: TokenIdx) -> bool {
        let document = self.document;
        let text = document.token_text(idx);
        match text {
            "*" => !document.before(idx).is_some_and(|before| ends_value(document, before)),
            // `((volatile int*)flags)[1]`
            "[" => document.before(idx).is_some_and(|before| {
                matches!(document.kind(before), Some(TokenKind::Ident | TokenKind::Punct(b')' | b']')))
            }),
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

/// Loops of more tokens than this, which may hold more loops, are not read for what they wait for before they work.
const LONGEST_WORK: usize = 500;

/// Functions that only let time pass, or make sure of the order of what is read.
const PAUSES: &[&str] = &[
    "__nanosleep",
    "__threadfence",
    "__threadfence_block",
    "__threadfence_system",
    "__syncwarp",
    "__builtin_amdgcn_s_sleep",
];

/// Whether a function only lets time pass, or makes sure of the order of what is read.
pub fn is_pause(function: &str) -> bool {
    PAUSES.contains(&function)
}

/// The variables that a function declares in the block's shared memory.
fn shared_variables<'d>(document: &'d Document, function: &Function) -> FxHashSet<&'d str> {
    let ends = StatementEnds::of(document, function.body.clone());
    let words = function.body.clone().filter(|&idx| document.token_text(idx) == "__shared__");
    let declarations = words.filter_map(|word| {
        let end = ends.of_statement(word).checked_sub(1).filter(|&end| end > word)?;
        declaration(document, word..end)
    });
    let names = declarations.flat_map(|declared| declared.declarators).map(|declarator| declarator.name);
    names.map(|name| document.token_text(name)).collect()
}

/// Whether a statement ends with one that leaves the loop around it.
fn ends_with_exit(document: &Document, tokens: &Range<TokenIdx>) -> bool {
    let exit = tokens.clone().rev().find(|&idx| matches!(document.token_text(idx), "break" | "return" | "goto"));
    let starts = |idx: TokenIdx| idx == tokens.start || matches!(document.token_text(idx - 1), ";" | "{" | "}");
    let is_block = document.is(tokens.start, b'{');
    let is_last = |idx: TokenIdx| statement_end(document, idx..tokens.end) + usize::from(is_block) == tokens.end;
    exit.is_some_and(|idx| starts(idx) && is_last(idx))
}

/// Whether statements in assembler only read memory.
fn loads(document: &Document, mut tokens: Range<TokenIdx>) -> bool {
    let texts = || tokens.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Str));
    let has = |starts: &[&str]| {
        texts().any(|idx| {
            let text = document.token_text(idx);
            starts.iter().any(|start| text.contains(start))
        })
    };
    let reads = has(&["ld.", "ld_"]) && !has(&["st.", "atom.", "red."]);
    reads && tokens.all(|idx| !document.token_text(idx).starts_with("atomic"))
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
