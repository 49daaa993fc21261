//! Reads the scopes of a file: its braces in their order, and what macros open.

use std::ops::Range;

use super::functions::ends_access_specifier;
use super::scope_kinds::{Kind, argument, kind_of};
use super::scope_macros::{Opened, ScopeMacros};
use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind};

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
    head: TokenIdx,
    /// The parentheses of a loop hold semicolons and belong to its head.
    loop_end: TokenIdx,
    /// The end of braces that initialise a member, or are an argument: the head goes on behind them.
    goes_on: TokenIdx,
}

impl<'d> Reader<'d> {
    fn new(document: &'d Document) -> Reader<'d> {
        let macros = ScopeMacros::of(document);
        Reader { document, macros, scopes: Vec::new(), open: Vec::new(), head: 0, loop_end: 0, goes_on: 0 }
    }

    /// Reads the token at `idx` and says which is next.
    fn read(&mut self, idx: TokenIdx) -> TokenIdx {
        let document = self.document;
        while self.open.last().is_some_and(|&number| self.scopes[number].body.end <= idx) {
            self.open.pop();
        }
        match document.kind(idx) {
            Some(TokenKind::Hash) => {
                self.head = document.directive_of(idx).map_or(idx + 1, |directive| directive.tokens.end);
                return self.head;
            }
            Some(TokenKind::Punct(b';')) if idx < self.loop_end => {}
            Some(TokenKind::Punct(b'}')) if idx == self.goes_on => {}
            Some(TokenKind::Punct(b';' | b'}')) => self.head = idx + 1,
            Some(TokenKind::Punct(b'(')) if idx > 0 && is_control(document.token_text(idx - 1)) => {
                self.loop_end = document.partner(idx).unwrap_or(self.loop_end);
            }
            Some(TokenKind::Punct(b':')) if ends_access_specifier(document, idx) => self.head = idx + 1,
            Some(TokenKind::Punct(b'{')) => self.open_brace(idx),
            Some(TokenKind::Ident) if idx == self.head => self.read_macro(idx),
            _ => {}
        }
        idx + 1
    }

    fn open_brace(&mut self, idx: TokenIdx) {
        let document = self.document;
        let close = document.partner(idx).filter(|&close| close > idx);
        let body = idx..close.map_or_else(|| end_of_branch(document, idx), |close| close + 1);
        let (kind, name) = kind_of(document, self.head..idx, &self.macros);
        self.push(Scope { kind, name, head: self.head..idx, body, parent: None });
        // `S::S(int a) : b{a} {`
        let initialises = || (self.head..idx).any(|at| document.is(at, b'('));
        match close.filter(|&close| document.is(close + 1, b',') || document.is(close + 1, b'{')) {
            Some(close) if kind == Kind::Block && follows_name(document, idx) && initialises() => self.goes_on = close,
            _ => self.head = idx + 1,
        }
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
            self.head = after;
        }
    }
}

/// Whether a name, or the end of a template's arguments, stands before the brace at `idx`.
fn follows_name(document: &Document, idx: TokenIdx) -> bool {
    let before = idx.checked_sub(1).and_then(|before| document.kind(before));
    matches!(before, Some(TokenKind::Ident | TokenKind::Punct(b'>')))
}

/// Where the branch of the preprocessor ends that holds a brace without a partner: the other branches open one, too, and the
/// brace behind them closes the last of these.
fn end_of_branch(document: &Document, idx: TokenIdx) -> TokenIdx {
    let mut depth = 0;
    let directives = document.directives();
    let after = directives.partition_point(|directive| directive.tokens.start < idx);
    for directive in &directives[after..] {
        match directive.kind {
            DirectiveKind::Else | DirectiveKind::Elif | DirectiveKind::Endif if depth == 0 => {
                return directive.tokens.start;
            }
            DirectiveKind::Endif => depth -= 1,
            kind if kind.opens_condition() => depth += 1,
            _ => {}
        }
    }
    document.tokens().len()
}

pub(super) fn is_control(word: &str) -> bool {
    matches!(word, "for" | "if" | "switch" | "while" | "catch")
}
