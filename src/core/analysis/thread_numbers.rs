//! Which values of device code are the number of a thread, or of a lane or warp of 32, by where they come from. What a name
//! sounds like says nothing here.

use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::constants::Constants;
use super::functions::{Function, Functions};
use super::lane_kinds::takes_mask;
use super::name_index::{Body, NameIndex};
use super::remembered::remembered;
use super::statements::{Statement, declaration, statements};
use super::unchanged::{is_shift_count, may_change};
use super::warp_words::is_shuffle;
use super::wave::SizePurpose;
use crate::syntax::{
    Arithmetic, BinaryOperator, Call, Directive, Document, MacroDefinition, Operand, OperandKind, OperatorKind,
    TokenIdx, is_type_word, split_arguments, words_in,
};

/// What a value counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadNumber {
    /// A thread within its block or grid.
    Thread,
    /// The threads of a block.
    Count,
    /// A lane among 32.
    Lane,
    /// A warp of 32 within its block.
    Warp,
}

/// A number, or the name of a constant, that cuts threads into warps of 32.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarpCut {
    /// Its tokens.
    pub tokens: Range<TokenIdx>,
    /// What it is for.
    pub purpose: SizePurpose,
}

/// Looks up where the values of one file come from.
#[derive(Debug)]
pub struct ThreadNumbers<'d> {
    pub(super) document: &'d Document,
    functions: &'d Functions,
    constants: Rc<Constants>,
    /// What names count, by where the function around them starts; what is being looked at counts nothing meanwhile.
    known: RefCell<FxHashMap<(TokenIdx, &'d str), Option<ThreadNumber>>>,
    bodies: RefCell<FxHashMap<TokenIdx, Rc<Body<'d>>>>,
    index: OnceCell<NameIndex<'d>>,
    cuts: RefCell<FxHashMap<TokenIdx, Rc<Vec<WarpCut>>>>,
    /// Where variables may change, by where the functions around them start.
    changes: RefCell<FxHashMap<(TokenIdx, String), Changes>>,
    /// How many names are being looked up, each for the one before.
    depth: Cell<u32>,
}

/// The uses of a variable that may change it.
type Changes = Rc<[TokenIdx]>;

/// Values that come from each other by more names than this are not followed.
const DEEPEST: u32 = 64;

