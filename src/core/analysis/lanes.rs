//! Which variables, parameters, members and results hold lane masks, by following values through
//! the file: what ballots return, what masks are passed as, what is computed from either.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::functions::{Function, Functions};
use super::heads::template_head_end;
use super::lane_kinds::{LaneKinds, gives_mask, is_own, takes_mask};
use super::mask_bits::{cuts_32_lanes, starts_half, tests_bit};
use super::name_ids::{NameId, Names};
use super::statements::{Declaration, Statement, declaration, statements};
use crate::syntax::{
    Arithmetic, DirectiveKind, Document, Operand, OperandKind, OperatorKind, TokenIdx, TokenKind, split_arguments,
};

/// Functions of a project that return lane masks or take them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MaskFunctions {
    /// Functions that return one.
    pub returned: FxHashSet<String>,
    /// Functions and the numbers of parameters that are one, from 0.
    pub parameters: FxHashSet<(String, usize)>,
}

impl MaskFunctions {
    /// Adds what another file knows.
    pub fn extend(&mut self, other: MaskFunctions) {
        self.returned.extend(other.returned);
        self.parameters.extend(other.parameters);
    }
}

/// What holds a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// A variable or parameter of the function or macro with this number.
    Local(usize, NameId),
    /// A member, global variable or macro.
    Outer(NameId),
    /// What a function returns.
    Returned(NameId),
    /// A parameter of a function, by number.
    Parameter(NameId, usize),
}

/// A function or macro body with its statements; one more scope holds what stands outside of all.
#[derive(Debug)]
pub(super) struct Scope {
    /// Its number.
    pub(super) number: usize,
    /// The function or macro.
    pub(super) name: Option<NameId>,
    /// Names of its parameters, in order.
    pub(super) parameters: Vec<NameId>,
    /// Names of its template parameters, in order.
    pub(super) template: Vec<NameId>,
    /// Variables that it declares.
    locals: FxHashSet<NameId>,
    pub(super) statements: Vec<Statement>,
}

/// Something declared, with the tokens of its type.
#[derive(Debug, Clone)]
pub(super) struct Declared {
    pub(super) key: Key,
    pub(super) name: TokenIdx,
    pub(super) kind: Range<TokenIdx>,
    pub(super) is_compound: bool,
    /// Others that are declared with it share the type.
    pub(super) others: Vec<TokenIdx>,
}

/// The flow of lane masks through a file.
#[derive(Debug)]
pub(super) struct Flow<'d> {
    pub(super) document: &'d Document,
    pub(super) scopes: Vec<Scope>,
    pub(super) declared: Vec<Declared>,
    kinds: FxHashMap<Key, LaneKinds>,
    /// What has other kinds than it had.
    pub(super) changed: Vec<Key>,
    pub(super) names: Names,
    /// Where shifts start that make bits of bitmaps.
    bitmaps: FxHashSet<TokenIdx>,
}

