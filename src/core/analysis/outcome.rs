//! What an expression is when a call in it gives a certain result.

use super::functions::Function;
use super::lane_kinds::takes_mask;
use super::thread_numbers::ThreadNumbers;
use super::warp_words::is_shuffle;
use crate::syntax::{
    Arithmetic, BinaryOperator, Document, Operand, OperandKind, OperatorKind, TokenIdx, TokenKind, is_type_word,
};

/// A result of a call, and what is known with it.
#[derive(Debug, Clone)]
pub(super) struct Outcome<'a, 'd> {
    pub document: &'d Document,
    pub numbers: &'a ThreadNumbers<'d>,
    pub function: &'a Function,
    /// The name of the call.
    pub call: TokenIdx,
    /// What it gives.
    pub result: i64,
    /// The variable that something was made of it is assigned to, and its value.
    pub variable: Option<(&'d str, i64)>,
}

impl<'d> Outcome<'_, 'd> {
    /// The value of an expression, if it is known.
    pub(super) fn value(&self, operand: &Operand) -> Option<i64> {
        match &operand.kind {
            OperandKind::Call(name, _) if *name == self.call => Some(self.result),
            OperandKind::Call(name, arguments) if is_type_word(self.document.token_text(*name)) => {
                let [one] = arguments.as_slice() else { return None };
                self.value(one)
            }
            OperandKind::Call(name, arguments) => self.of_warp(self.document.token_text(*name), arguments),
            OperandKind::Name(name)
                if self.variable.is_some_and(|(known, _)| known == self.document.token_text(*name)) =>
            {
                self.variable.map(|(_, value)| value)
            }
            OperandKind::Cast(inner) => self.value(inner),
            OperandKind::Unary(sign, inner) => match self.document.token_text(*sign) {
                "!" => Some(i64::from(self.value(inner)? == 0)),
                "-" => self.value(inner)?.checked_neg(),
                "~" => self.value(inner).map(|value| !value),
                _ => None,
            },
            OperandKind::Binary(operator, sides) => self.binary(operator, &sides[0], &sides[1]),
            OperandKind::Name(_) | OperandKind::Number(_) => {
                constant(self.document, self.numbers, self.function, operand)
            }
            _ => None,
        }
    }

    /// What a function of a warp gives where all its lanes go by the result of one.
    fn of_warp(&self, function: &str, arguments: &[Operand]) -> Option<i64> {
        let value = self.value(arguments.get(usize::from(takes_mask(function)))?)?;
        match function {
            "__any" | "__any_sync" | "__all" | "__all_sync" => Some(i64::from(value != 0)),
            _ if is_shuffle(function) => Some(value),
            _ => None,
        }
    }

    fn binary(&self, operator: &BinaryOperator, left: &Operand, right: &Operand) -> Option<i64> {
        let (first, second) = (self.value(left), self.value(right));
        match operator.kind {
            OperatorKind::Assign(None) | OperatorKind::Comma => second,
            OperatorKind::Arithmetic(Arithmetic::BitAnd) => Some(first? & second?),
            OperatorKind::Arithmetic(Arithmetic::Subtract) => first?.checked_sub(second?),
            OperatorKind::Logic => logic(operator.text(self.document), first, second).map(i64::from),
            _ => None,
        }
    }
}

fn logic(sign: &str, first: Option<i64>, second: Option<i64>) -> Option<bool> {
    let truths = (first.map(|value| value != 0), second.map(|value| value != 0));
    Some(match (sign, truths) {
        ("&&", (Some(false), _) | (_, Some(false))) => false,
        ("||", (Some(true), _) | (_, Some(true))) => true,
        ("&&", (Some(one), Some(other))) => one && other,
        ("||", (Some(one), Some(other))) => one || other,
        ("==", _) => first? == second?,
        ("!=", _) => first? != second?,
        ("<", _) => first? < second?,
        (">", _) => first? > second?,
        ("<=", _) => first? <= second?,
        (">=", _) => first? >= second?,
        _ => return None,
    })
}

/// The value of a constant: a number, a variable that is nothing else throughout, or a number that stands for a name whose
/// value is not seen but that is written as macros are.
pub(super) fn constant(
    document: &Document,
    numbers: &ThreadNumbers<'_>,
    function: &Function,
    operand: &Operand,
) -> Option<i64> {
    if let Some(value) = numbers.constant(operand.tokens.clone()) {
        return Some(value);
    }
    match operand.kind {
        OperandKind::Cast(ref inner) => constant(document, numbers, function, inner),
        OperandKind::Number(number) => document.token_text(number).trim_end_matches(['u', 'U', 'l', 'L']).parse().ok(),
        OperandKind::Name(name) if document.kind(name) == Some(TokenKind::Ident) => {
            let text = document.token_text(name);
            match text {
                "true" => return Some(1),
                "false" => return Some(0),
                _ => {}
            }
            let variable = numbers.only_value(text, function);
            let value = variable.and_then(|value| numbers.constant(value.tokens));
            value.or_else(|| is_written_as_macro(text).then(|| number_of_name(text)))
        }
        _ => None,
    }
}

fn is_written_as_macro(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// A number that no constant of a program has.
fn number_of_name(name: &str) -> i64 {
    name.bytes().fold(1 << 40, |number: i64, byte| (number.wrapping_mul(31) ^ i64::from(byte)) | 1 << 40)
}
