//! Of which type the value of an expression is, as far as the text of its function tells.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::coordinate_argument::is_coordinate;
use crate::analysis::{Declaration, Function, is_shuffle};
use crate::rules::context::Context;
use crate::syntax::{Call, DirectiveKind, Document, TokenIdx, TokenKind, is_keyword, split_arguments, words, words_in};

/// A type of C++'s numbers, or another one by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Number {
    /// One that is smaller than `int`, and becomes one in arithmetic.
    Small(String),
    /// An integer by its rank: 0 for `int`, 1 for `long`, 2 for `long long`.
    Integer { rank: u8, is_unsigned: bool },
    /// `float`, or `double`.
    Real { is_double: bool },
    /// A type that the text does not know: the parameter of a template, another name of a type.
    Named(String),
}

pub(super) const INT: Number = Number::Integer { rank: 0, is_unsigned: false };

impl Number {
    /// Whether it is one of C++'s own.
    pub(super) fn is_known(&self) -> bool {
        !matches!(self, Number::Named(_))
    }

    /// The type that some words name.
    pub(super) fn named(words: &[&str]) -> Option<Number> {
        let integer = |rank, is_unsigned| Some(Number::Integer { rank, is_unsigned });
        match *words {
            ["float"] => return Some(Number::Real { is_double: false }),
            ["double"] => return Some(Number::Real { is_double: true }),
            ["bool" | "int8_t" | "uint8_t" | "int16_t" | "uint16_t" | "uchar" | "ushort"] => {
                return Some(Number::Small(words[0].to_owned()));
            }
            ["int32_t"] => return integer(0, false),
            ["uint32_t" | "uint"] => return integer(0, true),
            // Where `long` has 64 bits.
            ["int64_t" | "ptrdiff_t" | "intptr_t" | "ssize_t"] => return integer(1, false),
            ["uint64_t" | "size_t" | "uintptr_t" | "ulong"] => return integer(1, true),
            _ => {}
        }
        let count = |word: &str| words.iter().filter(|other| **other == word).count();
        let is_whole = |word: &&str| matches!(*word, "unsigned" | "signed" | "int" | "long" | "short" | "char");
        match words {
            [] => None,
            _ if !words.iter().all(is_whole) => match words {
                [name] => Some(Number::Named((*name).to_owned())),
                _ => None,
            },
            _ if count("char") + count("short") > 0 => Some(Number::Small(words.join(" "))),
            _ => integer(u8::try_from(count("long")).ok()?, count("unsigned") > 0),
        }
    }

    /// What it is in arithmetic.
    pub(super) fn promoted(self) -> Number {
        if matches!(self, Number::Small(_)) { INT } else { self }
    }

    /// Of which type the sum of two is, or `a ? b : c`; that of CUDA's `min` of both.
    pub(super) fn common(self, other: Number) -> Option<Number> {
        use Number::{Integer, Real};
        Some(match (self.promoted(), other.promoted()) {
            (one, other) if one == other => one,
            (Real { is_double: one }, Real { is_double: other }) => Real { is_double: one || other },
            (real @ Real { .. }, Integer { .. }) | (Integer { .. }, real @ Real { .. }) => real,
            (Integer { rank: one, is_unsigned: a }, Integer { rank: other, is_unsigned: b }) => {
                let has = |rank, is_unsigned| is_unsigned && rank == one.max(other);
                Integer { rank: one.max(other), is_unsigned: has(one, a) || has(other, b) }
            }
            _ => return None,
        })
    }

    /// As C++ writes it.
    pub(super) fn text(&self) -> String {
        match self {
            Number::Small(name) | Number::Named(name) => name.clone(),
            Number::Real { is_double } => if *is_double { "double" } else { "float" }.to_owned(),
            Number::Integer { rank, is_unsigned } => {
                let sign = if *is_unsigned { "unsigned " } else { "" };
                format!("{sign}{}", ["int", "long", "long long"][usize::from(*rank).min(2)])
            }
        }
    }
}