impl<'d> ThreadNumbers<'d> {
    /// Prepares to look at a file; nothing is read yet.
    pub fn of(document: &'d Document, functions: &'d Functions, constants: Rc<Constants>) -> ThreadNumbers<'d> {
        ThreadNumbers {
            document,
            functions,
            constants,
            known: RefCell::default(),
            bodies: RefCell::default(),
            index: OnceCell::new(),
            cuts: RefCell::default(),
            changes: RefCell::default(),
            depth: Cell::new(0),
        }
    }

    /// The value of an expression, if it is a constant.
    pub fn constant(&self, tokens: Range<TokenIdx>) -> Option<i64> {
        self.constants.value(self.document, tokens)
    }

    /// What the expression that `tokens` in a function are counts.
    pub fn number(&self, tokens: Range<TokenIdx>, function: &Function) -> Option<ThreadNumber> {
        self.kind(&Operand::read(self.document, tokens), Some(function))
    }

    /// Whether a function declares a variable of this name.
    pub(super) fn is_declared(&self, name: &str, function: &Function) -> bool {
        self.body(function).declared.contains_key(name)
    }

    /// Where the variable or parameter of a function that has this name may change.
    pub fn changes_of(&self, name: &str, function: &Function) -> Changes {
        remembered(&self.changes, (function.body.start, name.to_owned()), || self.find_changes(name, function))
    }

    fn find_changes(&self, name: &str, function: &Function) -> Changes {
        let body = self.body(function);
        let declared = body.declared.get(name).into_iter().flatten();
        let declared: FxHashSet<TokenIdx> = declared.map(|declared| declared.name).collect();
        let is_use = |idx: &TokenIdx| !declared.contains(idx);
        // Device code has no streams to read from.
        let is_count = |idx: TokenIdx| function.runs_on_device() && is_shift_count(self.document, idx);
        let changes = |idx: &TokenIdx| may_change(self.document, *idx, false) && !self.is_passed_by_value(*idx);
        let uses = self.uses(name, function.body.clone()).filter(is_use);
        uses.filter(|&idx| !is_count(idx)).filter(changes).collect()
    }

    /// Whether the file defines a function of this name.
    pub(super) fn is_function(&self, name: &str) -> bool {
        self.index().functions.contains_key(name)
    }

    /// Where a function cuts threads into warps of 32, in the order of the text.
    pub fn cuts(&self, function: &Function) -> Rc<Vec<WarpCut>> {
        remembered(&self.cuts, function.body.start, || Rc::new(self.cuts_of(function)))
    }

    /// Where the macro that a directive defines cuts them.
    pub fn cuts_of_macro(&self, directive: &Directive) -> Vec<WarpCut> {
        let mut cuts = Vec::new();
        let Some(define) = MacroDefinition::of(self.document, directive) else { return cuts };
        for statement in statements(self.document, define.body) {
            if let Statement::Expression(operand) | Statement::Return(operand) = &statement {
                self.collect(operand, None, &mut cuts);
            }
        }
        cuts
    }

    fn cuts_of(&self, function: &Function) -> Vec<WarpCut> {
        let mut cuts = Vec::new();
        let distances = self.distances(function);
        for statement in &self.body(function).statements {
            match statement {
                Statement::Expression(operand) | Statement::Return(operand) => {
                    self.collect(operand, Some(function), &mut cuts);
                }
                Statement::Declaration(declared) => {
                    for declarator in &declared.declarators {
                        let Some(value) = &declarator.value else { continue };
                        self.collect(value, Some(function), &mut cuts);
                        let starts = distances.contains(self.document.token_text(declarator.name));
                        if starts && self.constant(value.tokens.clone()) == Some(16) {
                            cuts.push(WarpCut { tokens: value.tokens.clone(), purpose: SizePurpose::ReductionStart });
                        }
                    }
                }
            }
        }
        cuts.sort_by_key(|cut| cut.tokens.start);
        cuts
    }

    /// The names that shuffles of a function take for their distance.
    fn distances(&self, function: &Function) -> FxHashSet<&'d str> {
        let document = self.document;
        let shuffles = function.body.clone().filter(|&idx| is_shuffle(document.token_text(idx)));
        let distance = |idx: TokenIdx| {
            let masks = usize::from(document.token_text(idx).ends_with("_sync"));
            Call::at(document, idx)?.arguments.get(1 + masks).map(|&range| document.slice(range))
        };
        shuffles.filter_map(distance).collect()
    }

    fn collect(&self, operand: &Operand, function: Option<&Function>, cuts: &mut Vec<WarpCut>) {
        operand.walk(&mut |part| {
            if let OperandKind::Binary(operator, sides) = &part.kind {
                let [left, right] = &**sides;
                cuts.extend(self.cut(operator, left, right, function));
            }
        });
    }

    fn cut(
        &self,
        operator: &BinaryOperator,
        left: &Operand,
        right: &Operand,
        function: Option<&Function>,
    ) -> Option<WarpCut> {
        use ThreadNumber::{Count, Lane, Thread};
        let number = self.constant(right.tokens.clone()).filter(|number| matches!(number, 5 | 31 | 32))?;
        if operator.kind == OperatorKind::Assign(Some(Arithmetic::Add)) {
            let strides = number == 32 && self.starts_as_lane(left, function?);
            return strides.then(|| WarpCut { tokens: right.tokens.clone(), purpose: SizePurpose::LaneStride });
        }
        let kind = self.kind(left, function)?;
        let purpose = match (operator.kind, number, kind) {
            (OperatorKind::Arithmetic(Arithmetic::BitAnd), 31, Thread) => SizePurpose::LaneMask,
            (OperatorKind::Arithmetic(Arithmetic::Remainder | Arithmetic::Divide), 32, Thread | Count) => {
                SizePurpose::LaneCount
            }
            (OperatorKind::Arithmetic(Arithmetic::ShiftRight), 5, Thread | Count) => SizePurpose::LaneShift,
            (OperatorKind::Arithmetic(Arithmetic::Add), 31, Count) => SizePurpose::RoundUp,
            (OperatorKind::Logic, 32, Lane) => SizePurpose::LaneLimit,
            (OperatorKind::Logic, 31, Lane) => SizePurpose::LastLane,
            _ => return None,
        };
        Some(WarpCut { tokens: right.tokens.clone(), purpose })
    }

    pub(super) fn kind(&self, operand: &Operand, function: Option<&Function>) -> Option<ThreadNumber> {
        let document = self.document;
        match &operand.kind {
            OperandKind::Member(object, _) => match object.kind {
                OperandKind::Name(object) => coordinate(document.token_text(object)),
                _ => None,
            },
            OperandKind::Name(name) => self.name(*name, function),
            OperandKind::Cast(inner) => self.kind(inner, function),
            OperandKind::Call(name, arguments) => self.call(*name, arguments, function),
            OperandKind::Binary(BinaryOperator { kind: OperatorKind::Arithmetic(arithmetic), .. }, sides) => {
                self.arithmetic(*arithmetic, &sides[0], &sides[1], function)
            }
            _ => None,
        }
    }

    fn arithmetic(
        &self,
        arithmetic: Arithmetic,
        left: &Operand,
        right: &Operand,
        function: Option<&Function>,
    ) -> Option<ThreadNumber> {
        use ThreadNumber::{Count, Lane, Thread, Warp};
        let first = self.kind(left, function);
        let number = || self.constant(right.tokens.clone());
        match arithmetic {
            Arithmetic::Add => match (first, self.kind(right, function)) {
                (Some(Thread), _) | (_, Some(Thread)) => Some(Thread),
                (Some(Lane), _) => Some(Lane),
                (Some(Count), _) => Some(Count),
                _ => None,
            },
            Arithmetic::BitXor if first == Some(Lane) => Some(Lane),
            Arithmetic::BitAnd if first == Some(Thread) && number() == Some(31) => Some(Lane),
            Arithmetic::Remainder if first == Some(Thread) && number() == Some(32) => Some(Lane),
            Arithmetic::Divide if first == Some(Thread) && number() == Some(32) => Some(Warp),
            Arithmetic::ShiftRight if first == Some(Thread) && number() == Some(5) => Some(Warp),
            _ => None,
        }
    }

    fn call(&self, name: TokenIdx, arguments: &[Operand], function: Option<&Function>) -> Option<ThreadNumber> {
        let text = self.document.token_text(name);
        match arguments {
            [one] if is_type_word(text) => self.kind(one, function),
            // All lanes of a warp have its number, whichever of them gives it.
            [_, value, ..] if is_shuffle(text) && text.ends_with("_sync") => self.warp(value, function),
            [value, ..] if is_shuffle(text) => self.warp(value, function),
            _ => self.remembered((CALLED, text), || self.returned(text)),
        }
    }

    fn warp(&self, value: &Operand, function: Option<&Function>) -> Option<ThreadNumber> {
        self.kind(value, function).filter(|&kind| kind == ThreadNumber::Warp)
    }

    /// What a function of the file returns counts, if it has one `return`.
    fn returned(&self, name: &str) -> Option<ThreadNumber> {
        let (value, callee) = self.only_return(name)?;
        self.kind(&value, Some(callee))
    }

    /// What a function of the file returns, if it has one `return`, and the function.
    pub fn only_return(&self, name: &str) -> Option<(Operand, &'d Function)> {
        let callee = self.only_function(name)?;
        let body = self.body(callee);
        let mut values = body.statements.iter().filter_map(|statement| match statement {
            Statement::Return(operand) => Some(operand),
            _ => None,
        });
        let value = values.next()?.clone();
        if values.next().is_some() { None } else { Some((value, callee)) }
    }

    fn name(&self, name: TokenIdx, function: Option<&Function>) -> Option<ThreadNumber> {
        let text = self.document.token_text(name);
        let place = function.map_or(0, |function| function.body.start);
        let variable = || function.and_then(|function| self.variable(text, function));
        self.remembered((place, text), || variable().or_else(|| self.kind(&self.meaning(text)?, function)))
    }

    fn remembered(
        &self,
        key: (TokenIdx, &'d str),
        look: impl FnOnce() -> Option<ThreadNumber>,
    ) -> Option<ThreadNumber> {
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        let depth = self.depth.get();
        if depth > DEEPEST {
            return None;
        }
        self.known.borrow_mut().insert(key, None);
        self.depth.set(depth + 1);
        let found = look();
        self.depth.set(depth);
        self.known.borrow_mut().insert(key, found);
        found
    }

    /// What a variable or parameter of a function counts that keeps its first value.
    fn variable(&self, name: &'d str, function: &Function) -> Option<ThreadNumber> {
        let body = self.body(function);
        let declared = match body.declared.get(name).map(Vec::as_slice) {
            None => None,
            Some([declared]) => Some(declared),
            Some(_) => return None,
        };
        if !self.changes_of(name, function).is_empty() {
            return None;
        }
        match declared {
            Some(first) if first.is_compound => None,
            Some(first) => self.kind(first.value.as_ref()?, Some(function)),
            None => self.parameter(name, function),
        }
    }

    /// Whether the name at `idx` is an argument that a function of the file or of CUDA's for lanes takes by value.
    fn is_passed_by_value(&self, idx: TokenIdx) -> bool {
        let document = self.document;
        let by_value = || {
            let call = Call::around(document, idx)?;
            let place = call.arguments.iter().position(|&range| document.tokens_in(range) == (idx..idx + 1))?;
            let name = document.token_text(call.name);
            if takes_mask(name) && !self.is_function(name) {
                return Some(());
            }
            let callee = self.only_function(name)?;
            let open = callee.name? + 1;
            let parameters = split_arguments(document, open + 1..document.partner(open)?);
            let mut parameter = parameters.get(place)?.clone();
            (!parameter.any(|idx| document.is(idx, b'&'))).then_some(())
        };
        by_value().is_some()
    }

    /// Where a name stands among some tokens.
    pub fn uses(&self, name: &str, tokens: Range<TokenIdx>) -> impl Iterator<Item = TokenIdx> {
        words_in(self.document, name, tokens)
    }

    fn index(&self) -> &NameIndex<'d> {
        self.index.get_or_init(|| NameIndex::of(self.document, self.functions))
    }

    /// What all calls in the file give for a parameter.
    fn parameter(&self, name: &str, function: &Function) -> Option<ThreadNumber> {
        let mut given = None;
        for (argument, outer) in self.arguments_for(name, function)? {
            let kind = self.number(argument, outer)?;
            if given.is_some_and(|given| given != kind) {
                return None;
            }
            given = Some(kind);
        }
        given
    }

    /// What the calls in the file give for a parameter of a function, which alone has its name, and the functions that call; `None` if
    /// one gives nothing for it.
    pub fn arguments_for(&self, name: &str, function: &Function) -> Option<Vec<(Range<TokenIdx>, &'d Function)>> {
        let document = self.document;
        let callee = document.token_text(function.name?);
        let place = self.place_of_parameter(name, function)?;
        self.only_function(callee)?;
        let calls = self.uses(callee, 0..document.tokens().len()).filter(|idx| Some(*idx) != function.name);
        let calls = calls.filter_map(|idx| Some((idx, self.functions.around(idx)?)));
        let given = |(idx, outer): (TokenIdx, &'d Function)| {
            let argument = *Call::at(document, idx)?.arguments.get(place)?;
            Some((document.tokens_in(argument), outer))
        };
        calls.map(given).collect()
    }

    fn place_of_parameter(&self, name: &str, function: &Function) -> Option<usize> {
        let document = self.document;
        let open = function.name? + 1;
        let close = document.partner(open)?;
        let declares = |part: Range<TokenIdx>| {
            let declared = declaration(document, part)?;
            let [declarator] = declared.declarators.as_slice() else { return None };
            (!declarator.is_compound && document.token_text(declarator.name) == name).then_some(())
        };
        split_arguments(document, open + 1..close).into_iter().position(|part| declares(part).is_some())
    }

    /// What a macro without arguments stands for: `#define TID threadIdx.x`
    pub fn meaning(&self, name: &str) -> Option<Operand> {
        Some(Operand::read(self.document, self.index().macros.get(name)?.clone()?))
    }

    /// The function of the file that has this name alone.
    pub fn only_function(&self, name: &str) -> Option<&'d Function> {
        self.index().functions.get(name).copied().flatten()
    }

    pub(super) fn body(&self, function: &Function) -> Rc<Body<'d>> {
        remembered(&self.bodies, function.body.start, || Rc::new(Body::of(self.document, function)))
    }
}

