//! Reads C++ expressions from tokens, as far as operators and brackets tell.
//!
//! Works in macro bodies and in every `#if` branch, where a grammar of the whole language does not.
//! Never fails: what cannot be read becomes [`OperandKind::Other`].

use std::ops::Range;

use super::call::{split_arguments, template_end};
use super::document::Document;
use super::token::{TokenIdx, TokenKind};

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand {
    /// Its tokens; parentheses around it included.
    pub tokens: Range<TokenIdx>,
    /// What it is.
    pub kind: OperandKind,
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperandKind {
    /// A name; the last one of a path.
    Name(TokenIdx),
    /// A number.
    Number(TokenIdx),
    /// `name(arguments)`, also with template arguments and for conversions such as `T(x)`.
    Call(TokenIdx, Vec<Operand>),
    /// `object.name` or `object->name`
    Member(Box<Operand>, TokenIdx),
    /// `array[index]`
    Index(Box<[Operand; 2]>),
    /// An operator before its operand; the operator's token.
    Unary(TokenIdx, Box<Operand>),
    /// An operator between two operands.
    Binary(BinaryOperator, Box<[Operand; 2]>),
    /// `condition ? one : other`
    Choice(Box<[Operand; 3]>),
    /// `(type)operand`, `static_cast<type>(operand)`
    Cast(Box<Operand>),
    /// Anything else.
    Other,
}

/// An operator between two operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryOperator {
    /// Its tokens, one for each character.
    pub tokens: Range<TokenIdx>,
    /// What it does.
    pub kind: OperatorKind,
}

impl BinaryOperator {
    /// How it is written.
    pub fn text<'d>(&self, document: &'d Document) -> &'d str {
        document.slice(document.range_of(self.tokens.clone()))
    }
}

/// What an operator does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum OperatorKind {
    /// `=`, and `+=` and the like with the operator that they hold.
    Assign(Option<Arithmetic>),
    Arithmetic(Arithmetic),
    /// Comparisons and `&&`, `||`, whose result is a truth value.
    Logic,
    Comma,
}

/// An operator that computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Arithmetic {
    BitOr,
    BitXor,
    BitAnd,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operand {
    /// The expression that `tokens` are.
    pub fn read(document: &Document, tokens: Range<TokenIdx>) -> Operand {
        Operand::read_at(document, tokens, 0)
    }

    fn read_at(document: &Document, tokens: Range<TokenIdx>, depth: u32) -> Operand {
        let mut reader = Reader { document, at: tokens.start, end: tokens.end, depth };
        let operand = reader.expression(0);
        if reader.at == reader.end { operand } else { Operand { tokens, kind: OperandKind::Other } }
    }

    /// Whether parentheses stand around the whole expression.
    pub fn is_in_parentheses(&self, document: &Document) -> bool {
        let Range { start, end } = self.tokens;
        document.is(start, b'(') && document.partner(start) == end.checked_sub(1)
    }

    /// Calls `visit` with this expression and all within, outermost first.
    pub fn walk<'o>(&'o self, visit: &mut impl FnMut(&'o Operand)) {
        visit(self);
        match &self.kind {
            OperandKind::Call(_, operands) => operands.iter().for_each(|operand| operand.walk(visit)),
            OperandKind::Index(operands) | OperandKind::Binary(_, operands) => {
                operands.iter().for_each(|operand| operand.walk(visit));
            }
            OperandKind::Choice(operands) => operands.iter().for_each(|operand| operand.walk(visit)),
            OperandKind::Member(operand, _) | OperandKind::Unary(_, operand) | OperandKind::Cast(operand) => {
                operand.walk(visit);
            }
            OperandKind::Name(_) | OperandKind::Number(_) | OperandKind::Other => {}
        }
    }
}

/// Expressions nest less deeply than this in code that people write. An operator in a row of
/// operators counts as well, since each holds all before it.
const DEEPEST: u32 = 200;

struct Reader<'d> {
    document: &'d Document,
    at: TokenIdx,
    end: TokenIdx,
    depth: u32,
}

