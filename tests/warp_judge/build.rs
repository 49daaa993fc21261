//! Puts kernels together.

use std::collections::BTreeSet;

use crate::ast::{
    Array, ArrayInfo, Bits, COUNTERS, Expr, Fun, Function, Group, IN, Kernel, Launch, Makes, OUT, Space, Special, Stmt,
    Var, VarInfo, Warp, int,
};
use crate::rng::Rng;
use crate::spell::Style;
use crate::value::{Op, Ty};

/// A kernel that is being made.
pub(crate) struct Build<'r> {
    pub(crate) rng: &'r mut Rng,
    pub(crate) kernel: Kernel,
    pub(crate) style: Style,
    scopes: Vec<Vec<Stmt>>,
    names: BTreeSet<String>,
    /// The number of the thread in the launch.
    pub(crate) index: Expr,
    /// The number of the thread in its block.
    pub(crate) thread: Expr,
}

fn array(name: &str, ty: Ty, space: Space) -> ArrayInfo {
    ArrayInfo { name: name.to_owned(), ty, len: 0, len_text: String::new(), space }
}

impl<'r> Build<'r> {
    /// An empty kernel.
    pub(crate) fn new(rng: &'r mut Rng, name: String, launch: Launch) -> Self {
        let mut counters = array("counters", Ty::Uint, Space::Counters);
        counters.len = (launch.blocks * launch.threads().div_ceil(32)) as usize + 1;
        let arrays = vec![array("out", Ty::Uint, Space::Out), array("in", Ty::Int, Space::In), counters];
        let kernel = Kernel {
            name,
            kinds: Vec::new(),
            vars: Vec::new(),
            arrays,
            groups: Vec::new(),
            functions: Vec::new(),
            prelude: Vec::new(),
            in_header: false,
            in_namespace: false,
            alias: "cg".to_owned(),
            alias_in_header: false,
            body: Vec::new(),
            launch,
            regions: 0,
        };
        let names = ["out", "in", "n", "pitch", "counters", "k"].map(str::to_owned).into();
        let nothing = int(0);
        let style = Style::default();
        Self { rng, kernel, style, scopes: vec![Vec::new()], names, index: nothing.clone(), thread: nothing }
    }

    /// The finished kernel.
    pub(crate) fn done(mut self) -> Kernel {
        self.kernel.body = self.scopes.pop().unwrap();
        self.kernel
    }

    /// A name of the program: no other kernel has it.
    pub(crate) fn global_name(&mut self, name: &str) -> String {
        let suffix = self.kernel.name.trim_start_matches(|letter: char| !letter.is_ascii_digit()).to_owned();
        self.name(&format!("{name}{suffix}"))
    }

    /// A name that is not used yet in this kernel.
    pub(crate) fn name(&mut self, name: &str) -> String {
        let mut found = name.to_owned();
        let mut number = 1;
        while !self.names.insert(found.clone()) {
            number += 1;
            found = format!("{name}{number}");
        }
        found
    }

    pub(crate) fn push(&mut self, stmt: Stmt) {
        self.scopes.last_mut().unwrap().push(stmt);
    }

    /// Whether declarations stand in the whole kernel.
    pub(crate) fn at_top(&self) -> bool {
        self.scopes.len() == 1
    }

    /// What a closure adds, as a block.
    pub(crate) fn block(&mut self, body: impl FnOnce(&mut Self)) -> Vec<Stmt> {
        self.scopes.push(Vec::new());
        body(self);
        self.scopes.pop().unwrap()
    }

    /// A variable that is not declared yet.
    pub(crate) fn var(&mut self, name: &str, ty: Ty) -> Var {
        let name = self.name(name);
        self.var_named(name, ty)
    }

    /// A variable with a name that may be taken, or be no name: `s.mask`.
    pub(crate) fn var_named(&mut self, name: String, ty: Ty) -> Var {
        let spelled = match ty {
            Ty::Uint => self.rng.pick(&["unsigned", "unsigned int", "unsigned", "uint32_t"]),
            other => other.name(),
        };
        self.kernel.vars.push(VarInfo { name, ty, spelled: spelled.to_owned() });
        self.kernel.vars.len() - 1
    }

    /// Declares a variable.
    pub(crate) fn let_(&mut self, name: &str, ty: Ty, value: Expr) -> Var {
        let var = self.var(name, ty);
        let before = if self.rng.chance(15) { "const " } else { "" };
        self.push(Stmt::Let(var, value, before));
        var
    }

    /// Declares a variable that will change.
    pub(crate) fn let_mut(&mut self, name: &str, ty: Ty, value: Expr) -> Var {
        let var = self.var(name, ty);
        self.push(Stmt::Let(var, value, ""));
        var
    }

    /// Declares a variable and gives its value.
    pub(crate) fn value(&mut self, name: &str, ty: Ty, value: Expr) -> Expr {
        Expr::Var(self.let_(name, ty, value))
    }

    pub(crate) fn if_(&mut self, condition: Expr, body: impl FnOnce(&mut Self)) {
        let body = self.block(body);
        self.push(Stmt::If(condition, body, Vec::new()));
    }

    /// A shared array of so many elements.
    pub(crate) fn shared(&mut self, name: &str, ty: Ty, len: usize, len_text: String) -> Array {
        let name = self.name(name);
        self.kernel.arrays.push(ArrayInfo { name, ty, len, len_text, space: Space::Shared });
        self.kernel.arrays.len() - 1
    }

