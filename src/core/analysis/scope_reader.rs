//! Reads the scopes of a file: its braces in their order, and what macros open.

use std::ops::Range;

use super::functions::ends_access_specifier;
use super::heads::{Head, end_of_branch};
use super::scope_kinds::{Kind, argument, kind_of};
use super::scope_macros::{Opened, ScopeMacros};
use crate::syntax::{Document, TokenIdx, TokenKind};

/// A pair of braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) kind: Kind,
    /// The name of a namespace, class or `enum class`.
    pub(super) name: Option<Range<TokenIdx>>,
    /// The tokens before the brace that belong to it.
    pub(super) head: Range<TokenIdx>,
    /// The tokens from brace to brace.
    pub(super) body: Range<TokenIdx>,
    /// The number of the scope around it.
    pub(super) parent: Option<usize>,
}

/// The scopes of a file, in the order of their opening braces.
pub(super) fn read(document: &Document) -> Vec<Scope> {
    let mut reader = Reader::new(document);
    let mut idx = 0;
    while idx < document.tokens().len() {
        idx = reader.read(idx);
    }
    reader.scopes
}

/// Reads a file from its first token to its last.
struct Reader<'d> {
    document: &'d Document,
    macros: ScopeMacros,
    scopes: Vec<Scope>,
    /// The scopes around the place that was reached.
    open: Vec<usize>,
    /// Where the statement or declaration begins that is read.
    head: Head,
    /// The parentheses of a loop hold semicolons and belong to its head.
    loop_end: TokenIdx,
    /// The brackets around the place that was reached, with where the argument begins that is read in each.
    brackets: Vec<(TokenIdx, TokenIdx)>,
    /// The ends of braces that initialise a member, or stand in an argument, with the head that goes on behind them.
    going_on: Vec<(TokenIdx, TokenIdx)>,
}

