//! Writes kernels as CUDA.

use std::fmt::Write as _;

use crate::ast::{Bits, Expr, Function, Kernel, Makes, OfGroup, Space, Special, Stmt, Var, Warp};
use crate::value::Ty;

/// Binds stronger than every operator.
const ATOM: u8 = 13;
const UNARY: u8 = 12;

/// Writes parts of one kernel.
pub(crate) struct Printer<'k> {
    kernel: &'k Kernel,
    generic: Option<Ty>,
    depth: usize,
    out: String,
}

fn special(special: Special) -> &'static str {
    match special {
        Special::ThreadX => "threadIdx.x",
        Special::ThreadY => "threadIdx.y",
        Special::BlockX => "blockIdx.x",
        Special::DimX => "blockDim.x",
        Special::DimY => "blockDim.y",
        Special::Count => "n",
        Special::Pitch => "pitch",
        // The others stand in functions only, which `Expr::As` names.
        _ => "?",
    }
}

fn warp(kind: Warp) -> &'static str {
    match kind {
        Warp::Shfl => "__shfl_sync",
        Warp::ShflUp => "__shfl_up_sync",
        Warp::ShflDown => "__shfl_down_sync",
        Warp::ShflXor => "__shfl_xor_sync",
        Warp::Ballot => "__ballot_sync",
        Warp::Any => "__any_sync",
        Warp::All => "__all_sync",
        Warp::ActiveMask => "__activemask",
        Warp::MatchAny => "__match_any_sync",
        Warp::ReduceAdd => "__reduce_add_sync",
        Warp::ReduceMin => "__reduce_min_sync",
        Warp::ReduceMax => "__reduce_max_sync",
        Warp::ReduceAnd => "__reduce_and_sync",
        Warp::ReduceOr => "__reduce_or_sync",
        Warp::ReduceXor => "__reduce_xor_sync",
    }
}

fn bits(function: Bits) -> &'static str {
    match function {
        Bits::Popc => "__popc",
        Bits::Ffs => "__ffs",
        Bits::Clz => "__clz",
        Bits::Brev => "__brev",
        Bits::PopcLong => "__popcll",
        Bits::FfsLong => "__ffsll",
        Bits::Not => "!",
        Bits::Complement => "~",
    }
}

/// The text before the arguments of a call about a group, and the text behind them.
fn of_group(call: OfGroup, group: &str) -> (String, &'static str) {
    let member = |name: &str| (format!("{group}.{name}("), ")");
    let reduce = |operation: &'static str| (format!("cg::reduce({group}, "), operation);
    match call {
        OfGroup::Size => member("size"),
        OfGroup::Rank => member("thread_rank"),
        OfGroup::MetaSize => member("meta_group_size"),
        OfGroup::MetaRank => member("meta_group_rank"),
        OfGroup::Shfl => member("shfl"),
        OfGroup::ShflUp => member("shfl_up"),
        OfGroup::ShflDown => member("shfl_down"),
        OfGroup::ShflXor => member("shfl_xor"),
        OfGroup::Any => member("any"),
        OfGroup::All => member("all"),
        OfGroup::Ballot => member("ballot"),
        OfGroup::MatchAny => member("match_any"),
        OfGroup::ReducePlus => reduce(", cg::plus<int>())"),
        OfGroup::ReduceLess => reduce(", cg::less<int>())"),
        OfGroup::ReduceGreater => reduce(", cg::greater<int>())"),
        OfGroup::ReduceXor => reduce(", cg::bit_xor<int>())"),
        OfGroup::InclusiveScan => (format!("cg::inclusive_scan({group}, "), ", cg::plus<int>())"),
        OfGroup::ExclusiveScan => (format!("cg::exclusive_scan({group}, "), ", cg::plus<int>())"),
    }
}

/// How strongly a spelling binds.
fn strength(text: &str) -> u8 {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "_:.[]".contains(letter);
    let is_call = text.ends_with(')') && text.split_once('(').is_some_and(|(name, _)| name.chars().all(is_word));
    match text.strip_prefix(['-', '~']) {
        _ if text.chars().all(is_word) || (is_call && !text.starts_with('(')) => ATOM,
        Some(rest) if rest.chars().all(is_word) => UNARY,
        _ => 0,
    }
}

impl<'k> Printer<'k> {
    pub(crate) fn new(kernel: &'k Kernel) -> Self {
        Self { kernel, generic: None, depth: 0, out: String::new() }
    }

