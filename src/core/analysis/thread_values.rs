//! What expressions of device code are for each thread of a block, where nothing but the number of the thread decides.

use std::cell::Cell;
use std::ops::Range;

use super::functions::Function;
use super::statements::declaration;
use super::thread_axes::thread_axis;
use super::thread_numbers::{ThreadNumber, ThreadNumbers};
use crate::syntax::{
    Arithmetic, BinaryOperator, Document, Operand, OperandKind, OperatorKind, TokenIdx, split_arguments,
};

/// Threads of the largest block (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; HIP has the same).
const THREADS: i64 = 1024;

/// Lanes of a warp of CUDA's, which lanes and warps are numbered by that cannot be followed to the thread.
const WARP: i64 = 32;

/// Expressions of more parts than this are not computed.
const MOST_PARTS: u32 = 64;

/// A value for each thread of a block, in the order of their numbers.
pub type Values = Vec<i64>;

/// Computes expressions for all threads of a block that has one dimension.
#[derive(Debug)]
pub struct ThreadValues<'a, 'd> {
    document: &'d Document,
    numbers: &'a ThreadNumbers<'d>,
    /// What `warpSize` is.
    lanes: i64,
    /// The parts that may still be computed.
    left: Cell<u32>,
}

/// Where names are looked up.
#[derive(Clone, Copy)]
struct Place<'p> {
    function: &'p Function,
    /// What the parameters are, where a call says so.
    arguments: &'p [(&'p str, Values)],
}

impl<'a, 'd> ThreadValues<'a, 'd> {
    /// Prepares to compute in waves of so many lanes.
    pub fn of(document: &'d Document, numbers: &'a ThreadNumbers<'d>, lanes: i64) -> ThreadValues<'a, 'd> {
        ThreadValues { document, numbers, lanes, left: Cell::new(0) }
    }

    /// What an expression in a function is for each thread; nothing where anything else has a say, or where the types do
    /// that the text does not show.
    pub fn values(&self, operand: &Operand, function: &Function) -> Option<Values> {
        self.left.set(MOST_PARTS);
        self.compute(operand, Place { function, arguments: &[] })
    }

    fn compute(&self, operand: &Operand, place: Place<'_>) -> Option<Values> {
        self.left.set(self.left.get().checked_sub(1)?);
        if let OperandKind::Name(name) = operand.kind
            && let Some((_, values)) =
                place.arguments.iter().find(|(known, _)| *known == self.document.token_text(name))
        {
            return Some(values.clone());
        }
        if let Some(constant) = self.numbers.constant(operand.tokens.clone()) {
            return Some(each(|_| constant));
        }
        match &operand.kind {
            OperandKind::Member(..) => {
                (thread_axis(self.document, operand) == Some("x")).then(|| each(|thread| thread))
            }
            OperandKind::Name(name) => self.name(*name, place),
            OperandKind::Cast(inner) => {
                self.keeps_number(operand.tokens.start..inner.tokens.start).then(|| self.compute(inner, place))?
            }
            OperandKind::Unary(sign, inner) => {
                let of = match self.document.token_text(*sign) {
                    "!" => |value: i64| Some(i64::from(value == 0)),
                    "-" => i64::checked_neg,
                    "~" => |value: i64| Some(!value),
                    "+" => Some,
                    _ => return None,
                };
                self.compute(inner, place)?.into_iter().map(of).collect()
            }
            OperandKind::Binary(operator, sides) => {
                let (left, right) = (self.compute(&sides[0], place)?, self.compute(&sides[1], place)?);
                left.into_iter().zip(right).map(|(left, right)| self.binary(operator, left, right)).collect()
            }
            OperandKind::Choice(parts) => {
                let [condition, one, other] = &**parts;
                let (condition, one) = (self.compute(condition, place)?, self.compute(one, place)?);
                let ways = one.into_iter().zip(self.compute(other, place)?);
                let picked = condition.into_iter().zip(ways);
                Some(picked.map(|(holds, (one, other))| if holds == 0 { other } else { one }).collect())
            }
            OperandKind::Call(name, arguments) => self.call(*name, arguments, place),
            OperandKind::Number(_) | OperandKind::Index(_) | OperandKind::Other => None,
        }
    }