impl Reader<'_> {
    fn punct(&self, ahead: usize) -> Option<u8> {
        let idx = self.at + ahead;
        match self.document.token(idx).filter(|_| idx < self.end)?.kind {
            TokenKind::Punct(byte) => Some(byte),
            _ => None,
        }
    }

    /// Whether the token `ahead` touches the one before it, so that both make one operator.
    fn touches(&self, ahead: usize) -> bool {
        let tokens = self.document.tokens();
        let idx = self.at + ahead;
        idx > 0
            && idx < self.end
            && tokens.get(idx - 1).map(|before| before.end) == tokens.get(idx).map(|token| token.start)
    }

    fn other(&mut self, start: TokenIdx) -> Operand {
        self.at = self.end;
        Operand { tokens: start..self.end, kind: OperandKind::Other }
    }

    fn expression(&mut self, weakest: u8) -> Operand {
        let start = self.at;
        let outer = self.depth;
        self.depth += 1;
        let mut left = self.unary();
        while let Some((kind, strength, len)) = self.operator().filter(|(_, strength, _)| *strength >= weakest) {
            let tokens = self.at..self.at + len;
            self.at += len;
            self.depth += 1;
            if self.depth > DEEPEST {
                return self.other(start);
            }
            if strength == CHOICE {
                left = self.choice(left);
                continue;
            }
            // Assignments bind to the right.
            let right = self.expression(if matches!(kind, OperatorKind::Assign(_)) { strength } else { strength + 1 });
            let tokens_of_both = left.tokens.start..right.tokens.end;
            let operator = BinaryOperator { tokens, kind };
            left = Operand { tokens: tokens_of_both, kind: OperandKind::Binary(operator, Box::new([left, right])) };
        }
        self.depth = outer;
        left
    }

    fn choice(&mut self, condition: Operand) -> Operand {
        let start = condition.tokens.start;
        let one = self.expression(CHOICE);
        if self.punct(0) != Some(b':') {
            return self.other(start);
        }
        self.at += 1;
        let other = self.expression(CHOICE);
        let tokens = start..other.tokens.end;
        Operand { tokens, kind: OperandKind::Choice(Box::new([condition, one, other])) }
    }

    /// The operator at this place, how strongly it binds, and its number of characters.
    fn operator(&self) -> Option<(OperatorKind, u8, usize)> {
        use Arithmetic as A;
        let first = self.punct(0)?;
        let second = self.punct(1).filter(|_| self.touches(1));
        let third = self.punct(2).filter(|_| second.is_some() && self.touches(2));
        let assigns = |arithmetic, len: usize| Some((OperatorKind::Assign(Some(arithmetic)), ASSIGN, len));
        let computes = |arithmetic, strength| Some((OperatorKind::Arithmetic(arithmetic), strength, 1));
        let logic = |strength, len| Some((OperatorKind::Logic, strength, len));
        match (first, second, third) {
            (b',', ..) => Some((OperatorKind::Comma, 0, 1)),
            (b'?', ..) => Some((OperatorKind::Logic, CHOICE, 1)),
            (b'<', Some(b'<'), Some(b'=')) => assigns(A::ShiftLeft, 3),
            (b'>', Some(b'>'), Some(b'=')) => assigns(A::ShiftRight, 3),
            (b'<', Some(b'<'), _) => Some((OperatorKind::Arithmetic(A::ShiftLeft), 10, 2)),
            (b'>', Some(b'>'), _) => Some((OperatorKind::Arithmetic(A::ShiftRight), 10, 2)),
            (b'|', Some(b'|'), _) => logic(3, 2),
            (b'&', Some(b'&'), _) => logic(4, 2),
            (b'=' | b'!', Some(b'='), _) => logic(8, 2),
            (b'<' | b'>', Some(b'='), _) => logic(9, 2),
            (b'<' | b'>', ..) => logic(9, 1),
            (b'=', ..) => Some((OperatorKind::Assign(None), ASSIGN, 1)),
            (sign, Some(b'='), _) => assigns(arithmetic(sign)?, 2),
            (b'|', ..) => computes(A::BitOr, 5),
            (b'^', ..) => computes(A::BitXor, 6),
            (b'&', ..) => computes(A::BitAnd, 7),
            (b'+' | b'-', ..) => computes(arithmetic(first)?, 11),
            (b'*' | b'/' | b'%', ..) => computes(arithmetic(first)?, 12),
            _ => None,
        }
    }

    fn unary(&mut self) -> Operand {
        let start = self.at;
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.other(start);
        }
        let operand = match self.punct(0) {
            Some(sign @ (b'+' | b'-')) if self.punct(1) == Some(sign) && self.touches(1) => {
                self.at += 2;
                self.prefixed(start)
            }
            Some(b'+' | b'-' | b'~' | b'!' | b'*' | b'&') => {
                self.at += 1;
                self.prefixed(start)
            }
            Some(b'(') if self.is_cast() => {
                self.at = self.document.partner(start).unwrap_or(start) + 1;
                let operand = self.unary();
                Operand { tokens: start..operand.tokens.end, kind: OperandKind::Cast(Box::new(operand)) }
            }
            _ => self.postfix(),
        };
        self.depth -= 1;
        operand
    }

    fn prefixed(&mut self, operator: TokenIdx) -> Operand {
        let operand = self.unary();
        Operand { tokens: operator..operand.tokens.end, kind: OperandKind::Unary(operator, Box::new(operand)) }
    }

    /// Whether the parenthesis here holds a type and an operand follows.
    fn is_cast(&self) -> bool {
        let document = self.document;
        let Some(close) = document.partner(self.at).filter(|&close| close > self.at + 1 && close + 1 < self.end) else {
            return false;
        };
        let is_part = |idx: TokenIdx| match document.kind(idx) {
            Some(TokenKind::Ident | TokenKind::PathSep) => true,
            Some(TokenKind::Punct(sign)) => matches!(sign, b'*' | b'&' | b'<' | b'>'),
            _ => false,
        };
        let names_type = (self.at + 1..close).any(|idx| is_type_word(document.token_text(idx)));
        let follows = document.kind(close + 1);
        let operand_follows = match follows {
            Some(TokenKind::Ident | TokenKind::Number) => true,
            Some(TokenKind::Punct(b'(' | b'~' | b'-' | b'!' | b'*' | b'&')) => names_type,
            _ => false,
        };
        operand_follows && (self.at + 1..close).all(is_part)
    }

    fn postfix(&mut self) -> Operand {
        let start = self.at;
        let mut operand = self.primary();
        loop {
            let kind = match self.document.token(self.at).filter(|_| self.at < self.end).map(|token| token.kind) {
                Some(TokenKind::Punct(b'[')) => {
                    let Some(close) = self.close() else { return self.other(start) };
                    let index = self.inner(self.at + 1..close);
                    self.at = close + 1;
                    OperandKind::Index(Box::new([operand, index]))
                }
                Some(TokenKind::Punct(b'.') | TokenKind::Arrow) => {
                    let name = self.at + 1;
                    self.at = (name + 1).min(self.end);
                    OperandKind::Member(Box::new(operand), name)
                }
                Some(TokenKind::Punct(b'(')) => {
                    let Some(close) = self.close() else { return self.other(start) };
                    let (OperandKind::Name(name) | OperandKind::Member(_, name)) = operand.kind else {
                        return self.other(start);
                    };
                    let arguments = split_arguments(self.document, self.at + 1..close);
                    let arguments = arguments.into_iter().map(|tokens| self.inner(tokens)).collect();
                    self.at = close + 1;
                    call(self.document, name, arguments)
                }
                Some(TokenKind::Punct(sign @ (b'+' | b'-'))) if self.punct(1) == Some(sign) && self.touches(1) => {
                    self.at += 2;
                    operand.kind
                }
                _ => return operand,
            };
            operand = Operand { tokens: start..self.at, kind };
        }
    }

    /// An expression within brackets.
    fn inner(&self, tokens: Range<TokenIdx>) -> Operand {
        Operand::read_at(self.document, tokens, self.depth)
    }

    /// The bracket that closes the one here, if it lies within the expression.
    fn close(&self) -> Option<TokenIdx> {
        self.document.partner(self.at).filter(|&close| close > self.at && close < self.end)
    }

    fn primary(&mut self) -> Operand {
        let start = self.at;
        let Some(token) = self.document.token(start).filter(|_| start < self.end) else { return self.other(start) };
        let kind = match token.kind {
            TokenKind::Number => {
                self.at += 1;
                OperandKind::Number(start)
            }
            TokenKind::Punct(b'(') => {
                let Some(close) = self.close() else { return self.other(start) };
                let inner = self.inner(start + 1..close);
                self.at = close + 1;
                inner.kind
            }
            TokenKind::Ident | TokenKind::PathSep => return self.path(),
            TokenKind::Str | TokenKind::RawStr | TokenKind::Char => {
                self.at += 1;
                OperandKind::Other
            }
            _ => return self.other(start),
        };
        Operand { tokens: start..self.at, kind }
    }

    /// `a::b<c>::d`
    fn path(&mut self) -> Operand {
        let start = self.at;
        let mut name = start;
        while let Some(token) = self.document.token(self.at).filter(|_| self.at < self.end) {
            match token.kind {
                TokenKind::PathSep => self.at += 1,
                TokenKind::Ident if self.at == start || self.document.kind(self.at - 1) == Some(TokenKind::PathSep) => {
                    name = self.at;
                    self.at += 1;
                    if self.punct(0) == Some(b'<')
                        && let Some(close) = template_end(self.document, self.at, self.end)
                    {
                        self.at = close + 1;
                    }
                }
                _ => break,
            }
        }
        Operand { tokens: start..self.at, kind: OperandKind::Name(name) }
    }
}