/// The types of what a file declares outside of functions, and of its macros that are numbers.
pub(super) struct Numbers<'c, 'd> {
    cx: &'c Context<'d>,
    of_file: FxHashMap<&'d str, Number>,
    /// Whether only what the function itself, or a macro, says counts.
    is_strict: bool,
    /// The names that lambdas of functions take, by where the functions start.
    of_lambdas: RefCell<FxHashMap<TokenIdx, Rc<FxHashSet<&'d str>>>>,
    /// Whether functions declare names of the file themselves, by where they start.
    declared: RefCell<FxHashMap<(TokenIdx, &'d str), bool>>,
    /// How many operands lie around the one that is read.
    depth: Cell<u8>,
}

/// No operand that somebody wrote lies deeper in others; the types of deeper ones count as not known.
const DEEPEST: u8 = 32;

impl<'c, 'd> Numbers<'c, 'd> {
    /// Types that are certain enough to write others: of what the function declares once, and nothing else has the name of.
    pub(super) fn strict(cx: &'c Context<'d>) -> Numbers<'c, 'd> {
        Numbers::read(cx, true)
    }

    pub(super) fn of(cx: &'c Context<'d>) -> Numbers<'c, 'd> {
        Numbers::read(cx, false)
    }

    fn read(cx: &'c Context<'d>, is_strict: bool) -> Numbers<'c, 'd> {
        let document = cx.document;
        let mut of_file = FxHashMap::default();
        for directive in document.directives().iter().filter(|directive| directive.kind == DirectiveKind::Define) {
            let name = directive.tokens.start + 2;
            if name + 2 == directive.tokens.end
                && let Some(number) = literal(document.token_text(name + 1))
            {
                of_file.insert(document.token_text(name), number);
            }
        }
        let mut start = 0;
        let end_of_file = std::iter::once(document.tokens().len()..0);
        for body in cx.facts.functions.iter().map(|function| function.body.clone()).chain(end_of_file) {
            let blocks = cx.facts.blocks(document);
            let is_variable =
                |idx: &TokenIdx| names_variable(document, *idx) && !(is_strict && blocks.is_in_class(*idx));
            for name in (start..body.start).filter(is_variable) {
                if let Some(number) = type_before(document, name) {
                    of_file.entry(document.token_text(name)).or_insert(number);
                }
            }
            start = body.end;
        }
        let (declared, of_lambdas) = (RefCell::default(), RefCell::default());
        Numbers { cx, of_file, is_strict, of_lambdas, declared, depth: Cell::new(0) }
    }

    /// The type of the value of some tokens within a function.
    pub(super) fn value(&self, function: &Function, tokens: Range<TokenIdx>) -> Option<Number> {
        if let Some((one, other)) = choice(self.cx.document, tokens.clone()) {
            return self.value(function, one)?.common(self.value(function, other)?);
        }
        let parts = operands(self.cx.document, tokens)?;
        let [part] = parts.as_slice() else {
            let mut numbers = parts.into_iter().map(|part| self.operand(function, part).map(Number::promoted));
            let first = numbers.next()??;
            return numbers.try_fold(first, |known, part| known.common(part?));
        };
        self.operand(function, part.clone())
    }

