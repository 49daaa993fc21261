//! Shifts by as many bits as a value has.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::device_code::{is_for_nvcc, is_left_out, may_run_on_device};
use super::number_types::{Number, Numbers, literal};
use crate::analysis::{Function, Statement, WAVE_SIZE, speaks_of_warps, template_head_end, tokens_around};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::groups::has_groups;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::settings::WaveWidth;
use crate::source::{Edit, TextRange};
use crate::syntax::{
    Arithmetic, BinaryOperator, Document, MacroDefinition, Operand, OperandKind, OperatorKind, TokenIdx, TokenKind,
    words, words_in,
};

declare_rule! {
    /// ## What it does
    /// Finds shifts in device code by a count that may be all the bits of the value: `warpSize`, the size of a group, `32 - n`,
    /// what `__popc`, `__clz` and `__ffs` give, a constant of 32 or more, and a variable that starts with one of these; and any
    /// variable in `(1u << n) - 1`.
    ///
    /// ## Why is this bad?
    /// The language leaves such a shift open. On NVIDIA GPUs all bits are gone: `(1u << warpSize) - 1` is a mask of 32 lanes, and
    /// `hi << (32 - n)` is 0 for `n == 0` (PTX ISA, `shl` and `shr`: counts beyond the width are taken for the width). AMD GPUs
    /// take the lowest five bits of the count (RDNA and CDNA ISA, `V_LSHLREV_B32`; six for `V_LSHLREV_B64`): the mask is 0, and
    /// `hi` stays as it is.
    ///
    /// ## Example
    /// ```cuda
    /// __device__ unsigned window(unsigned low, unsigned high, int n) { return (low >> n) | (high << (32 - n)); }
    /// ```
    /// Use instead:
    /// ```hip
    /// __device__ unsigned window(unsigned low, unsigned high, int n) { return (low >> n) | ((unsigned int)((unsigned long long)high << (32 - n))); }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: a value of 64 bits that is shifted by 32 to 63 leaves in its lower half what CUDA gives. Values of 64 bits, `<<=` of
    /// more than a name, and masks of whole waves have no fix. Both halves of a rotation of `unsigned`, `x << n | x >> (32 - n)`,
    /// come out right as they are.
    ShiftByAllBits { code: "K058", name: "shift-by-all-bits", severity: Hint, fix: Sometimes, since: "0.2.0" }
}

impl Rule for ShiftByAllBits {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if cx.facts.is_hip || !is_for_nvcc(cx) {
            return;
        }
        let mut found = found_in_functions(cx);
        found.extend(found_in_macros(cx));
        found.sort_unstable_by_key(|shift| shift.operator.tokens.start);
        for shift in &found {
            report(shift, cx);
        }
    }
}

/// A shift that may be by all the bits of its value.
struct Shift {
    operator: BinaryOperator,
    value: Operand,
    count: Operand,
    /// How many bits the value has, and whether it has a sign.
    bits: i64,
    is_unsigned: bool,
    is_assignment: bool,
    /// Whether a value of 64 bits may take its place: no lanes of whole waves are counted.
    keeps_width: bool,
}

fn found_in_functions(cx: &Context<'_>) -> Vec<Shift> {
    let document: &Document = cx.document;
    let mut found = Vec::new();
    let (mut numbers, has_groups) = (None, has_groups(cx));
    for function in cx.facts.functions.iter() {
        let candidates: FxHashSet<TokenIdx> = function
            .body
            .clone()
            .filter(|&idx| may_shift_by_all(document, idx) && may_run_on_device(idx, cx))
            .collect();
        if candidates.is_empty() {
            continue;
        }
        let statements = cx.statements(function);
        let numbers = numbers.get_or_insert_with(|| Numbers::strict(cx));
        let place = (keeps_width(function.body.start, cx), has_groups);
        let mut reader = Reader::new(Some((function, numbers)), first_values(document, &statements), place, cx);
        statements.iter().flat_map(Statement::operands).for_each(|operand| reader.read(operand));
        found.extend(reader.found.into_iter().filter(|shift| candidates.contains(&shift.operator.tokens.start)));
    }
    found
}

