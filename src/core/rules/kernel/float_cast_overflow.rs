//! Floating-point numbers that become integers which they may not fit into.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::device_code::{is_for_nvcc, may_run_on_device};
use super::float_functions::{Bound, REAL_FUNCTIONS};
use super::number_types::{Number, Numbers};
use crate::analysis::{Function, Statement};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::Edit;
use crate::syntax::{
    Arithmetic, Document, Operand, OperandKind, OperatorKind, TokenIdx, TokenKind, is_keyword, statement_start, words,
    words_in,
};

declare_rule! {
    /// ## What it does
    /// Finds floating-point numbers of device code that become `char`, `short` or one of their kind: by a cast, where they are stored,
    /// added or returned, and as what a vector is made of; and the first cast of a file to an integer of 64 bits. Those that `fmin`, `fmax`, `min`, `max`, `clamp` or `__saturatef` bound are left alone.
    ///
    /// ## Why is this bad?
    /// The language leaves it open what a number becomes that does not fit. nvcc makes a number of 32 bits of it and takes the lower
    /// ones: of -1 an `unsigned char` of 0, of 300 one of 44 (CUDA 13.0 on an H200). Clang takes it that no such number comes, and
    /// hands on what the instruction gives: of -1 it makes 255, and of 300 an `unsigned char` that prints as 300. With 64 bits, CUDA
    /// makes 0 of a negative number that becomes `unsigned`, and the bound of one that is too large, Clang neither.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void sharpen(unsigned char* out, const float* in, float amount) {
    ///     out[threadIdx.x] = (unsigned char)(in[threadIdx.x] * amount);
    /// }
    /// ```
    /// Use instead:
    /// ```hip
    /// __global__ void sharpen(unsigned char* out, const float* in, float amount) {
    ///     out[threadIdx.x] = (unsigned char)(unsigned int)(in[threadIdx.x] * amount);
    /// }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the number of 32 bits is what nvcc makes, and both GPUs take the bound for what does not fit into that. Numbers whose
    /// type the function does not tell are left as they are. For 64 bits there is no fix: `-fno-strict-float-cast-overflow`, an option of
    /// Clang that converted build files have, takes the bounds as CUDA does, but of no number makes 0, not the least one.
    FloatCastOverflow { code: "K059", name: "float-cast-overflow", severity: Hint, fix: Sometimes, since: "0.2.0" }
}

/// Words of the types that are found.
const WORDS: [&str; 8] = ["char", "short", "int8_t", "uint8_t", "int16_t", "uint16_t", "uchar", "ushort"];

const WIDE_WORDS: [&str; 4] = ["long", "size_t", "int64_t", "uint64_t"];

/// Vectors of such numbers, without the number of their components.
const VECTORS: [&str; 4] = ["char", "uchar", "short", "ushort"];

impl Rule for FloatCastOverflow {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if cx.facts.is_hip || !is_for_nvcc(cx) {
            return;
        }
        let mut found = found(cx);
        found.sort_unstable_by_key(|narrowed| (narrowed.value.start, narrowed.value.end));
        found.dedup_by_key(|narrowed| narrowed.value.start);
        let (wide, narrow): (Vec<Narrowed>, Vec<Narrowed>) = found.into_iter().partition(|one| one.is_wide);
        for narrowed in &narrow {
            report(narrowed, cx);
        }
        if let Some(first) = wide.first() {
            let range = cx.document.range_of(first.value.clone());
            let message = format!("what does not fit into `{}` becomes another number than in CUDA", first.kind);
            let note = "`-fno-strict-float-cast-overflow` for the code of the device takes the bounds as CUDA does";
            cx.report(range, message).severity(Severity::Info).note(note);
        }
    }
}

/// A floating-point number that becomes a small integer.
struct Narrowed {
    value: Range<TokenIdx>,
    /// Whether a cast would take all of the value in.
    is_unit: bool,
    kind: String,
    is_wide: bool,
    /// Where the place starts that `+=` or its like changes, and the operator.
    update: Option<(TokenIdx, Range<TokenIdx>)>,
}