    /// The type of an operand: a literal, a variable or an element, a cast, a coordinate, or one in parentheses.
    fn operand(&self, function: &Function, tokens: Range<TokenIdx>) -> Option<Number> {
        if self.depth.get() >= DEEPEST {
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let found = self.operand_within(function, tokens);
        self.depth.set(self.depth.get() - 1);
        found
    }

    fn operand_within(&self, function: &Function, tokens: Range<TokenIdx>) -> Option<Number> {
        let document = self.cx.document;
        let first = tokens.start;
        let last = tokens.end.checked_sub(1).filter(|&last| last >= first)?;
        let text = document.token_text(first);
        let closes_at_end = |open: TokenIdx| document.is(open, b'(') && document.partner(open) == Some(last);
        match document.kind(first)? {
            TokenKind::Number if first == last => literal(text),
            TokenKind::Char if first == last => Some(Number::Small("char".to_owned())),
            TokenKind::Punct(b'-' | b'+' | b'~') => Some(self.operand(function, first + 1..tokens.end)?.promoted()),
            TokenKind::Punct(b'(') if closes_at_end(first) => self.value(function, first + 1..last),
            TokenKind::Punct(b'*') if first + 1 == last => self.pointed(function, last),
            TokenKind::Ident if is_coordinate(document, &tokens) => {
                Some(Number::Integer { rank: 0, is_unsigned: true })
            }
            TokenKind::Ident if text == "sizeof" => Some(Number::Integer { rank: 1, is_unsigned: true }),
            TokenKind::Ident if matches!(text, "min" | "max") && closes_at_end(first + 1) => {
                let arguments = split_arguments(document, first + 2..last);
                let [one, other] = arguments.as_slice() else { return None };
                self.value(function, one.clone())?.common(self.value(function, other.clone())?)
            }
            TokenKind::Ident if is_shuffle(text) && closes_at_end(first + 1) => {
                self.value(function, shuffled(document, first)?)
            }
            // `float(x)`
            TokenKind::Ident if closes_at_end(first + 1) => Number::named(&[text]).filter(Number::is_known),
            _ => self.declared(function, tokens),
        }
    }

    /// The type of what a pointer of the function points to.
    fn pointed(&self, function: &Function, pointer: TokenIdx) -> Option<Number> {
        let found = self.cx.variable_types().of_argument(function, pointer..pointer + 1)?;
        if self.is_strict && self.has_other_meaning(function, pointer, Some(&found)) {
            return None;
        }
        let words: Vec<&str> = found.strip_suffix('*')?.split(' ').collect();
        Number::named(&words)
    }

    /// The type of the member that an expression ends with, if all classes of the file that have one of its name agree.
    pub(super) fn member(&self, tokens: &Range<TokenIdx>) -> Option<Number> {
        let document: &Document = self.cx.document;
        let last = tokens.end.checked_sub(1).filter(|&last| last > tokens.start)?;
        if operands(document, tokens.clone())?.len() > 1 || document.kind(tokens.start) != Some(TokenKind::Ident) {
            return None;
        }
        let is_member = document.is(last - 1, b'.') || document.kind(last - 1) == Some(TokenKind::Arrow);
        let declared =
            |idx: &TokenIdx| names_variable(document, *idx) && self.cx.facts.blocks(document).is_in_class(*idx);
        let mut types =
            words(document, document.token_text(last)).filter(declared).map(|idx| type_before(document, idx));
        let first = types.next().filter(|_| is_member)??;
        types.all(|other| other.as_ref() == Some(&first)).then_some(first)
    }

    /// The type that a declaration of the function or the file, or a cast, tells.
    fn declared(&self, function: &Function, tokens: Range<TokenIdx>) -> Option<Number> {
        let found = self.cx.variable_types().of_argument(function, tokens.clone());
        if self.is_strict && self.has_other_meaning(function, tokens.start, found.as_deref()) {
            return None;
        }
        if let Some(found) = found {
            let words: Vec<&str> = found.split(' ').collect();
            return Number::named(&words).filter(|_| !found.ends_with('*'));
        }
        let (document, start) = (self.cx.document, function.head.start);
        let name = document.token_text(tokens.start);
        let is_declared =
            || words_in(document, name, start..function.body.end).any(|idx| type_before(document, idx).is_some());
        let known = self.of_file.get(name).filter(|_| tokens.len() == 1)?;
        let is_own = *self.declared.borrow_mut().entry((start, name)).or_insert_with(is_declared);
        (!is_own).then(|| known.clone())
    }

    /// Whether a name may be that of something else than what the function declares with a type: of what a lambda takes, or of a
    /// variable of the file, which counts only if it is a macro.
    pub(super) fn has_other_meaning(&self, function: &Function, name: TokenIdx, kind: Option<&str>) -> bool {
        let document: &'d Document = self.cx.document;
        let (text, start) = (document.token_text(name), function.head.start);
        if document.kind(name) != Some(TokenKind::Ident) {
            return false;
        }
        let mut of_lambdas = self.of_lambdas.borrow_mut();
        let taken = of_lambdas.entry(start).or_insert_with(|| Rc::new(taken_by_lambdas(document, function)));
        if taken.contains(text) {
            return true;
        }
        let is_macro = || self.cx.facts.declared.get(text) == Some(Declaration::Macro);
        match kind {
            Some(kind) => self.of_file.get(text).is_some_and(|other| {
                let words: Vec<&str> = kind.split(' ').collect();
                is_macro() || Number::named(&words).as_ref() != Some(other)
            }),
            None => !is_macro(),
        }
    }
}

/// The names that the lambdas within a function take: `[](float x, auto&& y)`.
fn taken_by_lambdas<'d>(document: &'d Document, function: &Function) -> FxHashSet<&'d str> {
    let mut taken = FxHashSet::default();
    for bracket in function.body.clone().filter(|&idx| document.is(idx, b']') && document.is(idx + 1, b'(')) {
        let Some(close) = document.partner(bracket + 1) else { continue };
        taken.extend(split_arguments(document, bracket + 2..close).into_iter().filter_map(|parameter| {
            let end = parameter.clone().find(|&idx| document.is(idx, b'=')).unwrap_or(parameter.end);
            let name = (parameter.start..end).rev().find(|&idx| document.kind(idx) == Some(TokenKind::Ident))?;
            Some(document.token_text(name))
        }));
    }
    taken
}

