//! Calls that try to take a lock, and what they give with it and without it.

use std::ops::Range;

use super::control_flow::{ControlFlow, If};
use super::functions::Function;
use super::outcome::{Outcome, constant};
use super::thread_numbers::ThreadNumbers;
use crate::syntax::{Call, Document, Operand, TokenIdx, TokenKind, opening, words_in};

/// A call that may take a lock: an atomic one of constants, or one of a function of the file that does nothing else.
pub(super) struct Attempt {
    /// Its name.
    pub call: TokenIdx,
    pub address: Range<TokenIdx>,
    /// What it gives when the lock was free.
    pub free: i64,
    /// What it gives when the lock was taken.
    pub taken: i64,
}

/// Functions that call each other more often than this are not followed.
const DEEPEST: u32 = 1;
/// Functions of more tokens than this do more than take a lock.
const LONGEST: usize = 200;
/// What an atomic call gives that found the number of another owner.
const OWNER: i64 = (1 << 41) | 1;

impl Attempt {
    /// The call whose name is the token at `idx`, if it is one.
    pub(super) fn at<'d>(
        document: &'d Document,
        numbers: &ThreadNumbers<'d>,
        function: &Function,
        idx: TokenIdx,
    ) -> Option<Attempt> {
        Tries { document, numbers }.at(function, idx, 0)
    }
}

/// The variable that a value made of the call at `idx` is assigned to in a function, and the value.
pub(super) fn assigned<'d>(document: &'d Document, function: &Function, idx: TokenIdx) -> Option<(&'d str, Operand)> {
    let sign = assignment_before(document, idx)?;
    let name = sign.checked_sub(1).filter(|&name| document.kind(name) == Some(TokenKind::Ident))?;
    let mut end = sign + 1;
    while end < function.body.end && !matches!(document.token_text(end), ";" | "," | ")") {
        end = document.after_brackets(end);
    }
    Some((document.token_text(name), Operand::read(document, sign + 1..end)))
}

struct Tries<'a, 'd> {
    document: &'d Document,
    numbers: &'a ThreadNumbers<'d>,
}

impl Tries<'_, '_> {
    fn at(&self, function: &Function, idx: TokenIdx, depth: u32) -> Option<Attempt> {
        if self.document.kind(idx) != Some(TokenKind::Ident) {
            return None;
        }
        let name = self.document.token_text(idx);
        let name = name.strip_suffix("_block").or_else(|| name.strip_suffix("_system")).unwrap_or(name);
        match name {
            "atomicCAS" => self.atomic(function, idx, name, 2),
            "atomicExch" | "atomicOr" => self.atomic(function, idx, name, 1),
            "atomicMax" | "atomicMin" | "atomicInc" | "atomicAdd" | "atomicSub" => {
                self.atomic(function, idx, name, 1).filter(|attempt| self.is_of_lock(function, attempt))
            }
            "exchange" | "test_and_set" | "compare_exchange_strong" | "compare_exchange_weak" => {
                self.of_object(function, idx, name)
            }
            _ if depth < DEEPEST => self.by_function(function, idx, depth),
            _ => None,
        }
    }

    fn atomic(&self, function: &Function, idx: TokenIdx, name: &str, count: usize) -> Option<Attempt> {
        let document = self.document;
        let call = Call::at(document, idx).filter(|call| call.arguments.len() == count + 1)?;
        let mut arguments = call.arguments.iter().map(|&argument| document.tokens_in(argument));
        let address = arguments.next()?;
        let known = |tokens| constant(document, self.numbers, function, &Operand::read(document, tokens));
        let values: Vec<Option<i64>> = arguments.map(known).collect();
        let (free, taken) = match (name, values.as_slice()) {
            ("atomicCAS", &[Some(expected), Some(new)]) if expected != new => (expected, new),
            // Each owner has a number of its own.
            ("atomicCAS", &[Some(expected), None]) => (expected, OWNER),
            ("atomicExch", &[Some(new)]) => (i64::from(new == 0), new),
            ("atomicOr" | "atomicMax", &[Some(bits)]) if bits > 0 => (0, bits),
            // Who counts first has the lock: `atomicAdd(s, 1) != 0`, `atomicSub(s, 1) != 1`.
            ("atomicInc" | "atomicAdd", &[Some(by)]) if by == 1 || name == "atomicInc" && by != 0 => (0, 1),
            ("atomicMin", &[Some(0)]) | ("atomicSub", &[Some(1)]) => (1, 0),
            _ => return None,
        };
        Some(Attempt { call: idx, address, free, taken })
    }