/// Shifts of numbers in macros that functions of the device use.
fn found_in_macros(cx: &Context<'_>) -> Vec<Shift> {
    let document: &Document = cx.document;
    let mut found = Vec::new();
    for defined in MacroDefinition::all(document) {
        let is_candidate = |idx: TokenIdx| may_shift_by_all(document, idx) && !is_left_out(idx, cx);
        let is_left = || is_for_conditions(&defined, cx) || !is_used_on_device(&defined, cx);
        if !defined.body.clone().any(is_candidate) || is_left() {
            continue;
        }
        let place = (keeps_width(defined.name, cx), false);
        let mut reader = Reader::new(None, FxHashMap::default(), place, cx);
        reader.read(&Operand::read(document, defined.body));
        found.extend(reader.found);
    }
    found
}

/// Whether a condition of the preprocessor names a macro, or it may: it is a number, which others are made of.
fn is_for_conditions(defined: &MacroDefinition, cx: &Context<'_>) -> bool {
    let document: &Document = cx.document;
    let is_condition = |idx: TokenIdx| document.directive_of(idx).is_some_and(|found| found.kind.has_condition());
    let runs = |idx: TokenIdx| document.token_text(idx) == WAVE_SIZE || document.token_text(idx).starts_with("__");
    let is_number = defined.parameters.is_empty() && !defined.body.clone().any(runs);
    is_number || words(document, document.token_text(defined.name)).any(is_condition)
}

fn is_used_on_device(defined: &MacroDefinition, cx: &Context<'_>) -> bool {
    let name = cx.document.token_text(defined.name);
    words(cx.document, name).any(|idx| cx.facts.functions.holding(idx).is_some_and(Function::runs_on_device))
}

/// Whether a shift starts at a token whose count is not plainly a small number.
fn may_shift_by_all(document: &Document, idx: TokenIdx) -> bool {
    let Some(TokenKind::Punct(sign @ (b'<' | b'>'))) = document.kind(idx) else { return false };
    let is_two = document.is(idx + 1, sign) && document.touches_next(idx);
    let touches_third = document.is(idx + 2, sign) && document.touches_next(idx + 1);
    let touches_first = idx > 0 && document.is(idx - 1, sign) && document.touches_next(idx - 1);
    let is_small = |at: TokenIdx| {
        let number = document.token_text(at).trim_end_matches(['u', 'U', 'l', 'L']);
        document.kind(at) == Some(TokenKind::Number) && number.len() == 1 && !document.is(at + 1, b'-')
    };
    is_two && !touches_third && !touches_first && !is_small(idx + 2)
}

/// What variables start with, by their names.
type FirstValues<'s> = FxHashMap<&'s str, Option<&'s Operand>>;

/// What the variables of a function start with that are declared once.
fn first_values<'s>(document: &'s Document, statements: &'s [Statement]) -> FirstValues<'s> {
    let mut values = FirstValues::default();
    for statement in statements {
        let Statement::Declaration(declaration) = statement else { continue };
        for declarator in &declaration.declarators {
            let known = values.entry(document.token_text(declarator.name));
            known.and_modify(|value| *value = None).or_insert(declarator.value.as_ref());
        }
    }
    values
}

/// Reads the expressions of a function or a macro.
struct Reader<'r, 'c, 'd> {
    /// None for a macro.
    function: Option<(&'r Function, &'r Numbers<'c, 'd>)>,
    values: FirstValues<'r>,
    /// The operators of shifts that rotate together with another one.
    rotations: FxHashSet<TokenIdx>,
    found: Vec<Shift>,
    keeps_width: bool,
    has_groups: bool,
    cx: &'c Context<'d>,
}