impl<'d> Reader<'d> {
    fn new(document: &'d Document) -> Reader<'d> {
        let macros = ScopeMacros::of(document);
        let (scopes, open, brackets, going_on) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Reader { document, macros, scopes, open, head: Head::default(), loop_end: 0, brackets, going_on }
    }

    /// Reads the token at `idx` and says which is next.
    fn read(&mut self, idx: TokenIdx) -> TokenIdx {
        let document = self.document;
        while self.open.last().is_some_and(|&number| self.scopes[number].body.end <= idx) {
            self.open.pop();
        }
        self.follow_brackets(idx);
        match document.kind(idx) {
            Some(TokenKind::Hash) => {
                let is_in_parentheses = self.brackets.last().is_some_and(|(open, _)| document.is(*open, b'('));
                return self.head.pass_directive(document, idx, is_in_parentheses);
            }
            Some(TokenKind::Punct(b';')) if idx < self.loop_end => {}
            Some(TokenKind::Punct(b';')) => self.head.start_at(idx + 1),
            Some(TokenKind::Punct(b'}')) => {
                let goes_on = self.going_on.pop_if(|(end, _)| *end <= idx).filter(|(end, _)| *end == idx);
                self.head.start_at(goes_on.map_or(idx + 1, |(_, head)| head));
            }
            Some(TokenKind::Punct(b'(')) if idx > 0 && is_control(document.token_text(idx - 1)) => {
                self.loop_end = document.partner(idx).unwrap_or(self.loop_end);
            }
            Some(TokenKind::Punct(b':')) if ends_access_specifier(document, idx) => self.head.start_at(idx + 1),
            Some(TokenKind::Punct(b'{')) => self.open_brace(idx),
            Some(TokenKind::Ident) if idx == self.head.start => self.read_macro(idx),
            _ => {}
        }
        idx + 1
    }

    /// Keeps the brackets that the token at `idx` stands in.
    fn follow_brackets(&mut self, idx: TokenIdx) {
        let document = self.document;
        while self.brackets.pop_if(|(open, _)| document.partner(*open).is_none_or(|close| close <= idx)).is_some() {}
        match document.kind(idx) {
            Some(TokenKind::Punct(b'(' | b'{')) => self.brackets.push((idx, idx + 1)),
            Some(TokenKind::Punct(b',')) => {
                if let Some((_, from)) = self.brackets.last_mut() {
                    *from = idx + 1;
                }
            }
            _ => {}
        }
    }

    fn open_brace(&mut self, idx: TokenIdx) {
        let document = self.document;
        let close = document.partner(idx).filter(|&close| close > idx);
        let body = idx..close.map_or_else(|| end_of_branch(document, idx), |close| close + 1);
        let within = self.start_within_head(idx, close);
        let head = within.unwrap_or(self.head.start)..idx;
        let (kind, name) = kind_of(document, head.clone(), &self.macros);
        self.push(Scope { kind, name, head, body, parent: None });
        if let Some(close) = close.filter(|_| within.is_some()) {
            self.going_on.push((close, self.head.start));
        }
        self.head.start_at(idx + 1);
    }

    /// Where the head begins of braces that are part of another head, which goes on behind them.
    fn start_within_head(&self, idx: TokenIdx, close: Option<TokenIdx>) -> Option<TokenIdx> {
        let document = self.document;
        // What stands in parentheses of a head, or in those of a template, has a head of its own.
        let around = self.brackets.iter().rev().nth(1).filter(|(open, _)| document.is(*open, b'('));
        if let Some((_, from)) = around {
            return Some(*from);
        }
        if self.head.is_in_template(document, idx) {
            return Some(idx);
        }
        if let Some(requires) = requires_before(document, idx) {
            return Some(requires);
        }
        // `S::S(int a) : b{a} {`, `-> A<B{1}> {`
        let goes_on = |close: TokenIdx| matches!(document.token_text(close + 1), "," | "{" | "." | ">");
        let initialises = || (self.head.start..idx).any(|at| document.is(at, b'('));
        let is_block = || kind_of(document, self.head.start..idx, &self.macros).0 == Kind::Block;
        let is_member = close.is_some_and(goes_on) && follows_name(document, idx) && initialises() && is_block();
        is_member.then_some(idx)
    }

    fn push(&mut self, scope: Scope) {
        self.scopes.push(Scope { parent: self.open.last().copied(), ..scope });
        self.open.push(self.scopes.len() - 1);
    }

    /// A macro at the start of a declaration may open namespaces, or close them.
    fn read_macro(&mut self, idx: TokenIdx) {
        let document = self.document;
        let word = document.token_text(idx);
        let opened = self.macros.opened(word).to_vec();
        let closed = self.macros.closed(word);
        let after = document.partner(idx + 1).filter(|_| document.is(idx + 1, b'(')).map_or(idx + 1, |close| close + 1);
        for opened in &opened {
            let name = match opened {
                Opened::Named(name) => Some(name.clone()),
                Opened::Argument(number) => argument(document, idx, *number),
                Opened::Unnamed => None,
            };
            let kind = if name.is_some() { Kind::Namespace } else { Kind::Transparent };
            let body = idx..document.tokens().len();
            self.push(Scope { kind, name, head: idx..idx, body, parent: None });
        }
        for _ in 0..closed {
            // Braces end where their partners stand.
            let Some(&number) = self.open.last() else { break };
            if document.is(self.scopes[number].body.start, b'{') {
                break;
            }
            self.scopes[number].body.end = idx;
            self.open.pop();
        }
        if closed > 0 || !opened.is_empty() {
            self.head.start_at(after);
        }
    }
}

/// The `requires` whose braces open at `open`: `requires {`, `requires(T a) {`.
fn requires_before(document: &Document, open: TokenIdx) -> Option<TokenIdx> {
    let last = open.checked_sub(1)?;
    let parameters = document.partner(last).filter(|&first| document.is(last, b')') && first < last);
    let keyword = parameters.map_or(Some(last), |first| first.checked_sub(1))?;
    (document.token_text(keyword) == "requires").then_some(keyword)
}

/// Whether a name, or the end of a template's arguments, stands before the brace at `idx`.
fn follows_name(document: &Document, idx: TokenIdx) -> bool {
    let before = idx.checked_sub(1).and_then(|before| document.kind(before));
    matches!(before, Some(TokenKind::Ident | TokenKind::Punct(b'>')))
}

pub(super) fn is_control(word: &str) -> bool {
    matches!(word, "for" | "if" | "switch" | "while" | "catch")
}