impl<'d> Flow<'d> {
    /// Follows the values of a file; `known` tells about functions of other files. Where masks are to be told in a file that `is_hip`,
    /// bits of bitmaps are none; where they are converted, all numbers of lanes change together.
    pub(super) fn of(
        document: &'d Document,
        functions: &Functions,
        (known, is_hip): (&MaskFunctions, bool),
    ) -> Flow<'d> {
        let names = Names::of(document);
        let (scopes, declared, changed) = (Vec::new(), Vec::new(), Vec::new());
        let (kinds, bitmaps) = (FxHashMap::default(), FxHashSet::default());
        let mut flow = Flow { document, scopes, declared, kinds, changed, names, bitmaps };
        for name in &known.returned {
            let name = flow.names.number(name);
            flow.add(Key::Returned(name), LaneKinds::MASK);
        }
        for (name, number) in &known.parameters {
            let name = flow.names.number(name);
            flow.add(Key::Parameter(name, *number), LaneKinds::MASK);
        }
        for function in functions.iter() {
            flow.add_function(function);
        }
        for directive in document.directives().iter().filter(|directive| directive.kind == DirectiveKind::Define) {
            flow.add_macro(directive.tokens.clone());
        }
        flow.add_outside(functions);
        if is_hip {
            flow.bitmaps = flow.bits_of_bitmaps();
        }
        flow.follow();
        flow
    }

    /// What other files can know of this one.
    pub(super) fn mask_functions(&self) -> MaskFunctions {
        let mut found = MaskFunctions::default();
        for (key, _) in self.kinds.iter().filter(|(_, kinds)| kinds.mask) {
            match key {
                Key::Returned(name) => {
                    found.returned.insert(self.names.text(*name));
                }
                Key::Parameter(name, number) => {
                    found.parameters.insert((self.names.text(*name), *number));
                }
                Key::Local(..) | Key::Outer(_) => {}
            }
        }
        found
    }

    /// Whether what is declared holds a lane mask.
    pub(super) fn is_mask(&self, declared: &Declared) -> bool {
        self.holds_mask(declared.key)
    }

    /// Whether a variable or parameter of a scope holds a lane mask.
    pub(super) fn local_is_mask(&self, scope: &Scope, name: NameId) -> bool {
        self.holds_mask(Key::Local(scope.number, name))
    }

    pub(super) fn holds_mask(&self, key: Key) -> bool {
        self.kinds.get(&key).is_some_and(|kinds| kinds.mask)
    }

    /// Whether the parameter number `parameter`, from 0, of the function that the token names takes
    /// a lane mask.
    pub(super) fn takes_mask(&self, function: TokenIdx, parameter: usize) -> bool {
        self.holds_mask(Key::Parameter(self.id(function), parameter))
    }

    /// Whether a scope is a function that returns a lane mask, or a macro that stands for one.
    pub(super) fn gives_mask(&self, scope: &Scope) -> bool {
        scope.name.is_some_and(|name| self.holds_mask(Key::Returned(name)) || self.holds_mask(Key::Outer(name)))
    }

    pub(super) fn add(&mut self, key: Key, kinds: LaneKinds) {
        if kinds != LaneKinds::default() {
            let known = self.kinds.entry(key).or_default();
            let joined = known.or(kinds);
            if std::mem::replace(known, joined) != joined {
                self.changed.push(key);
            }
        }
    }

    pub(super) fn id(&self, token: TokenIdx) -> NameId {
        self.names.of_tokens.get(token).copied().unwrap_or_default()
    }

    fn add_function(&mut self, function: &Function) {
        let number = self.scopes.len();
        let Some(name_token) = function.name else { return };
        let name = self.id(name_token);
        let mut scope = Scope {
            number,
            name: Some(name),
            parameters: Vec::new(),
            template: Vec::new(),
            locals: FxHashSet::default(),
            statements: statements(self.document, function.body.clone()),
        };
        self.declare(Key::Returned(name), name_token, function.head.start..name_token, false);
        self.add_template_parameters(function.head.clone(), &mut scope);
        self.add_parameters(name_token, &mut scope);
        self.declare_locals(&mut scope);
        self.scopes.push(scope);
    }

    /// `template <unsigned Mask>`
    fn add_template_parameters(&mut self, head: Range<TokenIdx>, scope: &mut Scope) {
        let document = self.document;
        let Some(keyword) = head.clone().find(|&idx| document.token_text(idx) == "template") else { return };
        let close = template_head_end(document, keyword + 1, head.end);
        for part in split_arguments(document, keyword + 2..close) {
            let found = declaration(document, part);
            let declarator = found.as_ref().and_then(|found| found.declarators.first());
            let name = declarator.map_or_else(NameId::default, |declarator| self.id(declarator.name));
            scope.template.push(name);
            if let (Some(found), Some(declarator)) = (&found, declarator) {
                scope.locals.insert(name);
                self.declare(Key::Local(scope.number, name), declarator.name, found.kind.clone(), false);
            }
        }
    }

    fn add_parameters(&mut self, name: TokenIdx, scope: &mut Scope) {
        let document = self.document;
        let Some(close) = document.partner(name + 1).filter(|&close| close > name) else { return };
        for part in split_arguments(document, name + 2..close) {
            let declared = declaration(document, part);
            let declarator = declared.as_ref().and_then(|declaration| declaration.declarators.first());
            let (Some(declaration), Some(declarator)) = (&declared, declarator) else {
                scope.parameters.push(NameId::default());
                continue;
            };
            let parameter = self.id(declarator.name);
            scope.locals.insert(parameter);
            scope.parameters.push(parameter);
            let key = Key::Local(scope.number, parameter);
            self.declare(key, declarator.name, declaration.kind.clone(), declarator.is_compound);
        }
    }

    fn add_macro(&mut self, tokens: Range<TokenIdx>) {
        let document = self.document;
        let name = tokens.start + 2;
        let (Some(token), Some(next)) = (document.token(name), document.token(name + 1)) else { return };
        let takes_arguments = next.is(b'(') && token.end == next.start;
        let close = document.partner(name + 1).filter(|&close| takes_arguments && close < tokens.end);
        let parameters = close.map(|close| split_arguments(document, name + 2..close)).unwrap_or_default();
        let parameters: Vec<NameId> = parameters.into_iter().map(|part| self.id(part.start)).collect();
        let body = close.unwrap_or(name) + 1..tokens.end;
        let mut scope = Scope {
            number: self.scopes.len(),
            name: Some(self.id(name)),
            locals: parameters.iter().copied().collect(),
            parameters,
            template: Vec::new(),
            statements: statements(document, body.clone()),
        };
        // A macro that is one expression has its value, with arguments or without.
        if let [Statement::Expression(_)] = scope.statements.as_slice() {
            scope.statements = vec![Statement::Return(Operand::read(document, body))];
        }
        self.declare_locals(&mut scope);
        self.scopes.push(scope);
    }

    /// Members, global variables and prototypes.
    fn add_outside(&mut self, functions: &Functions) {
        let document = self.document;
        let mut at = 0;
        let mut outside = Vec::new();
        for function in functions.iter() {
            outside.extend(statements(document, at..function.head.start.max(at)));
            at = function.body.end;
        }
        outside.extend(statements(document, at..document.tokens().len()));
        for statement in &outside {
            let Statement::Declaration(found) = statement else { continue };
            for declarator in &found.declarators {
                let name = self.id(declarator.name);
                if document.is(declarator.name + 1, b'(') {
                    self.declare(Key::Returned(name), declarator.name, found.kind.clone(), false);
                    self.add_prototype(declarator.name, name);
                } else {
                    self.declare_variable(Key::Outer(name), declarator.name, found);
                }
            }
        }
        let scope = Scope {
            number: self.scopes.len(),
            name: None,
            parameters: Vec::new(),
            template: Vec::new(),
            locals: FxHashSet::default(),
            statements: outside,
        };
        self.scopes.push(scope);
    }

    fn add_prototype(&mut self, token: TokenIdx, name: NameId) {
        let document = self.document;
        let Some(close) = document.partner(token + 1).filter(|&close| close > token) else { return };
        for (number, part) in split_arguments(document, token + 2..close).into_iter().enumerate() {
            let Some(found) = declaration(document, part) else { continue };
            if let Some(declarator) = found.declarators.first() {
                let key = Key::Parameter(name, number);
                self.declare(key, declarator.name, found.kind.clone(), declarator.is_compound);
            }
        }
    }

    fn declare_locals(&mut self, scope: &mut Scope) {
        for statement in &scope.statements {
            let Statement::Declaration(found) = statement else { continue };
            for declarator in &found.declarators {
                let name = self.id(declarator.name);
                scope.locals.insert(name);
                self.declare_variable(Key::Local(scope.number, name), declarator.name, found);
            }
        }
    }

    fn declare_variable(&mut self, key: Key, name: TokenIdx, found: &Declaration) {
        let others =
            found.declarators.iter().map(|declarator| declarator.name).filter(|&other| other != name).collect();
        let is_compound = found.declarators.iter().any(|declarator| declarator.name == name && declarator.is_compound);
        self.declared.push(Declared { key, name, kind: found.kind.clone(), is_compound, others });
    }

    fn declare(&mut self, key: Key, name: TokenIdx, kind: Range<TokenIdx>, is_compound: bool) {
        self.declared.push(Declared { key, name, kind, is_compound, others: Vec::new() });
    }

    fn key_of(&self, scope: &Scope, name: TokenIdx) -> Key {
        let name = self.id(name);
        if scope.locals.contains(&name) { Key::Local(scope.number, name) } else { Key::Outer(name) }
    }

    /// Where the value of an expression that can be assigned to is held.
    fn place(&self, scope: &Scope, operand: &Operand) -> Option<Key> {
        match &operand.kind {
            OperandKind::Name(name) => Some(self.key_of(scope, *name)),
            OperandKind::Member(_, name) => Some(Key::Outer(self.id(*name))),
            OperandKind::Index(parts) => self.place(scope, &parts[0]),
            OperandKind::Unary(sign, inner) if self.document.is(*sign, b'*') || self.document.is(*sign, b'&') => {
                self.place(scope, inner)
            }
            OperandKind::Cast(inner) => self.place(scope, inner),
            _ => None,
        }
    }

    /// Follows the values of one statement.
    pub(super) fn propagate(&mut self, scope: &Scope, statement: &Statement) {
        match statement {
            Statement::Declaration(found) => {
                for declarator in &found.declarators {
                    let Some(value) = &declarator.value else { continue };
                    let kinds = self.kinds_of(scope, value);
                    self.add(self.key_of(scope, declarator.name), kinds);
                    self.visit(scope, value);
                }
            }
            Statement::Expression(operand) => self.visit(scope, operand),
            Statement::Return(operand) => {
                let kinds = self.kinds_of(scope, operand);
                if let Some(name) = scope.name {
                    self.add(Key::Returned(name), kinds);
                    self.add(Key::Outer(name), kinds);
                }
                self.visit(scope, operand);
            }
        }
    }

    /// Assignments and calls within an expression.
    fn visit(&mut self, scope: &Scope, operand: &Operand) {
        let mut assigned = Vec::new();
        operand.walk(&mut |inner| match &inner.kind {
            OperandKind::Binary(operator, parts) => {
                let keeps = matches!(
                    operator.kind,
                    OperatorKind::Assign(None | Some(Arithmetic::BitOr | Arithmetic::BitAnd | Arithmetic::BitXor))
                );
                if keeps && let Some(place) = self.place(scope, &parts[0]) {
                    assigned.push((place, self.kinds_of(scope, &parts[1])));
                }
            }
            OperandKind::Call(name, arguments) => {
                let function = self.document.token_text(*name);
                for (number, argument) in arguments.iter().enumerate() {
                    let Some(place) = self.place(scope, argument) else { continue };
                    let parameter = Key::Parameter(self.id(*name), number);
                    let is_mask = (number == 0 && takes_mask(function)) || self.takes_mask(*name, number);
                    if is_mask {
                        assigned.push((place, LaneKinds::MASK));
                    } else if is_own(function) && self.kinds_of(scope, argument).mask {
                        assigned.push((parameter, LaneKinds::MASK));
                    }
                }
            }
            _ => {}
        });
        for (place, kinds) in assigned {
            self.add(place, kinds);
        }
    }

    /// What the value of an expression is about.
    pub(super) fn kinds_of(&self, scope: &Scope, operand: &Operand) -> LaneKinds {
        let of = |inner: &Operand| self.kinds_of(scope, inner);
        match &operand.kind {
            OperandKind::Name(name) => self.kinds_of_name(scope, *name),
            OperandKind::Member(object, name) => match &object.kind {
                OperandKind::Name(object) if self.document.token_text(*object) == "threadIdx" => LaneKinds::THREAD,
                _ => self.kinds.get(&Key::Outer(self.id(*name))).copied().unwrap_or_default(),
            },
            OperandKind::Call(name, arguments) => self.kinds_of_call(scope, *name, arguments),
            OperandKind::Index(parts) => of(&parts[0]),
            OperandKind::Unary(sign, inner) if !self.document.is(*sign, b'!') => of(inner),
            OperandKind::Cast(inner) => of(inner),
            OperandKind::Choice(parts) => of(&parts[1]).or(of(&parts[2])),
            OperandKind::Binary(operator, parts) => {
                let [left, right] = &**parts;
                match operator.kind {
                    OperatorKind::Arithmetic(arithmetic) => self.kinds_of_arithmetic(arithmetic, left, right, &of),
                    OperatorKind::Assign(_) | OperatorKind::Comma => of(right),
                    OperatorKind::Logic => LaneKinds::default(),
                }
            }
            OperandKind::Unary(..) | OperandKind::Number(_) | OperandKind::Other => LaneKinds::default(),
        }
    }

    fn kinds_of_name(&self, scope: &Scope, name: TokenIdx) -> LaneKinds {
        let known = self.kinds.get(&self.key_of(scope, name)).copied().unwrap_or_default();
        let spelt = self.document.token_text(name).to_ascii_lowercase();
        // Names tell what parameters of helper functions are: `int lane`, `laneId`.
        let lane = spelt.contains("lane") && !spelt.contains("lanes") && !spelt.contains("mask");
        LaneKinds { lane: known.lane || lane, ..known }
    }

    fn kinds_of_call(&self, scope: &Scope, name: TokenIdx, arguments: &[Operand]) -> LaneKinds {
        let function = self.document.token_text(name);
        let masks = usize::from(takes_mask(function));
        match function {
            _ if gives_mask(function) => LaneKinds::MASK,
            "__lane_id" => LaneKinds::LANE,
            "min" | "max" => arguments.iter().fold(LaneKinds::default(), |all, one| all.or(self.kinds_of(scope, one))),
            _ if function.starts_with("__shfl") => {
                arguments.get(masks).map(|value| self.kinds_of(scope, value)).unwrap_or_default()
            }
            _ => self.kinds.get(&Key::Returned(self.id(name))).copied().unwrap_or_default(),
        }
    }

    fn kinds_of_arithmetic(
        &self,
        arithmetic: Arithmetic,
        left: &Operand,
        right: &Operand,
        of: &dyn Fn(&Operand) -> LaneKinds,
    ) -> LaneKinds {
        let (first, second) = (of(left), of(right));
        let mask = LaneKinds { mask: first.mask, ..LaneKinds::default() };
        match arithmetic {
            Arithmetic::BitAnd if cuts_32_lanes(self.document, left, right) || tests_bit(self.document, right) => {
                LaneKinds::default()
            }
            Arithmetic::ShiftRight if starts_half(self.document, right) => LaneKinds::default(),
            Arithmetic::BitAnd if first.thread && self.is_wave_size(right, "31") => LaneKinds::LANE,
            Arithmetic::Remainder if first.thread && self.is_wave_size(right, "32") => LaneKinds::LANE,
            Arithmetic::BitAnd | Arithmetic::BitOr | Arithmetic::BitXor => {
                LaneKinds { mask: first.mask || second.mask, ..LaneKinds::default() }
            }
            Arithmetic::ShiftLeft if self.bitmaps.contains(&left.tokens.start) => LaneKinds::default(),
            Arithmetic::ShiftLeft if matches!(left.kind, OperandKind::Number(_)) && second.lane => LaneKinds::MASK,
            Arithmetic::ShiftLeft | Arithmetic::ShiftRight | Arithmetic::Subtract => mask,
            Arithmetic::Add => LaneKinds { thread: first.thread || second.thread, ..LaneKinds::default() },
            Arithmetic::Multiply | Arithmetic::Divide | Arithmetic::Remainder => LaneKinds::default(),
        }
    }

    /// Whether an operand is `number`, in hexadecimal as well, or made from `warpSize`.
    fn is_wave_size(&self, operand: &Operand, number: &str) -> bool {
        let document = self.document;
        let of_wave = |token: TokenIdx| {
            let text = document.token_text(token).to_ascii_lowercase();
            let digits = text.trim_end_matches(['u', 'l']);
            digits == number || (digits == "0x1f" && number == "31") || text.contains("warp")
        };
        operand
            .tokens
            .clone()
            .any(|token| matches!(document.kind(token), Some(TokenKind::Number | TokenKind::Ident)) && of_wave(token))
    }
}
