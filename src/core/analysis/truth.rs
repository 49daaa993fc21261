//! Evaluates expressions of the preprocessor as far as they can be known.

use super::expression::{Binary, Expression, Node, Unary};
use crate::syntax::TokenIdx;

/// What is known about a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// The value.
    Known(i64),
    /// Some value from `low` to `high`; which one is not known.
    Between {
        /// The least.
        low: i64,
        /// The greatest.
        high: i64,
    },
    /// Nothing.
    Unknown,
}

/// What is known about a macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definition {
    /// It is not defined, so it counts as 0.
    Undefined,
    /// It is defined with this value.
    Defined(Value),
    /// Nothing.
    Unknown,
}

impl Value {
    /// Whether it counts as true, if that is known.
    pub fn truth(self) -> Option<bool> {
        match self {
            Value::Known(value) => Some(value != 0),
            Value::Between { low, high } => (low > 0 || high < 0).then_some(true),
            Value::Unknown => None,
        }
    }

    fn of(truth: Option<bool>) -> Value {
        truth.map_or(Value::Unknown, |truth| Value::Known(i64::from(truth)))
    }

    /// Least and greatest value.
    fn bounds(self) -> Option<(i64, i64)> {
        match self {
            Value::Known(value) => Some((value, value)),
            Value::Between { low, high } => Some((low, high)),
            Value::Unknown => None,
        }
    }
}

/// The value of `expression`, where `lookup` tells what is known about the macro at a token.
pub fn evaluate(expression: &Expression, lookup: &dyn Fn(TokenIdx) -> Definition) -> Value {
    match &expression.node {
        Node::Number(value) => Value::Known(*value),
        Node::Name(name) => match lookup(*name) {
            Definition::Undefined => Value::Known(0),
            Definition::Defined(value) => value,
            Definition::Unknown => Value::Unknown,
        },
        Node::Defined(name) => match lookup(*name) {
            Definition::Undefined => Value::Known(0),
            Definition::Defined(_) => Value::Known(1),
            Definition::Unknown => Value::Unknown,
        },
        Node::Unary(operator, operand) => unary(*operator, evaluate(operand, lookup)),
        Node::Binary(operator, operands) => {
            let [left, right] = &**operands;
            binary(*operator, evaluate(left, lookup), evaluate(right, lookup))
        }
        Node::Choice(parts) => {
            let [condition, one, other] = &**parts;
            match evaluate(condition, lookup).truth() {
                Some(true) => evaluate(one, lookup),
                Some(false) => evaluate(other, lookup),
                None => Value::Unknown,
            }
        }
        Node::Other => Value::Unknown,
    }
}

fn unary(operator: Unary, operand: Value) -> Value {
    match (operator, operand) {
        (Unary::Not, operand) => Value::of(operand.truth().map(|truth| !truth)),
        (Unary::Plus, operand) => operand,
        (Unary::Minus, Value::Known(value)) => Value::Known(value.wrapping_neg()),
        (Unary::Complement, Value::Known(value)) => Value::Known(!value),
        _ => Value::Unknown,
    }
}

fn binary(operator: Binary, left: Value, right: Value) -> Value {
    match operator {
        Binary::And => Value::of(both(left.truth(), right.truth())),
        Binary::Or => Value::of(both(left.truth().map(|t| !t), right.truth().map(|t| !t)).map(|neither| !neither)),
        Binary::Equal => Value::of(equal(left, right)),
        Binary::Unequal => Value::of(equal(left, right).map(|equal| !equal)),
        Binary::Less => Value::of(less(left, right)),
        Binary::Greater => Value::of(less(right, left)),
        Binary::LessOrEqual => Value::of(less(right, left).map(|greater| !greater)),
        Binary::GreaterOrEqual => Value::of(less(left, right).map(|less| !less)),
        _ => arithmetic(operator, left, right).unwrap_or(Value::Unknown),
    }
}

fn both(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn equal(left: Value, right: Value) -> Option<bool> {
    if let (Value::Known(left), Value::Known(right)) = (left, right) {
        return Some(left == right);
    }
    let ((left_low, left_high), (right_low, right_high)) = (left.bounds()?, right.bounds()?);
    (left_high < right_low || right_high < left_low).then_some(false)
}

fn less(left: Value, right: Value) -> Option<bool> {
    let ((left_low, left_high), (right_low, right_high)) = (left.bounds()?, right.bounds()?);
    match (left_high < right_low, left_low >= right_high) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

fn arithmetic(operator: Binary, left: Value, right: Value) -> Option<Value> {
    // `X-0` and `X+0` are written so that an empty X is no error.
    if right == Value::Known(0) && matches!(operator, Binary::Add | Binary::Subtract) {
        return Some(left);
    }
    let (Value::Known(left), Value::Known(right)) = (left, right) else { return None };
    let shift = u32::try_from(right).ok();
    let value = match operator {
        Binary::Add => left.checked_add(right)?,
        Binary::Subtract => left.checked_sub(right)?,
        Binary::Multiply => left.checked_mul(right)?,
        Binary::Divide => left.checked_div(right)?,
        Binary::Remainder => left.checked_rem(right)?,
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        Binary::BitAnd => left & right,
        Binary::ShiftLeft => left.checked_shl(shift?)?,
        Binary::ShiftRight => left.checked_shr(shift?)?,
        _ => return None,
    };
    Some(Value::Known(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;
    use crate::syntax::Document;

    /// `U` is undefined, `D` is 7, `A` is between 600 and 690, all else unknown.
    #[track_caller]
    fn check_value(condition: &str, expected: Option<i64>) {
        let document = Document::new(SourceFile::from_text("a.cu", format!("#if {condition}\n#endif\n")));
        let expression = Expression::of(&document, &document.directives()[0]).unwrap();
        let value = evaluate(&expression, &|name| match document.token_text(name) {
            "U" => Definition::Undefined,
            "D" => Definition::Defined(Value::Known(7)),
            "A" => Definition::Defined(Value::Between { low: 600, high: 690 }),
            _ => Definition::Unknown,
        });
        let value = if let Value::Known(value) = value { Some(value) } else { None };
        assert_eq!(value, expected, "{condition}");
    }

    #[test]
    fn operators_bind_as_in_c() {
        check_value("1 + 2 * 3 == 7 && 8 >> 1 << 1 == 8", Some(1));
        check_value("(1 | 6) & ~3 ^ 1", Some(5));
        check_value("-1 < 0 ? 0x10 : 010", Some(16));
        check_value("!0 + !1", Some(1));
        check_value("10 - 3 - 2", Some(5));
        check_value("1'000UL / 0", None);
    }

    #[test]
    fn macros_are_looked_up() {
        check_value("defined(U) || defined D", Some(1));
        check_value("U", Some(0));
        check_value("D-0 >= 7", Some(1));
    }

    #[test]
    fn the_unknown_spreads_only_where_it_matters() {
        check_value("X", None);
        check_value("X && U", Some(0));
        check_value("U && X(1, 2)", Some(0));
        check_value("X || D", Some(1));
        check_value("__has_include(<a.h>) && 1", None);
        check_value("X ||", None);
    }

    #[test]
    fn ranges_answer_where_they_can() {
        check_value("A >= 600", Some(1));
        check_value("A < 600", Some(0));
        check_value("A > 690", Some(0));
        check_value("A >= 650", None);
        check_value("A == 700", Some(0));
        check_value("A == 650", None);
        check_value("A && 1", Some(1));
        check_value("!A", Some(0));
    }
}