impl<'r, 'c, 'd> Reader<'r, 'c, 'd> {
    fn new(
        function: Option<(&'r Function, &'r Numbers<'c, 'd>)>,
        values: FirstValues<'r>,
        (keeps_width, has_groups): (bool, bool),
        cx: &'c Context<'d>,
    ) -> Reader<'r, 'c, 'd> {
        Reader { function, values, rotations: FxHashSet::default(), found: Vec::new(), keeps_width, has_groups, cx }
    }

    fn read(&mut self, operand: &Operand) {
        operand.walk(&mut |inner| {
            let OperandKind::Binary(operator, sides) = &inner.kind else { return };
            if operator.kind == OperatorKind::Arithmetic(Arithmetic::BitOr) {
                self.rotations.extend(rotation(self.cx.document, sides).into_iter().flatten());
            }
            self.found.extend(self.shift(operator, sides));
        });
    }

    fn shift(&self, operator: &BinaryOperator, [value, count]: &[Operand; 2]) -> Option<Shift> {
        let is_assignment = match operator.kind {
            OperatorKind::Arithmetic(Arithmetic::ShiftLeft | Arithmetic::ShiftRight) => false,
            OperatorKind::Assign(Some(Arithmetic::ShiftLeft | Arithmetic::ShiftRight)) => true,
            _ => return None,
        };
        let Some(Number::Integer { rank, is_unsigned }) = self.type_of(value).map(Number::promoted) else {
            return None;
        };
        // What has a sign keeps it on the right, which is no part of a rotation.
        if is_unsigned && self.rotations.contains(&operator.tokens.start) {
            return None;
        }
        let bits = if rank == 0 { 32 } else { 64 };
        let is_mask = makes_mask(self.cx.document, value);
        let (value, count) = (value.clone(), count.clone());
        let is_full = self.may_be(&count, bits, true)
            || is_mask && (self.may_be_width(&count) || goes_one_on(self.cx.document, &count))
            || bits == 32 && self.makes_lower_bits(&value, &count);
        let (operator, keeps_width) = (operator.clone(), self.keeps_width);
        is_full.then_some(Shift { operator, value, count, bits, is_unsigned, is_assignment, keeps_width })
    }

    fn type_of(&self, value: &Operand) -> Option<Number> {
        let document = self.cx.document;
        match (&value.kind, self.function) {
            (OperandKind::Number(number), _) => literal(document.token_text(*number)),
            (OperandKind::Name(name), _) if document.token_text(*name) == ALL_BITS => {
                Some(Number::Integer { rank: 0, is_unsigned: true })
            }
            (OperandKind::Unary(_, inner), _) if !document.is(value.tokens.start, b'*') => {
                self.type_of(inner).map(Number::promoted)
            }
            (OperandKind::Binary(operator, sides), _) => {
                let [left, right] = &**sides;
                let left = self.type_of(left)?.promoted();
                match operator.kind {
                    OperatorKind::Arithmetic(Arithmetic::ShiftLeft | Arithmetic::ShiftRight) => Some(left),
                    OperatorKind::Arithmetic(_) => left.common(self.type_of(right)?),
                    _ => None,
                }
            }
            // `*p`, `v.x`
            (OperandKind::Unary(_, of) | OperandKind::Member(of, _), Some((function, numbers))) => {
                let kind = self.cx.variable_types().of_argument(function, of.tokens.clone())?;
                if numbers.has_other_meaning(function, of.tokens.start, Some(&kind)) {
                    return None;
                }
                match value.kind {
                    OperandKind::Unary(..) => Number::named(&kind.strip_suffix('*')?.split(' ').collect::<Vec<_>>()),
                    _ => component_type(kind.strip_suffix('*').unwrap_or(&kind)),
                }
            }
            (_, Some((function, numbers))) => numbers.value(function, value.tokens.clone()),
            _ => None,
        }
    }

    /// Whether a count may be the number of bits.
    fn may_be(&self, count: &Operand, bits: i64, follows: bool) -> bool {
        let document: &Document = self.cx.document;
        if let Some(value) = self.cx.constants().value(document, count.tokens.clone()) {
            return value == bits || bits == 32 && (32..64).contains(&value);
        }
        match &count.kind {
            OperandKind::Name(name) if document.token_text(*name) == WAVE_SIZE => bits == 32,
            OperandKind::Name(name) => {
                let first = self.values.get(document.token_text(*name)).copied().flatten();
                follows && first.is_some_and(|value| self.may_be(value, bits, false))
            }
            OperandKind::Call(name, arguments) => self.call_may_be(*name, arguments, bits),
            OperandKind::Cast(inner) => self.may_be(inner, bits, follows),
            // `8 * sizeof(x)`
            OperandKind::Binary(operator, sides) if operator.kind == OperatorKind::Arithmetic(Arithmetic::Multiply) => {
                let text = |side: &Operand| document.token_text(side.tokens.start);
                sides.iter().any(|side| text(side) == "sizeof") && sides.iter().any(|side| text(side) == "8")
            }
            OperandKind::Binary(operator, sides) if operator.kind == OperatorKind::Arithmetic(Arithmetic::Subtract) => {
                let [whole, _] = &**sides;
                self.may_be(whole, bits, follows)
            }
            _ => false,
        }
    }

    fn call_may_be(&self, name: TokenIdx, arguments: &[Operand], bits: i64) -> bool {
        match (self.cx.document.token_text(name), arguments) {
            ("size" | "num_threads", []) => bits == 32 && self.has_groups,
            ("__popc" | "__clz" | "__ffs", [_]) => bits == 32,
            ("__popcll" | "__clzll" | "__ffsll", [_]) => bits == 64,
            _ => false,
        }
    }

    /// Whether as many of the lowest bits are set as a variable tells, which may be all: `(1u << n) - 1`.
    fn makes_lower_bits(&self, value: &Operand, count: &Operand) -> bool {
        let document: &Document = self.cx.document;
        let mut end = count.tokens.end;
        // `((1u << n)) - 1`
        while document.is(end, b')') && document.partner(end).is_some_and(|open| open < value.tokens.start) {
            end += 1;
        }
        let takes_one = document.is(end, b'-') && document.token_text(end + 1).trim_end_matches(['u', 'U']) == "1";
        // `~(~0u << n)`
        let open = value.tokens.start.checked_sub(1).filter(|&open| document.is(open, b'('));
        let is_inverted = open.and_then(|open| open.checked_sub(1)).is_some_and(|sign| document.is(sign, b'~'));
        let makes_ones = is_one(document, value) && takes_one || makes_mask(document, value) && is_inverted;
        let first = match count.kind {
            OperandKind::Name(name) => self.values.get(document.token_text(name)).copied().flatten(),
            _ => None,
        };
        let is_variable = matches!(count.kind, OperandKind::Name(_) | OperandKind::Member(..) | OperandKind::Index(_));
        let is_known = || self.cx.constants().value(document, count.tokens.clone()).is_some();
        makes_ones
            && is_variable
            && !is_known()
            && ![Some(count), first].into_iter().flatten().any(|count| is_small(document, count))
            && self.keeps_width
    }

    /// Whether a count is a parameter of a template, or is called as the lanes of a warp or a part of one: `width`, `num_lanes`,
    /// `TILE_SIZE`.
    fn may_be_width(&self, count: &Operand) -> bool {
        let document: &Document = self.cx.document;
        let OperandKind::Name(name) = count.kind else { return false };
        let name = document.token_text(name);
        if self.cx.constants().value(document, count.tokens.clone()).is_some() {
            return false;
        }
        let is_parameter = self.function.is_some_and(|(function, _)| {
            let start = function.head.start;
            let end = template_head_end(document, start + 1, function.name.unwrap_or(function.head.end));
            document.token_text(start) == "template" && words_in(document, name, start..end).next().is_some()
        });
        is_parameter || is_called_width(&name.to_ascii_lowercase())
    }
}