    /// A variable that keeps its value, a macro, or what numbers the lanes or warps of 32.
    fn name(&self, name: TokenIdx, place: Place<'_>) -> Option<Values> {
        let text = self.document.token_text(name);
        if text == "warpSize" {
            return Some(each(|_| self.lanes));
        }
        if let Some(value) = self.numbers.only_value(text, place.function) {
            return self.compute(&value, place);
        }
        if let Some(meaning) = self.numbers.meaning(text) {
            return self.compute(&meaning, place);
        }
        match self.numbers.number(name..name + 1, place.function)? {
            ThreadNumber::Lane => Some(each(|thread| thread % WARP)),
            ThreadNumber::Warp => Some(each(|thread| thread / WARP)),
            // Of a grid it may be, or along another dimension.
            ThreadNumber::Thread | ThreadNumber::Count => None,
        }
    }

    /// A function of the file that only returns something.
    fn call(&self, name: TokenIdx, arguments: &[Operand], place: Place<'_>) -> Option<Values> {
        let text = self.document.token_text(name);
        if text == "__lane_id" {
            return Some(each(|thread| thread % self.lanes));
        }
        let (value, callee) = self.numbers.only_return(text)?;
        let open = callee.name? + 1;
        let parameters = split_arguments(self.document, open + 1..self.document.partner(open)?);
        if parameters.len() != arguments.len() {
            return None;
        }
        let given = parameters.into_iter().zip(arguments).map(|(parameter, argument)| {
            let declared = declaration(self.document, parameter)?;
            let name = self.document.token_text(declared.declarators.first()?.name);
            Some((name, self.compute(argument, place)?))
        });
        let given: Vec<(&str, Values)> = given.collect::<Option<_>>()?;
        let is_changed = |name: &str| !self.numbers.changes_of(name, callee).is_empty();
        if given.iter().any(|(name, _)| is_changed(name)) {
            return None;
        }
        self.compute(&value, Place { function: callee, arguments: &given })
    }

    /// Whether a conversion to the type among some tokens leaves numbers of threads as they are.
    fn keeps_number(&self, kind: Range<TokenIdx>) -> bool {
        let mut words = kind.map(|idx| self.document.token_text(idx));
        !words
            .any(|word| matches!(word, "float" | "double" | "half" | "__half" | "char" | "bool" | "int8_t" | "uint8_t"))
    }

    /// What an operator makes of two numbers of 32 or 64 bits, if it is the same with and without a sign.
    fn binary(&self, operator: &BinaryOperator, left: i64, right: i64) -> Option<i64> {
        let is_positive = left >= 0 && right >= 0;
        let truth = |truth: bool| Some(i64::from(truth));
        match (operator.kind, operator.text(self.document)) {
            (OperatorKind::Arithmetic(arithmetic), _) => arithmetic_of(arithmetic, left, right),
            (OperatorKind::Comma, _) => Some(right),
            (OperatorKind::Logic, "&&") => truth(left != 0 && right != 0),
            (OperatorKind::Logic, "||") => truth(left != 0 || right != 0),
            (OperatorKind::Logic, "==") => truth(left == right),
            (OperatorKind::Logic, "!=") => truth(left != right),
            (OperatorKind::Logic, _) if !is_positive => None,
            (OperatorKind::Logic, "<") => truth(left < right),
            (OperatorKind::Logic, ">") => truth(left > right),
            (OperatorKind::Logic, "<=") => truth(left <= right),
            (OperatorKind::Logic, ">=") => truth(left >= right),
            _ => None,
        }
    }
}