    fn ty(&self, ty: Ty) -> &'static str {
        if self.generic == Some(ty) { "T" } else { ty.name() }
    }

    /// An expression on its own.
    pub(crate) fn expr(&self, expr: &Expr) -> String {
        self.at(expr, 0)
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.expr(expr)).collect::<Vec<_>>().join(", ")
    }

    /// An expression where operators of a strength surround it.
    fn at(&self, expr: &Expr, strength: u8) -> String {
        let (text, own) = self.with_strength(expr);
        if own < strength { format!("({text})") } else { text }
    }

    fn with_strength(&self, expr: &Expr) -> (String, u8) {
        let text = match expr {
            Expr::Const(_, text) | Expr::As(_, text) => return (text.clone(), strength(text)),
            Expr::Var(var) => self.kernel.vars[*var].name.clone(),
            Expr::Special(name) => special(*name).to_owned(),
            Expr::Binary(op, a, b) => {
                let (name, own) = op.text();
                return (format!("{} {name} {}", self.at(a, own), self.at(b, own + 1)), own);
            }
            Expr::Cast(ty, inner) => return (format!("({}){}", self.ty(*ty), self.at(inner, UNARY)), UNARY),
            Expr::Select(condition, yes, no) => {
                return (format!("{} ? {} : {}", self.at(condition, 1), self.at(yes, 1), self.at(no, 0)), 0);
            }
            Expr::Warp(kind, arguments) => format!("{}({})", warp(*kind), self.list(arguments)),
            Expr::MatchAll(mask, value, var) => {
                let name = &self.kernel.vars[*var].name;
                format!("__match_all_sync({}, {}, &{name})", self.expr(mask), self.expr(value))
            }
            Expr::Bits(function @ (Bits::Not | Bits::Complement), inner) => {
                return (format!("{}{}", bits(*function), self.at(inner, UNARY)), UNARY);
            }
            Expr::Bits(function, inner) => format!("{}({})", bits(*function), self.expr(inner)),
            Expr::Load(array, index) => format!("{}[{}]", self.kernel.arrays[*array].name, self.expr(index)),
            Expr::Call(function, arguments) => self.call(*function, arguments),
            Expr::Group(call, group, arguments) => {
                let (before, behind) = of_group(*call, &self.kernel.groups[*group].0);
                format!("{before}{}{behind}", self.list(arguments))
            }
        };
        (text, ATOM)
    }

    fn call(&self, function: usize, arguments: &[Expr]) -> String {
        let function = &self.kernel.functions[function];
        let count = function.count.as_ref().map(|(_, count)| format!("<{}>", self.at(count, 9)));
        format!("{}{}({})", function.name, count.unwrap_or_default(), self.list(arguments))
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(self.depth));
    }

    fn block(&mut self, head: &str, body: &[Stmt], tail: &str) {
        self.line(head);
        self.depth += 1;
        for stmt in body {
            self.stmt(stmt);
        }
        self.depth -= 1;
        self.line(tail);
    }

    fn declared(&self, var: Var) -> String {
        let var = &self.kernel.vars[var];
        let spelled = if self.generic == Some(var.ty) { "T" } else { &var.spelled };
        format!("{spelled} {}", var.name)
    }

    /// A statement as it stands in the head of a loop, too.
    fn plain(&self, stmt: &Stmt) -> String {
        match stmt {
            Stmt::Let(var, value, before) => format!("{before}{} = {}", self.declared(*var), self.expr(value)),
            Stmt::Set(var, value) => format!("{} = {}", self.kernel.vars[*var].name, self.expr(value)),
            Stmt::Update(var, op, value) => {
                format!("{} {}= {}", self.kernel.vars[*var].name, op.text().0, self.expr(value))
            }
            Stmt::Store(array, index, value) => {
                format!("{}[{}] = {}", self.kernel.arrays[*array].name, self.expr(index), self.expr(value))
            }
            Stmt::AtomicAdd(array, index, value, var) => {
                let before = var.map_or(String::new(), |var| format!("{} = ", self.kernel.vars[var].name));
                let array = &self.kernel.arrays[*array].name;
                format!("{before}atomicAdd(&{array}[{}], {})", self.expr(index), self.expr(value))
            }
            Stmt::SyncWarp(mask) => {
                format!("__syncwarp({})", mask.as_ref().map(|mask| self.expr(mask)).unwrap_or_default())
            }
            Stmt::SyncThreads => "__syncthreads()".to_owned(),
            Stmt::SyncGroup(group) => format!("{}.sync()", self.kernel.groups[*group].0),
            Stmt::Group(group, makes, key) => self.group(*group, *makes, key.as_ref()),
            _ => "return".to_owned(),
        }
    }

    fn group(&self, group: usize, makes: Makes, key: Option<&Expr>) -> String {
        let name = |group: usize| self.kernel.groups[group].0.as_str();
        let key = key.map(|key| self.expr(key)).unwrap_or_default();
        let value = match makes {
            Makes::Block => "cg::this_thread_block()".to_owned(),
            Makes::Tile(size, of) => format!("cg::tiled_partition<{size}>({})", name(of)),
            Makes::Coalesced => "cg::coalesced_threads()".to_owned(),
            Makes::Binary(of) => format!("cg::binary_partition({}, {key})", name(of)),
            Makes::Labeled(of) => format!("cg::labeled_partition({}, {key})", name(of)),
        };
        format!("{} {} = {value}", self.kernel.groups[group].1, name(group))
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Raw(text) => self.line(text),
            Stmt::If(condition, yes, no) => {
                let head = format!("if ({}) {{", self.expr(condition));
                self.block(&head, yes, if no.is_empty() { "}" } else { "} else {" });
                if !no.is_empty() {
                    self.depth += 1;
                    for stmt in no {
                        self.stmt(stmt);
                    }
                    self.depth -= 1;
                    self.line("}");
                }
            }
            Stmt::For(var, first, condition, step, body) => {
                let (declared, step) = (self.declared(*var), self.plain(step));
                let head = format!("for ({declared} = {}; {}; {step}) {{", self.expr(first), self.expr(condition));
                self.block(&head, body, "}");
            }
            Stmt::While(condition, body) => {
                let head = format!("while ({}) {{", self.expr(condition));
                self.block(&head, body, "}");
            }
            other => {
                let text = format!("{};", self.plain(other));
                self.line(&text);
            }
        }
    }

    fn function(&mut self, function: &Function) {
        self.generic = function.generic;
        let mut template = Vec::new();
        template.extend(function.generic.map(|_| "typename T".to_owned()));
        template.extend(function.count.as_ref().map(|(var, _)| self.declared(*var)));
        if !template.is_empty() {
            self.line(&format!("template <{}>", template.join(", ")));
        }
        let params: Vec<String> = function.params.iter().map(|param| self.declared(*param)).collect();
        let qualifiers = if template.is_empty() { "static __device__ __forceinline__" } else { "__device__" };
        let head = format!("{qualifiers} {} {}({}) {{", self.ty(function.ty), function.name, params.join(", "));
        let tail = format!("    return {};\n}}", self.expr(&function.result));
        self.block(&head, &function.body, &tail);
        self.generic = None;
    }

    fn alias(&mut self) {
        self.line(&format!("namespace {} = cooperative_groups;", self.kernel.alias));
    }

    /// Definitions and functions.
    pub(crate) fn definitions(mut self) -> String {
        if self.kernel.alias_in_header {
            self.alias();
        }
        self.kernel.prelude.iter().for_each(|line| self.line(line));
        self.kernel.functions.iter().for_each(|function| self.function(function));
        self.out
    }

    /// The kernel, and the function of the host that starts it.
    pub(crate) fn kernel(mut self) -> String {
        let (kernel, launch) = (self.kernel, &self.kernel.launch);
        let name = &kernel.name;
        if !kernel.alias_in_header && !kernel.groups.is_empty() {
            self.alias();
        }
        self.line(&format!(
            "__global__ void {name}(unsigned* out, const int* in, unsigned* counters, int n, int pitch) {{"
        ));
        self.depth += 1;
        for array in kernel.arrays.iter().filter(|array| array.space == Space::Shared) {
            self.line(&format!("__shared__ {} {}[{}];", array.ty.name(), array.name, array.len_text));
        }
        kernel.body.iter().for_each(|stmt| self.stmt(stmt));
        self.depth -= 1;
        self.line("}");
        let sizes = format!("{}, {}", launch.blocks_text, launch.threads_text);
        let head = format!("static void start_{name}(unsigned* out, const int* in, unsigned* counters) {{");
        let call = format!("{name}<<<{sizes}>>>(out, in, counters, {}, {});", launch.count, launch.all());
        self.block(&head, &[Stmt::Raw(call)], "}");
        self.out.replace("cg::", &format!("{}::", self.kernel.alias))
    }
}