/// The vectors of small integers, and the functions that make them.
static SMALL_VECTORS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let vectors = VECTORS.iter().flat_map(|kind| (1..=4).map(move |count| format!("{kind}{count}")));
    vectors.flat_map(|vector| [format!("make_{vector}"), vector]).collect()
});

fn found(cx: &Context<'_>) -> Vec<Narrowed> {
    let document: &Document = cx.document;
    let words_of_small = WORDS.iter().chain(&WIDE_WORDS).copied().chain(SMALL_VECTORS.iter().map(String::as_str));
    let wanted: Vec<&str> = words_of_small.filter(|word| cx.has_word(word)).collect();
    let mut found = Vec::new();
    // `template <typename uchar>`
    let is_of_template =
        |idx: TokenIdx| idx > 0 && matches!(document.token_text(idx - 1), "typename" | "class" | "struct");
    if wanted.is_empty() || wanted.iter().any(|word| words(document, word).any(is_of_template)) {
        return found;
    }
    // Members of classes need not be named where they are set.
    let is_outside = |idx: TokenIdx| cx.facts.functions.holding(idx).is_none();
    let has_members = wanted.iter().any(|word| words(document, word).any(is_outside));
    let converts = |idx: TokenIdx| (idx + 1..idx + 3).any(|at| WORDS.contains(&document.token_text(at)));
    let has_conversions = words(document, "operator").any(converts);
    let (mut numbers, members, own) = (None, RefCell::default(), RefCell::default());
    for function in cx.facts.functions.iter() {
        let tokens = function.head.start..function.body.end;
        let is_named = |word: &&str| words_in(document, word, tokens.clone()).next().is_some();
        if !has_members && !wanted.iter().any(is_named) || !may_run_on_device(function.body.start + 1, cx) {
            continue;
        }
        let numbers = numbers.get_or_insert_with(|| Numbers::strict(cx));
        let reader = Reader { members: &members, own: &own, has_conversions, function, numbers, cx };
        for statement in cx.statements(function).iter() {
            reader.read(statement, &mut found);
        }
    }
    found.retain(|narrowed| may_run_on_device(narrowed.value.start, cx));
    found
}

/// The small types of members, by the names of their classes and their own.
type Members = FxHashMap<(String, String), Option<String>>;

/// Reads the statements of one function.
struct Reader<'r, 'c, 'd> {
    members: &'r RefCell<Members>,
    /// Whether functions are the file's own, by their names.
    own: &'r RefCell<FxHashMap<String, bool>>,
    /// Whether a class of the file converts to small integers itself, which a cast to another one in between would hinder.
    has_conversions: bool,
    function: &'r Function,
    numbers: &'r Numbers<'c, 'd>,
    cx: &'c Context<'d>,
}

