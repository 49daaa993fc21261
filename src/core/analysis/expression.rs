//! Reads the expressions of `#if` and `#elif`, and constant expressions of code.
//!
//! Never fails: what cannot be read becomes [`Node::Other`], which stands for an unknown value.

use std::ops::Range;

use super::type_size::size_of_type;
use crate::syntax::{Directive, DirectiveKind, Document, TokenIdx, TokenKind};

/// An expression of the preprocessor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression {
    /// Its tokens; parentheses around it included.
    pub tokens: Range<TokenIdx>,
    /// What it is.
    pub node: Node,
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// A number, or the size of a type.
    Number(i64),
    /// A macro used for its value.
    Name(TokenIdx),
    /// `defined(NAME)`, or the operand of `#ifdef`; the token of the name.
    Defined(TokenIdx),
    /// An operator and its operand.
    Unary(Unary, Box<Expression>),
    /// An operator between two operands.
    Binary(Binary, Box<[Expression; 2]>),
    /// `condition ? one : other`
    Choice(Box<[Expression; 3]>),
    /// Anything else: calls of function-like macros, `__has_include(…)`, broken text.
    Other,
}

/// An operator with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Unary {
    Not,
    Minus,
    Plus,
    Complement,
}

/// An operator with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Binary {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Binary {
    /// Whether it compares its operands.
    pub fn compares(self) -> bool {
        self.strength() == Binary::Less.strength() || self.strength() == Binary::Equal.strength()
    }

    /// The operator that says the same with the operands exchanged, if it compares.
    #[must_use]
    pub fn mirrored(self) -> Binary {
        match self {
            Binary::Less => Binary::Greater,
            Binary::LessOrEqual => Binary::GreaterOrEqual,
            Binary::Greater => Binary::Less,
            Binary::GreaterOrEqual => Binary::LessOrEqual,
            other => other,
        }
    }

    /// How strongly it binds.
    fn strength(self) -> u8 {
        match self {
            Binary::Or => 1,
            Binary::And => 2,
            Binary::BitOr => 3,
            Binary::BitXor => 4,
            Binary::BitAnd => 5,
            Binary::Equal | Binary::Unequal => 6,
            Binary::Less | Binary::LessOrEqual | Binary::Greater | Binary::GreaterOrEqual => 7,
            Binary::ShiftLeft | Binary::ShiftRight => 8,
            Binary::Add | Binary::Subtract => 9,
            Binary::Multiply | Binary::Divide | Binary::Remainder => 10,
        }
    }
}

/// Spellings, the longer ones first.
const OPERATORS: &[(&str, Binary)] = &[
    ("||", Binary::Or),
    ("&&", Binary::And),
    ("==", Binary::Equal),
    ("!=", Binary::Unequal),
    ("<=", Binary::LessOrEqual),
    (">=", Binary::GreaterOrEqual),
    ("<<", Binary::ShiftLeft),
    (">>", Binary::ShiftRight),
    ("|", Binary::BitOr),
    ("^", Binary::BitXor),
    ("&", Binary::BitAnd),
    ("<", Binary::Less),
    (">", Binary::Greater),
    ("+", Binary::Add),
    ("-", Binary::Subtract),
    ("*", Binary::Multiply),
    ("/", Binary::Divide),
    ("%", Binary::Remainder),
];

impl Expression {
    /// The condition of a directive; `None` if it has none.
    pub fn of(document: &Document, directive: &Directive) -> Option<Expression> {
        if !directive.kind.has_condition() {
            return None;
        }
        let tokens = directive.tokens.start + 2..directive.tokens.end;
        let keyword = document.token_text(directive.tokens.start + 1);
        if directive.kind == DirectiveKind::If || keyword == "elif" {
            return Some(Expression::read(document, tokens));
        }
        let name = tokens.start;
        let is_name = document.token(name).is_some_and(|token| token.kind == TokenKind::Ident) && !tokens.is_empty();
        let tested =
            Expression { tokens: name..name + 1, node: if is_name { Node::Defined(name) } else { Node::Other } };
        if keyword.ends_with("ndef") {
            return Some(Expression { tokens: name..name + 1, node: Node::Unary(Unary::Not, Box::new(tested)) });
        }
        Some(tested)
    }

    /// Reads the expression that `tokens` are.
    pub fn read(document: &Document, tokens: Range<TokenIdx>) -> Expression {
        let mut reader = Reader { document, at: tokens.start, end: tokens.end, depth: 0 };
        match reader.choice() {
            Some(expression) if reader.at == reader.end => expression,
            _ => Expression { tokens, node: Node::Other },
        }
    }

    /// The expression and all its parts, itself first.
    pub fn walk<'e>(&'e self, visit: &mut dyn FnMut(&'e Expression)) {
        visit(self);
        self.parts().iter().for_each(|part| part.walk(visit));
    }

    /// Its operands.
    pub fn parts(&self) -> &[Expression] {
        match &self.node {
            Node::Unary(_, part) => std::slice::from_ref(part),
            Node::Binary(_, parts) => parts.as_slice(),
            Node::Choice(parts) => parts.as_slice(),
            Node::Number(_) | Node::Name(_) | Node::Defined(_) | Node::Other => &[],
        }
    }
}

struct Reader<'d> {
    document: &'d Document,
    at: TokenIdx,
    end: TokenIdx,
    depth: usize,
}