/// Whether a count is one more than a lane's number, which may be the last: `0xffffffffu << (lane + 1)`.
fn goes_one_on(document: &Document, count: &Operand) -> bool {
    let OperandKind::Binary(operator, sides) = &count.kind else { return false };
    let is_one = |side: &Operand| is_one(document, side);
    operator.kind == OperatorKind::Arithmetic(Arithmetic::Add)
        && (is_one(&sides[1]) && is_small(document, &sides[0]) || is_one(&sides[0]) && is_small(document, &sides[1]))
        && !matches!((&sides[0].kind, &sides[1].kind), (OperandKind::Number(_), OperandKind::Number(_)))
}

/// Whether a count is surely less than 32: a lane's number, or what `&`, `%` or `31 -` bounds.
fn is_small(document: &Document, count: &Operand) -> bool {
    let number = |operand: &Operand| match operand.kind {
        OperandKind::Number(number) => document.token_text(number).trim_end_matches(['u', 'U']).parse::<u32>().ok(),
        _ => None,
    };
    match &count.kind {
        OperandKind::Name(name) | OperandKind::Member(_, name) => {
            let name = document.token_text(*name).to_ascii_lowercase();
            ["lane", "tid", "thread"].iter().any(|part| name.contains(part)) && !is_called_width(&name)
        }
        OperandKind::Cast(inner) => is_small(document, inner),
        OperandKind::Binary(operator, sides) => match operator.kind {
            OperatorKind::Arithmetic(Arithmetic::BitAnd) => number(&sides[1]).is_some_and(|most| most < 32),
            OperatorKind::Arithmetic(Arithmetic::Remainder) => number(&sides[1]).is_some_and(|of| of <= 32),
            OperatorKind::Arithmetic(Arithmetic::Subtract) => number(&sides[0]).is_some_and(|most| most < 32),
            _ => false,
        },
        OperandKind::Number(_) => true,
        _ => false,
    }
}