    /// Whether what counts or compares may be a lock: the loop does nothing else, or the function gives it back.
    fn is_of_lock(&self, function: &Function, attempt: &Attempt) -> bool {
        let document = self.document;
        let gives = |name: &&str| *name != document.token_text(attempt.call);
        let address = document.slice(document.range_of(attempt.address.clone()));
        let gives_back = |idx: TokenIdx| {
            let first = Call::at(document, idx).and_then(|call| call.arguments.first().copied());
            first.is_some_and(|first| document.slice(first) == address)
        };
        let is_given_back = || {
            let releases = ["atomicExch", "atomicSub", "atomicAdd", "atomicDec"].into_iter().filter(gives);
            releases.into_iter().any(|name| words_in(document, name, function.body.clone()).any(gives_back))
        };
        self.spins(attempt.call) || is_given_back()
    }

    /// Whether a call is in the condition of a `while` that does nothing else.
    fn spins(&self, call: TokenIdx) -> bool {
        let document = self.document;
        let Some(open) = opening(document, call) else { return false };
        let close = document.partner(open).unwrap_or(open);
        let is_empty = document.is(close + 1, b';') || document.is(close + 1, b'{') && document.is(close + 2, b'}');
        is_empty && open.checked_sub(1).is_some_and(|word| document.token_text(word) == "while")
    }

    /// A call of a member of an atomic object: `lock.exchange(1)`, `lock.compare_exchange_strong(expected, 1)`.
    fn of_object(&self, function: &Function, idx: TokenIdx, name: &str) -> Option<Attempt> {
        let document = self.document;
        let is_member = idx.checked_sub(1).is_some_and(|dot| matches!(document.token_text(dot), "." | "->"));
        let call = Call::at(document, idx).filter(|_| is_member)?;
        let (free, taken) = match (name, call.arguments.first()) {
            ("exchange", Some(&value)) => {
                let value = Operand::read(document, document.tokens_in(value));
                let new = constant(document, self.numbers, function, &value)?;
                (i64::from(new == 0), new)
            }
            ("exchange", None) => return None,
            ("test_and_set", _) => (0, 1),
            // Whether it was exchanged: by a constant, as a lock is; anything else is a new value.
            _ => {
                let new = document.tokens_in(*call.arguments.get(1)?);
                constant(document, self.numbers, function, &Operand::read(document, new))?;
                (1, 0)
            }
        };
        Some(Attempt { call: idx, address: self.address(&call), free, taken })
    }

    /// A call of a function that is one atomic instruction of PTX: `atom.cas` of what it is given.
    fn by_asm(&self, function: &Function, idx: TokenIdx, callee: &Function) -> Option<Attempt> {
        let document = self.document;
        let mut texts = callee.body.clone().filter(|&at| document.kind(at) == Some(TokenKind::Str));
        let text = document.token_text(texts.find(|&at| document.token_text(at).contains("atom."))?);
        let instruction = text.split(['%', ';']).next().unwrap_or_default();
        let (name, count) = match instruction {
            _ if instruction.contains(".cas") => ("atomicCAS", 2),
            _ if instruction.contains(".exch") => ("atomicExch", 1),
            _ => return None,
        };
        self.atomic(function, idx, name, count)
    }

