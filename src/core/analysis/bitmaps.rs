//! Bits of bitmaps, which sources written for HIP make as they make bits of lanes: `bits[i >> 5] |= 1u << (i & 31)`. The word has 32
//! bits on every GPU, and so many are numbered.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::lanes::{Flow, Scope};
use super::name_ids::NameId;
use super::statements::Statement;
use crate::syntax::{Arithmetic, Document, Operand, OperandKind, OperatorKind, TokenIdx};

impl Flow<'_> {
    /// Where the shifts start that make bits of words of bitmaps: those that are combined with a word whose number comes from the
    /// same value as theirs. What a ballot gave stays a mask, whatever is combined with it.
    pub(super) fn bits_of_bitmaps(&self) -> FxHashSet<TokenIdx> {
        self.scopes.iter().flat_map(|scope| bits_of_scope(self, scope)).collect()
    }
}

fn bits_of_scope(flow: &Flow<'_>, scope: &Scope) -> FxHashSet<TokenIdx> {
    let mut reader = Reader { flow, values: FxHashMap::default(), found: FxHashSet::default() };
    for statement in &scope.statements {
        if let Statement::Declaration(declared) = statement {
            let valued = declared.declarators.iter().filter_map(|one| Some((flow.id(one.name), one.value.as_ref()?)));
            reader.values.extend(valued);
        }
    }
    for statement in &scope.statements {
        match statement {
            Statement::Declaration(declared) => {
                declared.declarators.iter().filter_map(|one| one.value.as_ref()).for_each(|value| reader.visit(value));
            }
            Statement::Expression(operand) | Statement::Return(operand) => reader.visit(operand),
        }
    }
    reader.found
}

struct Reader<'f, 'd> {
    flow: &'f Flow<'d>,
    /// What variables of the scope start with.
    values: FxHashMap<NameId, &'f Operand>,
    found: FxHashSet<TokenIdx>,
}

impl<'f> Reader<'f, '_> {
    fn visit(&mut self, operand: &'f Operand) {
        operand.walk(&mut |inner| match &inner.kind {
            OperandKind::Binary(operator, sides) if joins_bits(operator.kind) => {
                self.join(&sides[0], &sides[1]);
                self.join(&sides[1], &sides[0]);
            }
            OperandKind::Call(name, arguments) => {
                let is_atomic = matches!(self.document().token_text(*name), "atomicOr" | "atomicAnd" | "atomicXor");
                if let [word, bit] = arguments.as_slice()
                    && is_atomic
                {
                    self.join(word, bit);
                }
            }
            _ => {}
        });
    }

    fn document(&self) -> &'f Document {
        self.flow.document
    }

    /// Notes the bit of a word that is joined with it.
    fn join(&mut self, word: &'f Operand, bit: &'f Operand) {
        let Some(index) = self.index(word) else { return };
        let Some((shift, number)) = self.shift(bit) else { return };
        let number = self.followed(number);
        let Some(of) = part_of(self.document(), number, ("31", Arithmetic::BitAnd), ("32", Arithmetic::Remainder))
        else {
            return;
        };
        if self.names_word_of(index, of) {
            self.found.insert(shift);
        }
    }

    /// The number of the word that is meant: `i` of `bits[i]`, `&bits[i]`, `bits[i] >> n`, and of a variable that starts with such.
    fn index(&self, word: &'f Operand) -> Option<&'f Operand> {
        match &self.followed(word).kind {
            OperandKind::Index(parts) => Some(&parts[1]),
            OperandKind::Unary(_, inner) | OperandKind::Cast(inner) => self.index(inner),
            _ => None,
        }
    }

    /// Where the shift that makes a bit starts, and by what it shifts: `1u << n`, `~(1u << n)`.
    fn shift(&self, bit: &'f Operand) -> Option<(TokenIdx, &'f Operand)> {
        match &self.followed(bit).kind {
            OperandKind::Unary(_, inner) | OperandKind::Cast(inner) => self.shift(inner),
            OperandKind::Binary(operator, sides) => {
                let is_shift = operator.kind == OperatorKind::Arithmetic(Arithmetic::ShiftLeft);
                let makes_bit = is_shift && matches!(sides[0].kind, OperandKind::Number(_));
                makes_bit.then(|| (sides[0].tokens.start, &sides[1]))
            }
            _ => None,
        }
    }

    /// What a variable of the scope starts with.
    fn followed(&self, operand: &'f Operand) -> &'f Operand {
        match operand.kind {
            OperandKind::Name(name) => self.values.get(&self.flow.id(name)).copied().unwrap_or(operand),
            _ => operand,
        }
    }

    /// Whether the number of a word is made of `of >> 5` or `of / 32`.
    fn names_word_of(&self, index: &'f Operand, of: &Operand) -> bool {
        let (document, mut names) = (self.document(), false);
        self.followed(index).walk(&mut |inner| {
            let word = part_of(document, inner, ("5", Arithmetic::ShiftRight), ("32", Arithmetic::Divide));
            names |= word.is_some_and(|word| is_same(document, word, of));
        });
        names
    }
}

fn joins_bits(kind: OperatorKind) -> bool {
    let bits = |arithmetic| matches!(arithmetic, Arithmetic::BitAnd | Arithmetic::BitOr | Arithmetic::BitXor);
    matches!(kind, OperatorKind::Arithmetic(of) | OperatorKind::Assign(Some(of)) if bits(of))
}

/// What stands before one of two operators with their numbers behind it.
fn part_of<'o>(
    document: &Document,
    operand: &'o Operand,
    one: (&str, Arithmetic),
    other: (&str, Arithmetic),
) -> Option<&'o Operand> {
    let OperandKind::Binary(operator, sides) = &operand.kind else { return None };
    let OperandKind::Number(number) = sides[1].kind else { return None };
    let number = document.token_text(number).trim_end_matches(['u', 'U']);
    let is_one = |(wanted, arithmetic)| number == wanted && operator.kind == OperatorKind::Arithmetic(arithmetic);
    (is_one(one) || is_one(other)).then_some(&sides[0])
}

/// Whether two expressions are the same, whatever blanks they are written with, and parentheses that change nothing.
fn is_same(document: &Document, one: &Operand, other: &Operand) -> bool {
    let same = |tokens: Range<TokenIdx>, others: Range<TokenIdx>| {
        tokens.map(|idx| document.token_text(idx)).eq(others.map(|idx| document.token_text(idx)))
    };
    match (&one.kind, &other.kind) {
        (OperandKind::Binary(operator, sides), OperandKind::Binary(other, others)) => {
            let mut pairs = sides.iter().zip(others.iter());
            operator.text(document) == other.text(document) && pairs.all(|(one, other)| is_same(document, one, other))
        }
        (OperandKind::Unary(sign, inner), OperandKind::Unary(other, others)) => {
            same(*sign..inner.tokens.start, *other..others.tokens.start) && is_same(document, inner, others)
        }
        _ => same(bare(document, one), bare(document, other)),
    }
}

/// The tokens of an expression without the parentheses around it.
fn bare(document: &Document, operand: &Operand) -> Range<TokenIdx> {
    let Range { mut start, mut end } = operand.tokens.clone();
    while document.is(start, b'(') && document.partner(start).is_some_and(|close| close + 1 == end) {
        (start, end) = (start + 1, end - 1);
    }
    start..end
}