/// What the shuffle whose name is at `name` hands on: behind the mask of lanes, if it takes one.
pub(super) fn shuffled(document: &Document, name: TokenIdx) -> Option<Range<TokenIdx>> {
    let text = document.token_text(name);
    let call = Call::at(document, name).filter(|_| is_shuffle(text))?;
    let value = call.arguments.get(usize::from(text.ends_with("_sync")))?;
    Some(document.tokens_in(*value))
}

/// Whether a token may be the name of a variable outside of functions.
fn names_variable(document: &Document, idx: TokenIdx) -> bool {
    let ends = |sign: u8| document.is(idx + 1, sign);
    document.kind(idx) == Some(TokenKind::Ident) && (ends(b'=') || ends(b';') || ends(b'{'))
}

/// The type that the words in front of a name say.
fn type_before(document: &Document, name: TokenIdx) -> Option<Number> {
    /// Words of a declaration that say nothing about the values.
    const NO_TYPES: &[&str] =
        &["const", "volatile", "static", "constexpr", "extern", "inline", "__device__", "__constant__", "__managed__"];
    /// No declaration of a number has so many words.
    const MOST: usize = 8;
    let is_word =
        |idx: &TokenIdx| document.kind(*idx) == Some(TokenKind::Ident) && document.directive_of(*idx).is_none();
    let front = (name.saturating_sub(MOST)..name).rev().take_while(is_word);
    let mut words: Vec<&str> =
        front.map(|idx| document.token_text(idx)).filter(|word| !NO_TYPES.contains(word)).collect();
    words.reverse();
    let is_type = |word: &str| Number::named(&[word]).is_some_and(|number| number.is_known());
    if words.iter().any(|word| is_keyword(word) && !is_type(word)) {
        return None;
    }
    Number::named(&words)
}