/// In place of the function around a name: what the function of that name returns.
const CALLED: TokenIdx = TokenIdx::MAX;

/// What the members of CUDA's built-in variables count.
fn coordinate(object: &str) -> Option<ThreadNumber> {
    match object {
        "threadIdx" => Some(ThreadNumber::Thread),
        "blockDim" => Some(ThreadNumber::Count),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let functions = Functions::of(&document);
        let numbers = ThreadNumbers::of(&document, &functions, Rc::new(Constants::of(&document)));
        let cuts = functions
            .iter()
            .filter(|function| function.runs_on_device())
            .flat_map(|function| numbers.cuts(function).iter().cloned().collect::<Vec<_>>());
        let cuts = cuts.map(|cut| format!("{:?} {}", cut.purpose, document.slice(document.range_of(cut.tokens))));
        assert_eq!(cuts.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn numbers_of_threads_are_followed_by_value() {
        check("__device__ int f() { return threadIdx.x & 31; }", &["LaneMask 31"]);
        check("__device__ int f() { const int i = threadIdx.x; return i / 32; }", &["LaneCount 32"]);
        check(
            "#define W 32\n__device__ int f() { int i = threadIdx.y * 8 + threadIdx.x; return i % W; }",
            &["LaneCount W"],
        );
        check("#define T threadIdx.x\n__device__ int f() { return T >> 5; }", &["LaneShift 5"]);
        check("__device__ int f() { return (int)threadIdx.x % (2 * 16); }", &["LaneCount (2 * 16)"]);
        check("__device__ int f() { return (blockDim.x + 31) / 32; }", &["RoundUp 31", "LaneCount 32"]);
    }

    #[test]
    fn parameters_are_what_all_calls_give() {
        let callee = "__device__ int f(int n) { return n % 32; }\n";
        check(&format!("{callee}__global__ void k() {{ f(threadIdx.x); }}"), &["LaneCount 32"]);
        check(&format!("{callee}__global__ void k(int m) {{ f(threadIdx.x); f(m); }}"), &[]);
        check(callee, &[]);
        check(
            "__device__ int id() { return threadIdx.x; }\n__device__ int f() { return id() / 32; }",
            &["LaneCount 32"],
        );
        check("__device__ int f(int n) { return f(n) % 32; }", &[]);
    }

    #[test]
    fn lanes_are_compared_and_reductions_start() {
        check(
            "__device__ bool f() { int l = threadIdx.x % 32; return l + 1 < 32 && l != 31; }",
            &["LaneCount 32", "LaneLimit 32", "LastLane 31"],
        );
        check(
            "__device__ int f(int v) { for (int o = 16; o > 0; o /= 2) v += __shfl_down(v, o); return v; }",
            &["ReductionStart 16"],
        );
    }

    #[test]
    fn what_is_passed_by_value_keeps_its_value() {
        let kernel = "__global__ void k() { int l = threadIdx.x & 31; f(1, l); if (l == 31) f(2, l); }";
        check(&format!("__device__ void f(int v, int lane);\n{kernel}"), &["LaneMask 31"]);
        check(&format!("__device__ void f(int v, int lane) {{}}\n{kernel}"), &["LaneMask 31", "LastLane 31"]);
        check(&format!("__device__ void f(int v, int &lane) {{}}\n{kernel}"), &["LaneMask 31"]);
    }

    #[test]
    fn names_and_what_changes_say_nothing() {
        check("__device__ int f(int tid, int lane) { return tid / 32 + (lane & 31); }", &[]);
        check("__device__ int f(int n) { int i = threadIdx.x; i = n; return i / 32; }", &[]);
        check("__device__ int f(int n) { for (int o = 16; o > 0; o /= 2) n += o; return n; }", &[]);
        check("int f(int n) { return n / 32; }", &[]);
    }
}
