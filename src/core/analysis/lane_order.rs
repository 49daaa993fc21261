//! In which order the values of a file are followed: what reads a value is looked at again when the value changes.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::lane_kinds::LaneKinds;
use super::lanes::{Flow, Key, Scope};
use super::mask_width::{MaskWidth, width_of};
use super::name_ids::NameId;
use super::statements::Statement;
use crate::syntax::{Operand, OperandKind};

/// What is looked at in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The parameters of a function, which are known inside and outside of it.
    Parameters,
    /// The arguments of a template, wherever it is named.
    Template,
    /// The statement of this number.
    Statement(usize),
}

/// The parts of all scopes, one scope after the other.
#[derive(Debug, Default)]
struct Parts {
    /// Scope and part.
    all: Vec<(usize, Part)>,
    /// How many parts there are before each scope, and in all.
    starts: Vec<usize>,
    /// The parts that name something, in order.
    naming: FxHashMap<NameId, Vec<usize>>,
}

impl Flow<'_> {
    /// Joins kinds until nothing changes. They only grow, so it ends.
    pub(super) fn follow(&mut self) {
        let scopes = std::mem::take(&mut self.scopes);
        let parts = Parts::of(self, &scopes);
        let apart = self.narrow_overloads(&scopes);
        let mut waiting: VecDeque<usize> = (0..parts.all.len()).collect();
        let mut waits = vec![true; waiting.len()];
        let mut templates = FxHashSet::default();
        while let Some(number) = waiting.pop_front() {
            waits[number] = false;
            let (scope, part) = parts.all[number];
            self.changed.clear();
            self.look_at(&scopes[scope], part, (&apart, &mut templates));
            for key in std::mem::take(&mut self.changed) {
                for &reader in parts.reading(key) {
                    if !std::mem::replace(&mut waits[reader], true) {
                        waiting.push_back(reader);
                    }
                }
            }
        }
        self.scopes = scopes;
    }

    /// Parameters of 32 bits that have 64 in another overload, which takes the masks.
    fn narrow_overloads(&self, scopes: &[Scope]) -> FxHashSet<Key> {
        let widths: FxHashMap<Key, MaskWidth> =
            self.declared.iter().map(|found| (found.key, width_of(self.document, found.kind.clone()))).collect();
        let parameters = || {
            let named = scopes.iter().filter_map(|scope| Some((scope.name?, scope)));
            named.flat_map(|(name, scope)| {
                let locals = scope.parameters.iter().map(|&parameter| Key::Local(scope.number, parameter));
                locals.enumerate().map(move |(number, local)| ((name, number), local))
            })
        };
        let is_wide = |local: &Key| widths.get(local) == Some(&MaskWidth::Wide);
        let wide: FxHashSet<(NameId, usize)> =
            parameters().filter(|(_, local)| is_wide(local)).map(|(parameter, _)| parameter).collect();
        let is_narrow = |local: &Key| matches!(widths.get(local), Some(MaskWidth::Narrow(_)));
        parameters().filter(|(parameter, local)| is_narrow(local) && wide.contains(parameter)).map(|of| of.1).collect()
    }

    fn look_at(
        &mut self,
        scope: &Scope,
        part: Part,
        (apart, templates): (&FxHashSet<Key>, &mut FxHashSet<(NameId, usize)>),
    ) {
        match part {
            Part::Parameters => {
                let Some(name) = scope.name else { return };
                for (number, parameter) in scope.parameters.iter().enumerate() {
                    let local = Key::Local(scope.number, *parameter);
                    if !apart.contains(&local) {
                        self.join(Key::Parameter(name, number), local);
                    }
                }
            }
            Part::Template => {
                for (name, number) in self.masks_of_template(scope) {
                    if templates.insert((name, number)) {
                        for token in self.arguments_of(name, number) {
                            self.add(Key::Outer(self.id(token)), LaneKinds::MASK);
                        }
                    }
                }
            }
            Part::Statement(number) => self.propagate(scope, &scope.statements[number]),
        }
    }

    /// A mask in one of two places that share a value is a mask in the other.
    fn join(&mut self, one: Key, other: Key) {
        let kinds = LaneKinds { mask: self.holds_mask(one) || self.holds_mask(other), ..LaneKinds::default() };
        self.add(one, kinds);
        self.add(other, kinds);
    }
}

impl Parts {
    fn of(flow: &Flow<'_>, scopes: &[Scope]) -> Parts {
        let mut parts = Parts::default();
        for (number, scope) in scopes.iter().enumerate() {
            parts.starts.push(parts.all.len());
            parts.add(number, Part::Parameters, scope.name.iter().chain(&scope.parameters).copied());
            if !scope.template.is_empty() {
                parts.add(number, Part::Template, scope.template.iter().copied());
            }
            for (at, statement) in scope.statements.iter().enumerate() {
                parts.add(number, Part::Statement(at), names(flow, statement).into_iter());
            }
        }
        parts.starts.push(parts.all.len());
        parts
    }

    fn add(&mut self, scope: usize, part: Part, names: impl Iterator<Item = NameId>) {
        let number = self.all.len();
        self.all.push((scope, part));
        for name in names {
            let naming = self.naming.entry(name).or_default();
            if naming.last() != Some(&number) {
                naming.push(number);
            }
        }
    }

    /// The parts that may read a value.
    fn reading(&self, key: Key) -> &[usize] {
        let (Key::Local(_, name) | Key::Outer(name) | Key::Returned(name) | Key::Parameter(name, _)) = key;
        let naming = self.naming.get(&name).map_or(&[][..], Vec::as_slice);
        let Key::Local(scope, _) = key else { return naming };
        let place = |scope: usize| naming.partition_point(|part| *part < self.starts[scope]);
        naming.get(place(scope)..place(scope + 1)).unwrap_or_default()
    }
}

/// What the values of a statement name.
fn names(flow: &Flow<'_>, statement: &Statement) -> Vec<NameId> {
    let mut names = Vec::new();
    let mut add = |operand: &Operand| {
        operand.walk(&mut |part| {
            if let OperandKind::Name(name) | OperandKind::Member(_, name) | OperandKind::Call(name, _) = &part.kind {
                names.push(flow.id(*name));
            }
        });
    };
    match statement {
        Statement::Declaration(found) => {
            found.declarators.iter().filter_map(|declarator| declarator.value.as_ref()).for_each(&mut add);
        }
        Statement::Expression(operand) | Statement::Return(operand) => add(operand),
    }
    names
}