/// The type of the components of a vector of integers: `uint4`.
fn component_type(vector: &str) -> Option<Number> {
    match vector.strip_suffix(['1', '2', '3', '4'])? {
        "uint" => Some(Number::Integer { rank: 0, is_unsigned: true }),
        "int" => Some(Number::Integer { rank: 0, is_unsigned: false }),
        "ulong" | "ulonglong" => Some(Number::Integer { rank: 1, is_unsigned: true }),
        "long" | "longlong" => Some(Number::Integer { rank: 1, is_unsigned: false }),
        _ => None,
    }
}

fn is_called_width(name: &str) -> bool {
    let is_part = || ["warp", "wave", "tile", "group"].iter().any(|part| name.contains(part));
    name.contains("width") || name.contains("lanes") || name.contains("size") && is_part()
}

/// All bits of `unsigned int`.
const ALL_BITS: &str = "UINT_MAX";

/// Whether ones are shifted to make a mask: `1u`, `0xffffffff`, `~0u`, `-1`.
fn makes_mask(document: &Document, value: &Operand) -> bool {
    match &value.kind {
        OperandKind::Number(number) => {
            let digits = document.token_text(*number).trim_end_matches(['u', 'U', 'l', 'L']).to_ascii_lowercase();
            let is_all = digits.strip_prefix("0x").is_some_and(|hex| hex.bytes().all(|digit| digit == b'f'));
            is_all || is_one(document, value)
        }
        OperandKind::Unary(_, inner) => matches!(inner.kind, OperandKind::Number(_)),
        OperandKind::Name(name) => document.token_text(*name) == ALL_BITS,
        _ => false,
    }
}

fn is_one(document: &Document, value: &Operand) -> bool {
    let OperandKind::Number(number) = value.kind else { return false };
    matches!(document.token_text(number).trim_end_matches(['u', 'U', 'l', 'L']), "1" | "0x1")
}