    /// A call of a function of the file that makes one attempt and returns how it went.
    fn by_function(&self, function: &Function, idx: TokenIdx, depth: u32) -> Option<Attempt> {
        let document = self.document;
        let callee = self.numbers.only_function(document.token_text(idx))?;
        let call = Call::at(document, idx)?;
        let is_loop = |at: TokenIdx| matches!(document.token_text(at), "for" | "while" | "do" | "goto");
        let is_small = callee.body.len() < LONGEST && !callee.body.clone().any(is_loop);
        let inner = callee.body.clone().filter(|_| is_small).find_map(|at| self.at(callee, at, depth + 1));
        let Some(inner) = inner else { return self.by_asm(function, idx, callee).filter(|_| is_small) };
        let flow = ControlFlow::of(document, callee.body.clone());
        let gives = |result| self.returned(callee, &flow, &inner, result);
        let (free, taken) = (gives(inner.free)?, gives(inner.taken)?);
        (free != taken).then(|| Attempt { call: idx, address: self.address(&call), free, taken })
    }

    /// The lock that a call is given, or whose member it is.
    fn address(&self, call: &Call) -> Range<TokenIdx> {
        let document = self.document;
        let object = call.name.checked_sub(2).filter(|_| matches!(document.token_text(call.name - 1), "." | "->"));
        match object {
            Some(last) => document.partner(last).filter(|&open| open < last).unwrap_or(last)..call.name - 1,
            None => call.open + 1..call.close,
        }
    }

    /// What a function returns where its attempt has a result.
    fn returned(&self, callee: &Function, flow: &ControlFlow, attempt: &Attempt, result: i64) -> Option<i64> {
        let document = self.document;
        let (numbers, function) = (self.numbers, callee);
        let mut outcome = Outcome { document, numbers, function, call: attempt.call, result, variable: None };
        if let Some((variable, value)) = assigned(document, callee, attempt.call) {
            outcome.variable = outcome.value(&value).map(|known| (variable, known));
        }
        let words = callee.body.clone().filter(|&at| document.token_text(at) == "return");
        for word in words {
            let skipped = flow.ifs.iter().map(|found| self.skips(found, word, &outcome));
            if skipped.collect::<Option<Vec<bool>>>()?.contains(&true) {
                continue;
            }
            let end = (word..callee.body.end).find(|&at| document.is(at, b';'))?;
            return outcome.value(&Operand::read(document, word + 1..end));
        }
        None
    }

    /// Whether an `if` leads past a token; nothing if it cannot be told.
    fn skips(&self, found: &If, idx: TokenIdx, outcome: &Outcome<'_, '_>) -> Option<bool> {
        let (then, other) = (found.then.contains(&idx), found.other.contains(&idx));
        if !then && !other {
            return Some(false);
        }
        let holds = outcome.value(&Operand::read(self.document, found.condition.clone()))? != 0;
        Some(holds != then)
    }
}

/// The `=` before a token that assigns a value which it is part of.
fn assignment_before(document: &Document, idx: TokenIdx) -> Option<TokenIdx> {
    let mut at = idx;
    loop {
        at = document.before(at)?;
        match document.kind(at)? {
            TokenKind::Punct(b')' | b']') => at = document.partner(at).filter(|&open| open < at)?,
            TokenKind::Punct(b';' | b'{' | b'}') => return None,
            TokenKind::Punct(b'=') if !is_part_of_operator(document, at) => return Some(at),
            _ => {}
        }
    }
}

/// Whether a `=` is part of `==`, `<=`, `+=` and the like.
fn is_part_of_operator(document: &Document, at: TokenIdx) -> bool {
    let sign = |idx: TokenIdx| {
        matches!(
            document.kind(idx),
            Some(TokenKind::Punct(b'=' | b'!' | b'<' | b'>' | b'+' | b'-' | b'|' | b'&' | b'^' | b'*' | b'/' | b'%'))
        )
    };
    let before = at.checked_sub(1).is_some_and(|before| sign(before) && document.touches_next(before));
    before || document.is(at + 1, b'=') && document.touches_next(at)
}