fn arithmetic_of(arithmetic: Arithmetic, left: i64, right: i64) -> Option<i64> {
    let is_positive = left >= 0 && right >= 0;
    let distance = u32::try_from(right).ok().filter(|&distance| distance < 64);
    match arithmetic {
        Arithmetic::BitOr => Some(left | right),
        Arithmetic::BitXor => Some(left ^ right),
        Arithmetic::BitAnd => Some(left & right),
        Arithmetic::Add => left.checked_add(right),
        Arithmetic::Subtract => left.checked_sub(right),
        Arithmetic::Multiply => left.checked_mul(right),
        Arithmetic::ShiftLeft => distance.map(|distance| left << distance),
        Arithmetic::ShiftRight if is_positive => distance.map(|distance| left >> distance),
        Arithmetic::Divide if is_positive => left.checked_div(right),
        Arithmetic::Remainder if is_positive => left.checked_rem(right),
        Arithmetic::ShiftRight | Arithmetic::Divide | Arithmetic::Remainder => None,
    }
}

fn each(value: impl Fn(i64) -> i64) -> Values {
    (0..THREADS).map(value).collect()
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::analysis::constants::Constants;
    use crate::analysis::functions::Functions;
    use crate::source::SourceFile;
    use crate::syntax::words;

    /// The values of what stands between `X` and the end of the statement, in the last function of a file.
    fn values(text: &str) -> Option<Values> {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let functions = Functions::of(&document);
        let numbers = ThreadNumbers::of(&document, &functions, Rc::new(Constants::of(&document)));
        let start = words(&document, "X").next().unwrap() + 2;
        let end = (start..document.tokens().len()).find(|&idx| document.is(idx, b';')).unwrap();
        let function = functions.around(start).unwrap();
        ThreadValues::of(&document, &numbers, 32).values(&Operand::read(&document, start..end), function)
    }

    #[track_caller]
    fn check(body: &str, expected: impl Fn(i64) -> i64) {
        assert_eq!(values(&format!("__global__ void k(int n) {{ {body} }}")), Some(each(expected)), "{body}");
    }

    #[test]
    fn expressions_are_computed_for_each_thread() {
        check("int t = threadIdx.x; bool X = t / 32 * 32 == 0;", |thread| i64::from(thread < 32));
        check("int X = (threadIdx.x & 64) && (threadIdx.x & 32);", |thread| i64::from(thread % 128 >= 96));
        check("const unsigned lane = (unsigned)threadIdx.x % warpSize; int X = ~lane & 1;", |thread| 1 - thread % 2);
        check("unsigned X = 0xffffu << (threadIdx.x & 16);", |thread| 0xffff << (thread & 16));
        check("int X = threadIdx.x < 8 ? 1 : -threadIdx.x;", |thread| if thread < 8 { 1 } else { -thread });
    }

    #[test]
    fn functions_and_macros_are_followed() {
        let text = "#define TID threadIdx.x\n__device__ int warp(int t, int w) { return t / w; }\n\
                    __global__ void k() { int X = warp(TID + 1, 8); }";
        assert_eq!(values(text), Some(each(|thread| (thread + 1) / 8)));
        let text = "__device__ int f(int t) { t += 1; return t; }\n__global__ void k() { int X = f(threadIdx.x); }";
        assert_eq!(values(text), None);
        let text = "__device__ int f(int t) { return f(t); }\n__global__ void k() { int X = f(threadIdx.x); }";
        assert_eq!(values(text), None);
    }

    #[test]
    fn what_depends_on_more_or_on_types_is_not_computed() {
        for body in [
            "int X = threadIdx.x < n;",
            "int X = threadIdx.y;",
            "int t = threadIdx.x; t = n; int X = t;",
            "int X = threadIdx.x - 8 < 4;",
            "float X = (float)threadIdx.x / 2;",
            "int X = threadIdx.x / 0;",
            "int X = p[threadIdx.x];",
        ] {
            assert_eq!(values(&format!("__global__ void k(int n, int *p) {{ {body} }}")), None, "{body}");
        }
    }
}