    /// Declares a group.
    pub(crate) fn group(&mut self, name: &str, spelled: &str, makes: Makes, key: Option<Expr>) -> Group {
        let name = self.name(name);
        let spelled = if self.rng.chance(50) { "auto" } else { spelled };
        self.kernel.groups.push((name, spelled.to_owned()));
        let group = self.kernel.groups.len() - 1;
        self.push(Stmt::Group(group, makes, key));
        group
    }

    /// Adds a function; its body is what the closure pushes, its result what that gives.
    pub(crate) fn function(
        &mut self,
        name: &str,
        ty: Ty,
        params: &[(&str, Ty)],
        body: impl FnOnce(&mut Self, &[Expr]) -> Expr,
    ) -> Fun {
        let name = self.global_name(name);
        let params: Vec<Var> = params.iter().map(|(name, ty)| self.var_named((*name).to_owned(), *ty)).collect();
        let arguments: Vec<Expr> = params.iter().map(|param| Expr::Var(*param)).collect();
        let outside = (std::mem::replace(&mut self.thread, self.kernel.launch.thread()), self.style.lane.take());
        self.scopes.push(Vec::new());
        let result = body(self, &arguments);
        let body = self.scopes.pop().unwrap();
        (self.thread, self.style.lane) = outside;
        self.kernel.functions.push(Function { name, params, body, result, ty, generic: None, count: None });
        self.kernel.functions.len() - 1
    }

    /// Adds a definition before the functions.
    pub(crate) fn define(&mut self, text: String) {
        self.kernel.prelude.push(text);
    }

    /// A macro that stands for an expression.
    pub(crate) fn macro_of(&mut self, name: &str, expr: Expr) -> Expr {
        let name = self.global_name(name);
        let text = crate::print::Printer::new(&self.kernel).expr(&expr);
        self.define(format!("#define {name} ({text})"));
        Expr::As(Box::new(expr), name)
    }

    /// Where the thread finds its value.
    pub(crate) fn input(&self) -> Expr {
        Expr::Load(IN, Box::new(self.index.clone()))
    }

    /// Declares a value of the thread.
    pub(crate) fn data(&mut self, ty: Ty) -> Var {
        let raw = self.input();
        let value = match ty {
            Ty::Int if self.rng.chance(30) => raw - int(40),
            Ty::Int => raw,
            Ty::Uint => {
                raw.cast(Ty::Uint) * Expr::Const(crate::value::Value::Uint(2_654_435_761), "2654435761u".into())
            }
            Ty::Long => raw * Expr::Const(crate::value::Value::Long(1_000_000_007), "1000000007LL".into()),
            Ty::Ulong => raw * Expr::Const(crate::value::Value::Ulong(10_000_000_019), "10000000019ULL".into()),
            Ty::Float => raw * Expr::Const(crate::value::Value::Float(0.5), "0.5f".into()),
            Ty::Double => raw * Expr::Const(crate::value::Value::Double(0.25), "0.25".into()),
        };
        let name = self.rng.pick(&["v", "value", "x", "val", "mine", "sum"]);
        self.let_mut(name, ty, value)
    }

    /// A condition that some threads fulfil.
    pub(crate) fn condition(&mut self) -> Expr {
        let raw = self.input();
        match self.rng.below(8) {
            4 => (raw & int(1)).bits(Bits::Not),
            5 => raw.clone().op(Op::Greater, int(20)).op(Op::Both, raw.less(int(70))),
            6 => raw.clone().less(int(12)).op(Op::Either, raw.op(Op::Greater, int(60))),
            0 => raw.less(int(50)),
            1 => (raw & int(1)).op(Op::Unequal, int(0)),
            2 => (raw % int(3)).equal(int(0)),
            3 => raw & int(1),
            _ => raw.op(Op::Greater, int(20)),
        }
    }

    /// A number as a word of the results.
    fn word(value: Expr, ty: Ty) -> Expr {
        use crate::value::Value::{Double, Float, Long, Ulong};
        match ty {
            Ty::Uint => value,
            Ty::Int => value.cast(Ty::Uint),
            Ty::Long => (value % Expr::Const(Long(1_000_003), "1000003LL".into())).cast(Ty::Uint),
            Ty::Ulong => (value % Expr::Const(Ulong(1_000_003), "1000003ULL".into())).cast(Ty::Uint),
            Ty::Float => (value * Expr::Const(Float(4.0), "4.0f".into())).cast(Ty::Int).cast(Ty::Uint),
            Ty::Double => (value * Expr::Const(Double(4.0), "4.0".into())).cast(Ty::Int).cast(Ty::Uint),
        }
    }

    /// Another region of the results.
    pub(crate) fn region(&mut self) -> usize {
        self.kernel.regions += 1;
        self.kernel.regions - 1
    }

    /// Stores a result of the thread.
    pub(crate) fn out(&mut self, value: Expr, ty: Ty) {
        let region = self.region();
        let index = self.index.clone();
        self.out_at(region, index, value, ty);
    }

    /// Stores a result at a place of a region.
    pub(crate) fn out_at(&mut self, region: usize, index: Expr, value: Expr, ty: Ty) {
        let index = match region {
            0 => index,
            1 => Expr::Special(Special::Pitch) + index,
            _ => int(i32::try_from(region).unwrap()) * Expr::Special(Special::Pitch) + index,
        };
        self.push(Stmt::Store(OUT, index, Self::word(value, ty)));
    }

    /// Adds to a counter.
    pub(crate) fn add(&mut self, at: Expr, value: Expr, before: Option<Var>) {
        self.push(Stmt::AtomicAdd(COUNTERS, at, value, before));
    }
}

/// A call about the warp.
pub(crate) fn warp(kind: Warp, arguments: &[Expr]) -> Expr {
    Expr::Warp(kind, arguments.to_vec())
}