/// An expression that nests more deeply is not read: its value is unknown. An operator in a row of operators counts as
/// well, since each holds all before it.
const DEEPEST: usize = 300;

impl Reader<'_> {
    /// Notes that what is read from here on lies deeper; `None` if it lies too deep.
    fn enter(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= DEEPEST).then_some(())
    }

    fn takes(&mut self, punct: u8) -> bool {
        let found = self.at < self.end && self.document.is(self.at, punct);
        self.at += usize::from(found);
        found
    }

    fn choice(&mut self) -> Option<Expression> {
        let (start, outer) = (self.at, self.depth);
        self.enter()?;
        let condition = self.binary(1)?;
        if !self.takes(b'?') {
            self.depth = outer;
            return Some(condition);
        }
        let one = self.choice()?;
        if !self.takes(b':') {
            return None;
        }
        let other = self.choice()?;
        self.depth = outer;
        Some(self.since(start, Node::Choice(Box::new([condition, one, other]))))
    }

    /// Operators that bind at least as strongly as `weakest`.
    fn binary(&mut self, weakest: u8) -> Option<Expression> {
        let (start, outer) = (self.at, self.depth);
        let mut left = self.unary()?;
        while let Some((len, operator)) = self.operator().filter(|(_, operator)| operator.strength() >= weakest) {
            self.enter()?;
            self.at += len;
            let right = self.binary(operator.strength() + 1)?;
            left = self.since(start, Node::Binary(operator, Box::new([left, right])));
        }
        self.depth = outer;
        Some(left)
    }

    /// The operator at this place, and how many tokens it has.
    fn operator(&self) -> Option<(usize, Binary)> {
        let (first, second) = (self.document.token(self.at)?, self.document.token(self.at + 1)?);
        if self.at + 1 >= self.end {
            return None;
        }
        let joined = first.end == second.start && self.at + 2 < self.end;
        let text = self.document.text().as_bytes().get(first.start as usize..second.end as usize)?;
        OPERATORS.iter().find_map(|&(spelling, operator)| {
            let spelled = spelling.as_bytes();
            let fits = text.starts_with(spelled) && (spelled.len() == 1 || joined);
            let is_operator = !matches!(first.kind, TokenKind::Ident | TokenKind::Number);
            (fits && is_operator).then_some((spelled.len(), operator))
        })
    }

    fn unary(&mut self) -> Option<Expression> {
        let start = self.at;
        let signs = [(b'!', Unary::Not), (b'-', Unary::Minus), (b'+', Unary::Plus), (b'~', Unary::Complement)];
        for (sign, operator) in signs {
            if self.takes(sign) {
                let outer = self.depth;
                self.enter()?;
                let operand = self.unary()?;
                self.depth = outer;
                return Some(self.since(start, Node::Unary(operator, Box::new(operand))));
            }
        }
        self.primary()
    }

    fn primary(&mut self) -> Option<Expression> {
        let start = self.at;
        if self.at >= self.end {
            return None;
        }
        if self.takes(b'(') {
            let inner = self.choice()?;
            let closed = self.takes(b')');
            return closed.then(|| self.since(start, inner.node));
        }
        let kind = self.document.token(start)?.kind;
        self.at += 1;
        match kind {
            TokenKind::Number => {
                let node = number(self.document.token_text(start)).map_or(Node::Other, Node::Number);
                Some(self.since(start, node))
            }
            TokenKind::Ident if self.document.token_text(start) == "defined" => self.defined(start),
            TokenKind::Ident if self.at < self.end && self.document.is(self.at, b'(') => {
                let (open, close) = (self.at, self.document.partner(self.at).filter(|&close| close < self.end)?);
                self.at = close + 1;
                let is_size = self.document.token_text(start) == "sizeof";
                let size = if is_size { size_of_type(self.document, open + 1..close) } else { None };
                Some(self.since(start, size.map_or(Node::Other, Node::Number)))
            }
            TokenKind::Ident => Some(self.since(start, Node::Name(start))),
            TokenKind::Char => Some(self.since(start, Node::Other)),
            _ => None,
        }
    }

    fn defined(&mut self, start: TokenIdx) -> Option<Expression> {
        let parenthesised = self.takes(b'(');
        let name = self.at;
        let is_name = name < self.end && self.document.token(name)?.kind == TokenKind::Ident;
        self.at += 1;
        let closed = !parenthesised || self.takes(b')');
        (is_name && closed).then(|| self.since(start, Node::Defined(name)))
    }

    fn since(&self, start: TokenIdx, node: Node) -> Expression {
        Expression { tokens: start..self.at, node }
    }
}

/// The value of an integer as the preprocessor reads it.
fn number(text: &str) -> Option<i64> {
    let digits: String = text.chars().filter(|&c| c != '\'').collect();
    let digits = digits.trim_end_matches(['u', 'U', 'l', 'L', 'z', 'Z']);
    let lower = digits.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0x") {
        return i64::from_str_radix(hex, 16).ok();
    }
    if let Some(binary) = lower.strip_prefix("0b") {
        return i64::from_str_radix(binary, 2).ok();
    }
    let octal = lower.len() > 1 && lower.starts_with('0');
    i64::from_str_radix(&lower, if octal { 8 } else { 10 }).ok()
}