impl Reader<'_, '_, '_> {
    fn read(&self, statement: &Statement, found: &mut Vec<Narrowed>) {
        if let Statement::Declaration(declaration) = statement
            && let Some(kind) = self.named(declaration.kind.clone())
        {
            let values = declaration.declarators.iter().filter(|one| !one.is_compound);
            found.extend(values.filter_map(|one| self.narrowed(one.value.as_ref()?, &kind)));
        }
        if let Statement::Return(value) = statement
            && let Some(kind) = self.returned(value.tokens.start)
        {
            found.extend(self.narrowed(value, &kind));
        }
        statement.operands().for_each(|operand| operand.walk(&mut |inner| found.extend(self.within(inner))));
    }

    /// What an expression makes of floating-point numbers.
    fn within(&self, operand: &Operand) -> Vec<Narrowed> {
        let document: &Document = self.cx.document;
        match &operand.kind {
            OperandKind::Cast(inner) => {
                let kind = self.cast_type(operand, inner);
                kind.and_then(|kind| self.narrowed(inner, &kind)).into_iter().collect()
            }
            OperandKind::Call(name, arguments) => {
                let text = document.token_text(*name);
                let made = || text.strip_prefix("make_").and_then(component).filter(|_| !self.is_own(text));
                let kind = small(text).or_else(made);
                let Some(kind) = kind else { return Vec::new() };
                arguments.iter().filter_map(|argument| self.narrowed(argument, &kind)).collect()
            }
            OperandKind::Binary(operator, sides) => {
                let [place, value] = &**sides;
                let OperatorKind::Assign(computed) = operator.kind else { return Vec::new() };
                let Some(kind) = self.type_of_place(place) else { return Vec::new() };
                let narrowed = self.narrowed(value, &kind);
                let update = || (place.tokens.start, operator.tokens.clone());
                narrowed.map(|one| Narrowed { update: computed.map(|_| update()), ..one }).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the file declares a function of that name itself.
    fn is_own(&self, function: &str) -> bool {
        let document: &Document = self.cx.document;
        let declares = |idx: TokenIdx| {
            let kind = idx.checked_sub(1).filter(|&kind| document.kind(kind) == Some(TokenKind::Ident));
            kind.is_some_and(|kind| !is_keyword(document.token_text(kind)))
        };
        let known = self.own.borrow().get(function).copied();
        known.unwrap_or_else(|| {
            let found = words(document, function).any(declares);
            self.own.borrow_mut().insert(function.to_owned(), found);
            found
        })
    }

    fn narrowed(&self, value: &Operand, kind: &str) -> Option<Narrowed> {
        if !self.is_real(value) || self.is_bounded(value) {
            return None;
        }
        let is_unit = !matches!(value.kind, OperandKind::Binary(..) | OperandKind::Choice(_))
            || value.is_in_parentheses(self.cx.document);
        let (value, kind, is_wide) = (value.tokens.clone(), kind.to_owned(), is_wide(kind));
        Some(Narrowed { value, is_unit, kind, is_wide, update: None })
    }

    /// The small type of what the function, or a lambda within it that says so, gives at a token.
    fn returned(&self, idx: TokenIdx) -> Option<String> {
        let document: &Document = self.cx.document;
        let blocks = self.cx.facts.blocks(document);
        let body = self.function.body.start;
        // Blocks of a function hold few others.
        let around = std::iter::successors(blocks.around(idx), |open| blocks.around(*open)).take(MOST_BLOCKS);
        for open in around.take_while(|&open| open > body) {
            let close = (open.saturating_sub(FAR)..open).rev().find(|&at| !is_word(document, at))?;
            let is_arrow = document.kind(close) == Some(TokenKind::Arrow);
            let parameters = document.is(close, b')').then(|| document.partner(close)).flatten();
            let has_captures = parameters.is_some_and(|open| open > 0 && document.is(open - 1, b']'));
            if is_arrow {
                return self.named(close + 1..open);
            }
            if has_captures || document.is(close, b']') {
                return None;
            }
        }
        let name = self.function.name?;
        let is_type = |at: &TokenIdx| is_word(document, *at) && !document.token_text(*at).starts_with("__");
        let before = (self.function.head.start..name).rev().take_while(is_type).last()?;
        let words = self.words(before..name);
        let of_type: Vec<&str> = words.split(' ').filter(|word| !matches!(*word, "inline" | "extern")).collect();
        small(&of_type.join(" "))
    }

    /// The small type that some tokens name.
    fn named(&self, tokens: Range<TokenIdx>) -> Option<String> {
        small(&self.words(tokens))
    }

    fn words(&self, tokens: Range<TokenIdx>) -> String {
        const NO_TYPES: [&str; 7] = ["const", "volatile", "static", "constexpr", "register", "std", "::"];
        let words = tokens.map(|idx| self.cx.document.token_text(idx)).filter(|word| !NO_TYPES.contains(word));
        words.collect::<Vec<_>>().join(" ")
    }

    fn cast_type(&self, cast: &Operand, inner: &Operand) -> Option<String> {
        let document: &Document = self.cx.document;
        let first = cast.tokens.start;
        let kind = if document.is(first, b'(') {
            first + 1..document.partner(first)?
        } else {
            let open = inner.tokens.start.checked_sub(1)?;
            let is_named = document.token_text(first) == "static_cast" && document.is(first + 1, b'<');
            if is_named { first + 2..open.checked_sub(1)? } else { first..open }
        };
        let words = self.words(kind);
        small(&words).or_else(|| is_wide(&words).then_some(words))
    }

    /// The small type of what is assigned to: a variable, an element, what a pointer points to, a component of a vector.
    fn type_of_place(&self, place: &Operand) -> Option<String> {
        match &place.kind {
            OperandKind::Name(_) | OperandKind::Index(_) => {
                match self.numbers.value(self.function, place.tokens.clone())? {
                    Number::Small(name) if name != "bool" => Some(name),
                    _ => None,
                }
            }
            OperandKind::Unary(operator, inner) if self.cx.document.is(*operator, b'*') => {
                small(self.declared(moved(inner))?.strip_suffix('*')?)
            }
            OperandKind::Member(object, member) => {
                let kind = self.declared(object)?;
                let kind = kind.strip_suffix('*').unwrap_or(&kind);
                component(kind).or_else(|| {
                    let key = (kind.to_owned(), self.cx.document.token_text(*member).to_owned());
                    let known = self.members.borrow().get(&key).cloned();
                    known.unwrap_or_else(|| {
                        let found = self.type_of_member(kind, &key.1);
                        self.members.borrow_mut().insert(key, found.clone());
                        found
                    })
                })
            }
            _ => None,
        }
    }

    /// The type with which the function declares what an operand names, if nothing else has the name.
    fn declared(&self, operand: &Operand) -> Option<String> {
        // `p++` has the type of `p`.
        let tokens = match operand.kind {
            OperandKind::Name(name) => name..name + 1,
            _ => operand.tokens.clone(),
        };
        let kind = self.cx.variable_types().of_argument(self.function, tokens)?;
        let is_other = self.numbers.has_other_meaning(self.function, operand.tokens.start, Some(&kind));
        (!is_other).then_some(kind)
    }

    /// The small type of a member of a class that the file defines.
    fn type_of_member(&self, class: &str, member: &str) -> Option<String> {
        let document: &Document = self.cx.document;
        let opens = |idx: TokenIdx| {
            let is_class = matches!(document.token_text(idx.checked_sub(1)?), "struct" | "class" | "union");
            (is_class && document.is(idx + 1, b'{')).then_some(idx + 1)
        };
        // Of two classes of the name, either may be meant.
        let mut opened = words(document, class).filter_map(opens);
        let open = opened.next().filter(|_| opened.next().is_none())?;
        let own = words_in(document, member, open..document.partner(open)?);
        let mut declared = own.filter_map(|name| {
            let is_end = matches!(document.token_text(name + 1), ";" | "," | "[" | "=" | "{" | ":");
            let start = statement_start(document, name);
            let end = (start..name).find(|&at| !is_word(document, at)).map_or(name, |end| end.saturating_sub(1));
            is_end.then(|| self.named(start..end))
        });
        declared.next().flatten().filter(|_| declared.next().is_none())
    }

    /// Whether a value is a floating-point number for sure.
    fn is_real(&self, value: &Operand) -> bool {
        let document: &Document = self.cx.document;
        match &value.kind {
            OperandKind::Binary(operator, sides) => {
                matches!(operator.kind, OperatorKind::Arithmetic(_))
                    && sides.iter().any(|side| self.is_real(side))
                    && (!self.has_conversions || sides.iter().all(|side| self.is_real(side) || self.is_integer(side)))
            }
            OperandKind::Choice(parts) => parts[1..].iter().any(|part| self.is_real(part)),
            OperandKind::Unary(operator, inner) if !document.is(*operator, b'*') => {
                !document.is(*operator, b'!') && !document.is(*operator, b'&') && self.is_real(inner)
            }
            OperandKind::Call(name, arguments) => match document.token_text(*name) {
                "min" | "max" => arguments.len() == 2 && arguments.iter().any(|argument| self.is_real(argument)),
                function => REAL_FUNCTIONS.contains(&function),
            },
            OperandKind::Member(object, _) => self.declared(object).is_some_and(|kind| {
                let kind = kind.strip_suffix('*').unwrap_or(&kind).trim_end_matches(|c: char| c.is_ascii_digit());
                matches!(kind, "float" | "double")
            }),
            OperandKind::Other => false,
            _ => matches!(self.numbers.value(self.function, value.tokens.clone()), Some(Number::Real { .. })),
        }
    }

    fn is_integer(&self, value: &Operand) -> bool {
        let kind = self.numbers.value(self.function, value.tokens.clone());
        matches!(kind, Some(Number::Integer { .. } | Number::Small(_)))
    }

    /// Whether functions keep a value between two bounds.
    fn is_bounded(&self, value: &Operand) -> bool {
        let document: &Document = self.cx.document;
        let OperandKind::Call(name, arguments) = &value.kind else { return false };
        let bound = |name: TokenIdx| Bound::of(document.token_text(name));
        match bound(*name) {
            Some(Bound::Both) => true,
            Some(Bound::None) => arguments.first().is_some_and(|inner| self.is_bounded(inner)),
            Some(one) => arguments.iter().any(|inner| match &inner.kind {
                OperandKind::Call(inner, _) => bound(*inner).is_some_and(|other| other == one.opposite()),
                _ => false,
            }),
            None => false,
        }
    }
}

/// Tokens between the head of a lambda and its body, and blocks within each other that are looked through for one.
const FAR: usize = 8;
const MOST_BLOCKS: usize = 64;

/// The pointer that another one is so many values behind: `p` of `p + i`.
fn moved(pointer: &Operand) -> &Operand {
    match &pointer.kind {
        OperandKind::Binary(operator, sides)
            if matches!(operator.kind, OperatorKind::Arithmetic(Arithmetic::Add | Arithmetic::Subtract)) =>
        {
            &sides[0]
        }
        _ => pointer,
    }
}

/// Whether a token is a word, or a part of a path.
fn is_word(document: &Document, idx: TokenIdx) -> bool {
    matches!(document.kind(idx), Some(TokenKind::Ident | TokenKind::PathSep))
}

/// The small type of that name, as the words of a type are joined.
fn small(kind: &str) -> Option<String> {
    let words: Vec<&str> = kind.split(' ').collect();
    match Number::named(&words)? {
        Number::Small(name) if name != "bool" => Some(name),
        _ => None,
    }
}

/// Whether a type is one of integers of 64 bits.
fn is_wide(kind: &str) -> bool {
    let words: Vec<&str> = kind.split(' ').collect();
    matches!(Number::named(&words), Some(Number::Integer { rank: 1.., .. }))
}

/// The type of the components of a vector of small numbers: `unsigned char` of `uchar4`.
fn component(vector: &str) -> Option<String> {
    let kind = vector.strip_suffix(['1', '2', '3', '4'])?;
    VECTORS.contains(&kind).then(|| kind.to_owned())
}

fn report(narrowed: &Narrowed, cx: &mut Context<'_>) {
    let document: &Document = cx.document;
    let range = document.range_of(narrowed.value.clone());
    let kind = &narrowed.kind;
    let wide = if kind.starts_with('u') { "unsigned int" } else { "int" };
    let message = format!("what does not fit into `{kind}` becomes another number than in CUDA");
    let mut edits = Vec::new();
    if let Some((place, operator)) = &narrowed.update {
        if (*place..operator.start).any(|idx| acts(document, idx)) {
            let note = format!("make it an `{wide}` first, as nvcc does");
            cx.report(range, message).severity(Severity::Warning).note(note);
            return;
        }
        // `a += x` as `a = (unsigned int)(a + (x))`
        let (place, operator) = (document.range_of(*place..operator.start), document.range_of(operator.clone()));
        let (name, sign) = (document.slice(place), document.slice(operator).trim_end_matches('='));
        edits.push(Edit::replace(operator, format!("= ({wide})({name} {sign}")));
        edits.extend((!narrowed.is_unit).then(|| Edit::insert(range.start(), "(")));
        edits.push(Edit::insert(range.end(), if narrowed.is_unit { ")" } else { "))" }));
    } else if narrowed.is_unit {
        edits.push(Edit::insert(range.start(), format!("({wide})")));
    } else {
        edits.push(Edit::insert(range.start(), format!("({wide})(")));
        edits.push(Edit::insert(range.end(), ")"));
    }
    cx.report(range, message).fix(Fix::safe(format!("make it an `{wide}` first, as nvcc does"), edits));
}

/// Whether a token calls, sets or steps something, which must not be written twice.
fn acts(document: &Document, idx: TokenIdx) -> bool {
    let text = document.token_text(idx);
    matches!(text, "(" | "=") || matches!(text, "+" | "-") && document.token_text(idx + 1) == text
}