const ASSIGN: u8 = 1;
const CHOICE: u8 = 2;

fn arithmetic(sign: u8) -> Option<Arithmetic> {
    Some(match sign {
        b'|' => Arithmetic::BitOr,
        b'^' => Arithmetic::BitXor,
        b'&' => Arithmetic::BitAnd,
        b'+' => Arithmetic::Add,
        b'-' => Arithmetic::Subtract,
        b'*' => Arithmetic::Multiply,
        b'/' => Arithmetic::Divide,
        b'%' => Arithmetic::Remainder,
        _ => return None,
    })
}

fn call(document: &Document, name: TokenIdx, mut arguments: Vec<Operand>) -> OperandKind {
    let text = document.token_text(name);
    let converts = text.ends_with("_cast") || is_type_word(text);
    match arguments.pop() {
        Some(only) if converts && arguments.is_empty() => OperandKind::Cast(Box::new(only)),
        last => {
            arguments.extend(last);
            OperandKind::Call(name, arguments)
        }
    }
}

/// Words of built-in types, and names that are types by custom.
pub fn is_type_word(word: &str) -> bool {
    word.ends_with("_t")
        || matches!(
            word,
            "unsigned" | "signed" | "int" | "long" | "short" | "char" | "bool" | "float" | "double" | "uint" | "ulong"
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    /// The expression with its operators spelt as functions.
    fn shown(document: &Document, operand: &Operand) -> String {
        let show = |operand: &Operand| shown(document, operand);
        match &operand.kind {
            OperandKind::Name(name) | OperandKind::Number(name) => document.token_text(*name).to_owned(),
            OperandKind::Call(name, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(show).collect();
                format!("{}({})", document.token_text(*name), arguments.join(", "))
            }
            OperandKind::Member(object, name) => format!("{}.{}", show(object), document.token_text(*name)),
            OperandKind::Index(parts) => format!("{}[{}]", show(&parts[0]), show(&parts[1])),
            OperandKind::Unary(operator, operand) => format!("({}{})", document.token_text(*operator), show(operand)),
            OperandKind::Binary(operator, parts) => {
                format!("({} {} {})", show(&parts[0]), operator.text(document), show(&parts[1]))
            }
            OperandKind::Choice(parts) => format!("({} ? {} : {})", show(&parts[0]), show(&parts[1]), show(&parts[2])),
            OperandKind::Cast(operand) => format!("cast({})", show(operand)),
            OperandKind::Other => "other".to_owned(),
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let operand = Operand::read(&document, 0..document.tokens().len());
        assert_eq!(shown(&document, &operand), expected, "{text}");
    }

    #[test]
    fn operators_bind_as_in_cpp() {
        check("a | b & c << 1 + 2", "(a | (b & (c << (1 + 2))))");
        check("(1u << lane) - 1", "((1u << lane) - 1)");
        check("m = n |= ~x", "(m = (n |= (~x)))");
        check("a - b - c", "((a - b) - c)");
        check("p ? a & 1 : b, c", "((p ? (a & 1) : b) , c)");
        check("a == b && c >= d", "((a == b) && (c >= d))");
        check("m >>= 1", "(m >>= 1)");
        check("i++ + --j", "(i + (-j))");
    }

    #[test]
    fn calls_members_and_casts_are_read() {
        check("__popc(m & (1 << lane))", "__popc((m & (1 << lane)))");
        check("a.b->c[i](x, y)", "other");
        check("g.ballot(p)", "ballot(p)");
        check("threadIdx.x & 31", "(threadIdx.x & 31)");
        check("(unsigned)__ballot(p)", "cast(__ballot(p))");
        check("(unsigned long long)-1", "cast((-1))");
        check("static_cast<uint32_t>(m) >> 1", "(cast(m) >> 1)");
        check("uint32_t(m)", "cast(m)");
        check("(a) - b", "(a - b)");
        check("f<int>(x) + s[i].y", "(f(x) + s[i].y)");
        check("cub::LaneId()", "LaneId()");
    }

    #[test]
    fn what_cannot_be_read_is_other() {
        check("[=](int x) { return x; }", "other");
        check("a b", "other");
        check("", "other");
        let row = vec!["x"; 100_000];
        for deep in [format!("{}x{}", "(".repeat(50_000), ")".repeat(50_000)), "-~".repeat(50_000), row.join("+")] {
            let document = Document::new(SourceFile::from_text("a.cu", deep));
            let operand = Operand::read(&document, 0..document.tokens().len());
            operand.walk(&mut |inner| assert!(!inner.tokens.is_empty()));
        }
    }
}