/// Whether a place counts no lanes of whole waves, whose masks have 64 bits.
fn keeps_width(idx: TokenIdx, cx: &Context<'_>) -> bool {
    let speaks = || {
        let around = tokens_around(idx, cx.document, &cx.facts.functions);
        around.is_none_or(|tokens| speaks_of_warps(tokens, cx.document))
    };
    cx.wave_width_at(cx.document.range_of(idx..idx + 1).start()) == WaveWidth::Logical32 || !speaks()
}

/// The operators of two shifts of the same value in opposite directions, which `|` joins.
fn rotation(document: &Document, sides: &[Operand; 2]) -> Option<[TokenIdx; 2]> {
    let shift = |side: &Operand| match &side.kind {
        OperandKind::Binary(operator, parts) => match operator.kind {
            OperatorKind::Arithmetic(kind @ (Arithmetic::ShiftLeft | Arithmetic::ShiftRight)) => {
                Some((kind, parts[0].tokens.clone(), operator.tokens.start))
            }
            _ => None,
        },
        _ => None,
    };
    let ((one, value, first), (other, same, second)) = (shift(&sides[0])?, shift(&sides[1])?);
    let text = |tokens: Range<TokenIdx>| document.slice(document.range_of(tokens));
    (one != other && text(value) == text(same)).then_some([first, second])
}

fn report(shift: &Shift, cx: &mut Context<'_>) {
    let document: &Document = cx.document;
    let range = document.range_of(shift.operator.tokens.clone());
    let bits = shift.bits;
    let message = format!("this may shift by all {bits} bits, which leaves none in CUDA and all of them on AMD GPUs");
    let edits = if bits == 32 && shift.keeps_width { edits(shift, document) } else { None };
    let finding = cx.report(range, message);
    match edits {
        Some(edits) => finding.fix(Fix::safe("shift a value of 64 bits", edits)),
        None => finding.severity(Severity::Warning).note("choose 0 where the count is that of all bits"),
    };
}

/// `x << n` as `(unsigned int)((unsigned long long)x << n)`.
fn edits(shift: &Shift, document: &Document) -> Option<Vec<Edit>> {
    let (narrow, wide, suffix) =
        if shift.is_unsigned { ("unsigned int", "unsigned long long", "ull") } else { ("int", "long long", "ll") };
    let value = document.range_of(shift.value.tokens.clone());
    let end = document.range_of(shift.count.tokens.clone()).end();
    let mut edits = Vec::new();
    let before = if shift.is_assignment {
        let OperandKind::Name(name) = shift.value.kind else { return None };
        // The name is written, and shifted behind it.
        let count = document.range_of(shift.count.tokens.clone());
        let operator = TextRange::new(document.range_of(shift.operator.tokens.clone()).start(), count.start());
        let sign = &document.slice(operator)[..2];
        let name = document.token_text(name);
        edits.push(Edit::replace(operator, format!("= ({narrow})(({wide}){name} {sign} (")));
        edits.push(Edit::insert(end, "))"));
        return Some(edits);
    } else {
        format!("({narrow})(")
    };
    match &shift.value.kind {
        OperandKind::Number(number) => {
            let digits = document.token_text(*number).trim_end_matches(['u', 'U']);
            edits.push(Edit::replace(document.range_of(*number..*number + 1), format!("{digits}{suffix}")));
            edits.push(Edit::insert(value.start(), before));
        }
        OperandKind::Binary(..) | OperandKind::Choice(_) if !shift.value.is_in_parentheses(document) => {
            edits.push(Edit::insert(value.start(), format!("{before}({wide})(")));
            edits.push(Edit::insert(value.end(), ")"));
        }
        _ => edits.push(Edit::insert(value.start(), format!("{before}({wide})"))),
    }
    edits.push(Edit::insert(end, ")"));
    Some(edits)
}
