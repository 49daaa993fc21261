//! Conditional regions: which branches of which `#if` a place lies in, and what they test.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::expression::{Expression, Node};
use crate::syntax::{Directive, DirectiveKind, Document, TokenIdx};

/// The branches around a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// How many there are.
    pub depth: usize,
    /// The token index of the `#` that opened the innermost.
    pub opener: Option<TokenIdx>,
    /// Where the innermost ends.
    pub end: TokenIdx,
}

/// The region of each directive, in their order. An `#if` itself lies outside of its region.
pub fn regions(document: &Document) -> Vec<Region> {
    let end = document.tokens().len();
    // The branches that are open, by their places among all.
    let mut open: Vec<usize> = Vec::new();
    let mut branches: Vec<(TokenIdx, TokenIdx)> = Vec::new();
    let mut places = Vec::with_capacity(document.directives().len());
    for directive in document.directives() {
        let opens = directive.kind.opens_condition();
        let goes_on = matches!(directive.kind, DirectiveKind::Elif | DirectiveKind::Else);
        if (goes_on || directive.kind == DirectiveKind::Endif)
            && let Some(branch) = open.pop().and_then(|ended| branches.get_mut(ended))
        {
            branch.1 = directive.tokens.start;
        }
        places.push((open.len(), open.last().copied()));
        if opens || goes_on {
            open.push(branches.len());
            branches.push((directive.tokens.start, end));
        }
    }
    let region = |(depth, innermost): (usize, Option<usize>)| {
        let innermost = innermost.and_then(|number| branches.get(number));
        Region { depth, opener: innermost.map(|branch| branch.0), end: innermost.map_or(end, |branch| branch.1) }
    };
    places.into_iter().map(region).collect()
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
    /// From which token on which `#` is the last to have opened a branch that goes on, in the order of the text.
    innermost: Vec<(TokenIdx, Option<TokenIdx>)>,
    /// `None` where two definitions differ.
    constants: FxHashMap<String, Option<i64>>,
}

impl Conditions {
    /// Reads the conditions of a file.
    pub fn of(document: &Document) -> Conditions {
        let mut chains = Vec::new();
        let mut open: Vec<Chain> = Vec::new();
        let mut innermost = Vec::new();
        for directive in document.directives() {
            match directive.kind {
                DirectiveKind::If | DirectiveKind::Ifdef | DirectiveKind::Ifndef => open.push(Chain::default()),
                DirectiveKind::Elif | DirectiveKind::Else => {}
                DirectiveKind::Endif => {
                    if let Some(mut chain) = open.pop() {
                        chain.end_branch(directive.tokens.start);
                        chains.push(chain);
                        innermost.push((directive.tokens.start, open.last().and_then(Chain::opened_by)));
                    }
                    continue;
                }
                _ => continue,
            }
            let outer = open.len().checked_sub(2).and_then(|outer| open.get(outer)).and_then(Chain::opened_by);
            if let Some(chain) = open.last_mut() {
                chain.start_branch(document, directive);
                innermost.extend([(directive.tokens.start, outer), (directive.tokens.end, chain.opened_by())]);
            }
        }
        // An `#if` without `#endif` reaches to the end of the file.
        while let Some(mut chain) = open.pop() {
            chain.end_branch(document.tokens().len());
            chains.push(chain);
        }
        Conditions { chains, innermost, constants: constants(document) }
    }

    /// The number that the file defines the macro `name` as, if all definitions agree.
    pub fn constant(&self, name: &str) -> Option<i64> {
        self.constants.get(name).copied().flatten()
    }

    /// The `#` that opened the innermost branch around a token.
    pub fn opener_around(&self, idx: TokenIdx) -> Option<TokenIdx> {
        let after = self.innermost.partition_point(|(from, _)| *from <= idx);
        self.innermost.get(after.checked_sub(1)?)?.1
    }

    /// All chains.
    pub fn chains(&self) -> &[Chain] {
        &self.chains
    }
}

impl Chain {
    /// The bodies of the branches that a compiler skips; `truth` says whether a condition holds for it, as far as that is known.
    pub fn skipped(&self, truth: impl Fn(&Expression) -> Option<bool>) -> Vec<Range<TokenIdx>> {
        let mut skipped = Vec::new();
        let mut is_taken = false;
        for branch in &self.branches {
            let holds = branch.condition.as_ref().and_then(&truth);
            if is_taken || holds == Some(false) {
                skipped.push(branch.body.clone());
            }
            is_taken |= holds == Some(true);
        }
        skipped
    }

    /// The `#` of the last branch.
    fn opened_by(&self) -> Option<TokenIdx> {
        self.branches.last().map(|branch| branch.opened_by)
    }

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
