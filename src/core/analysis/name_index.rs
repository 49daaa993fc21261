//! Where the names of a file stand, and what its functions declare.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::functions::{Function, Functions};
use super::statements::{Declarator, Statement, statements};
use crate::syntax::{DirectiveKind, Document, Operand, OperandKind, OperatorKind, TokenIdx};

/// What a function holds.
#[derive(Debug)]
pub(super) struct Body<'d> {
    pub(super) statements: Vec<Statement>,
    /// What is declared, by name, in the order of the text.
    pub(super) declared: FxHashMap<&'d str, Vec<Declarator>>,
    /// Which statements give variables another value with `=`, by name, in the order of the text.
    pub(super) assigned: FxHashMap<&'d str, Vec<usize>>,
}

/// Where names stand in a file.
#[derive(Debug, Default)]
pub(super) struct NameIndex<'d> {
    /// Functions by name, those that have it alone.
    pub(super) functions: FxHashMap<&'d str, Option<&'d Function>>,
    /// What macros stand for that are defined once.
    pub(super) macros: FxHashMap<&'d str, Option<Range<TokenIdx>>>,
}

impl<'d> NameIndex<'d> {
    pub(super) fn of(document: &'d Document, functions: &'d Functions) -> NameIndex<'d> {
        let mut index = NameIndex::default();
        for function in functions.iter() {
            let Some(name) = function.name else { continue };
            index
                .functions
                .entry(document.token_text(name))
                .and_modify(|known| *known = None)
                .or_insert(Some(function));
        }
        for directive in document.directives().iter().filter(|directive| directive.kind == DirectiveKind::Define) {
            let (name, body) = (directive.tokens.start + 2, directive.tokens.start + 3..directive.tokens.end);
            let defined = index.macros.entry(document.token_text(name));
            defined.and_modify(|known| *known = None).or_insert(Some(body));
        }
        index
    }
}

impl<'d> Body<'d> {
    pub(super) fn of(document: &'d Document, function: &Function) -> Body<'d> {
        let statements = statements(document, function.body.clone());
        let mut declared: FxHashMap<&str, Vec<Declarator>> = FxHashMap::default();
        for statement in &statements {
            let Statement::Declaration(found) = statement else { continue };
            for declarator in &found.declarators {
                declared.entry(document.token_text(declarator.name)).or_default().push(declarator.clone());
            }
        }
        for known in declared.values_mut() {
            known.sort_by_key(|declarator| declarator.name);
        }
        let mut assigned: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (number, statement) in statements.iter().enumerate() {
            if let Some((name, _)) = assignment(statement) {
                assigned.entry(document.token_text(name)).or_default().push(number);
            }
        }
        for known in assigned.values_mut() {
            known.sort_by_key(|&number| assignment(&statements[number]).map(|(name, _)| name));
        }
        Body { statements, declared, assigned }
    }
}

/// The variable that a statement gives a value with `=`, and the value.
pub(super) fn assignment(statement: &Statement) -> Option<(TokenIdx, &Operand)> {
    let Statement::Expression(Operand { kind: OperandKind::Binary(operator, sides), .. }) = statement else {
        return None;
    };
    let OperandKind::Name(name) = sides[0].kind else { return None };
    (operator.kind == OperatorKind::Assign(None)).then_some((name, &sides[1]))
}