/// What `condition ? one : other` chooses from, where no other choice stands beside it.
fn choice(document: &Document, tokens: Range<TokenIdx>) -> Option<(Range<TokenIdx>, Range<TokenIdx>)> {
    let top = |sign: u8| {
        let mut found = Vec::new();
        let mut idx = tokens.start;
        while idx < tokens.end {
            found.extend(document.is(idx, sign).then_some(idx));
            idx = document.partner(idx).filter(|&close| close > idx).unwrap_or(idx) + 1;
        }
        found
    };
    let (questions, colons) = (top(b'?'), top(b':'));
    let (&[question], &[colon]) = (questions.as_slice(), colons.as_slice()) else { return None };
    (question < colon).then(|| (question + 1..colon, colon + 1..tokens.end))
}

/// The operands of an arithmetic expression, which is one without operators; `None` of an expression with others.
pub(super) fn operands(document: &Document, tokens: Range<TokenIdx>) -> Option<Vec<Range<TokenIdx>>> {
    let mut start = tokens.start;
    let ends = operators(document, tokens.clone())?.into_iter().chain([tokens.end]);
    Some(ends.map(|end| std::mem::replace(&mut start, end + 1)..end).collect())
}

/// The places of the arithmetic operators between operands; `None` of an expression with others.
fn operators(document: &Document, tokens: Range<TokenIdx>) -> Option<Vec<TokenIdx>> {
    let (mut found, mut idx, mut follows_operand) = (Vec::new(), tokens.start, false);
    while idx < tokens.end {
        match document.kind(idx)? {
            TokenKind::Punct(b'(' | b'[') => {
                let close = document.partner(idx).filter(|&close| close > idx && close < tokens.end)?;
                // What stands behind a cast is the operand.
                let is_cast = !follows_operand
                    && document.is(idx, b'(')
                    && close + 1 < tokens.end
                    && (document.kind(close + 1) == Some(TokenKind::Ident)
                        || document.kind(close + 1) == Some(TokenKind::Number)
                        || document.is(close + 1, b'('));
                follows_operand = !is_cast;
                idx = close;
            }
            TokenKind::Punct(b'<') if idx > tokens.start && document.token_text(idx - 1).ends_with("_cast") => {
                idx = (idx..tokens.end).find(|&at| document.is(at, b'>'))?;
            }
            TokenKind::Punct(b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^') => {
                let doubles = document.token_text(idx) == document.token_text(idx + 1)
                    && !document.is(idx, b'*')
                    && !document.is(idx, b'-');
                if doubles {
                    return None;
                }
                if follows_operand {
                    found.push(idx);
                }
                follows_operand = false;
            }
            TokenKind::Punct(b'~') => {}
            TokenKind::Punct(b'.') | TokenKind::Arrow | TokenKind::PathSep => follows_operand = false,
            TokenKind::Punct(_) => return None,
            _ => follows_operand = true,
        }
        idx += 1;
    }
    Some(found)
}

/// The type of a literal: `1u`, `2.0f`, `0x10ull`.
pub(super) fn literal(text: &str) -> Option<Number> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let has_bits = lower.starts_with("0x") || lower.starts_with("0b");
    if !has_bits && lower.contains(['.', 'e']) {
        return Some(Number::Real { is_double: !lower.ends_with('f') });
    }
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    let rank = u8::try_from(suffix.matches('l').count()).ok()?;
    let value = match lower.as_bytes() {
        [b'0', b'x', ..] => u64::from_str_radix(&digits.get(2..)?.replace('\'', ""), 16).ok()?,
        [b'0', b'b', ..] => u64::from_str_radix(&digits.get(2..)?.replace('\'', ""), 2).ok()?,
        _ => digits.replace('\'', "").parse().ok()?,
    };
    let is_unsigned = suffix.contains('u');
    let is_narrow = rank == 0 && u32::try_from(value).is_ok();
    // What does not fit into `int` is `unsigned` where its digits are bits, or has more of them.
    Some(match i32::try_from(value) {
        Ok(_) => Number::Integer { rank, is_unsigned },
        Err(_) if is_narrow && (is_unsigned || has_bits) => Number::Integer { rank, is_unsigned: true },
        Err(_) => Number::Integer { rank: rank.max(1), is_unsigned: is_unsigned || i64::try_from(value).is_err() },
    })
}
