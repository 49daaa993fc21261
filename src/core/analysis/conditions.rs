//! Conditional regions: which branches of which `#if` a place lies in, and what they test.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::expression::{Expression, Node};
use crate::syntax::{Directive, DirectiveKind, Document, TokenIdx};

/// The branches around a place, outermost first; each is the token index of the `#` that opened it.
pub type Region = Vec<TokenIdx>;

/// The region of each directive, in their order. An `#if` itself lies outside of its region.
pub fn regions(document: &Document) -> Vec<Region> {
    let mut open: Region = Vec::new();
    let mut regions = Vec::with_capacity(document.directives().len());
    for directive in document.directives() {
        match directive.kind {
            DirectiveKind::Elif | DirectiveKind::Else => {
                open.pop();
                regions.push(open.clone());
                open.push(directive.tokens.start);
            }
            DirectiveKind::Endif => {
                open.pop();
                regions.push(open.clone());
            }
            kind => {
                regions.push(open.clone());
                if kind.opens_condition() {
                    open.push(directive.tokens.start);
                }
            }
        }
    }
    regions
}

/// One branch of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The `#` of the directive that opens it.
    pub opened_by: TokenIdx,
    /// Its condition; `#else` has none.
    pub condition: Option<Expression>,
    /// The tokens between its directive and the next of the chain.
    pub body: Range<TokenIdx>,
}

/// The branches from an `#if` to its `#endif`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chain {
    /// In the order of the text.
    pub branches: Vec<Branch>,
}

/// All chains of a file, in the order of their `#endif`, and the numbers that its macros stand for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    chains: Vec<Chain>,
    /// `None` where two definitions differ.
    constants: FxHashMap<String, Option<i64>>,
}

impl Conditions {
    /// Reads the conditions of a file.
    pub fn of(document: &Document) -> Conditions {
        let mut chains = Vec::new();
        let mut open: Vec<Chain> = Vec::new();
        for directive in document.directives() {
            match directive.kind {
                DirectiveKind::If | DirectiveKind::Ifdef | DirectiveKind::Ifndef => open.push(Chain::default()),
                DirectiveKind::Elif | DirectiveKind::Else => {}
                DirectiveKind::Endif => {
                    if let Some(mut chain) = open.pop() {
                        chain.end_branch(directive.tokens.start);
                        chains.push(chain);
                    }
                    continue;
                }
                _ => continue,
            }
            if let Some(chain) = open.last_mut() {
                chain.start_branch(document, directive);
            }
        }
        // An `#if` without `#endif` reaches to the end of the file.
        while let Some(mut chain) = open.pop() {
            chain.end_branch(document.tokens().len());
            chains.push(chain);
        }
        Conditions { chains, constants: constants(document) }
    }

    /// The number that the file defines the macro `name` as, if all definitions agree.
    pub fn constant(&self, name: &str) -> Option<i64> {
        self.constants.get(name).copied().flatten()
    }

    /// All chains.
    pub fn chains(&self) -> &[Chain] {
        &self.chains
    }
}

impl Chain {
    fn start_branch(&mut self, document: &Document, directive: &Directive) {
        self.end_branch(directive.tokens.start);
        let condition = Expression::of(document, directive);
        let body = directive.tokens.end..directive.tokens.end;
        self.branches.push(Branch { opened_by: directive.tokens.start, condition, body });
    }

    fn end_branch(&mut self, at: TokenIdx) {
        if let Some(branch) = self.branches.last_mut() {
            branch.body.end = at;
        }
    }
}

/// Macros of the form `#define NAME 700`.
fn constants(document: &Document) -> FxHashMap<String, Option<i64>> {
    let mut constants = FxHashMap::default();
    for directive in document.directives().iter().filter(|directive| directive.kind == DirectiveKind::Define) {
        let name = directive.tokens.start + 2;
        // `#define F(x) …` takes arguments: no space stands before its parenthesis.
        let body = name + 1..directive.tokens.end.max(name + 1);
        let value = match Expression::read(document, body).node {
            Node::Number(value) => Some(value),
            _ => None,
        };
        let known = constants.entry(document.name(name).into_owned()).or_insert(value);
        if *known != value {
            *known = None;
        }
    }
    constants
}
