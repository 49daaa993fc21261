//! What a generated kernel is made of.

use std::ops;

use crate::value::{Op, Ty, Value};

/// A variable of a kernel or of its functions, by number.
pub(crate) type Var = usize;
/// An array by number.
pub(crate) type Array = usize;
/// A function by number.
pub(crate) type Fun = usize;
/// A cooperative group by number.
pub(crate) type Group = usize;

/// What the hardware and the launch know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    ThreadX,
    ThreadY,
    BlockX,
    DimX,
    DimY,
    /// How many elements there are: the parameter `n`.
    Count,
    /// Threads of the launch: the parameter `pitch`.
    Pitch,
    /// Lane of the warp, as PTX tells it; the masks are made of it.
    Lane,
    LanesBelow,
    LanesUpTo,
    LanesAbove,
    LanesFrom,
    LaneBit,
}

/// Calls about the warp of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Warp {
    /// Mask, value, lane, width.
    Shfl,
    ShflUp,
    ShflDown,
    ShflXor,
    /// Mask, predicate.
    Ballot,
    Any,
    All,
    ActiveMask,
    /// Mask, value.
    MatchAny,
    ReduceAdd,
    ReduceMin,
    ReduceMax,
    ReduceAnd,
    ReduceOr,
    ReduceXor,
}

/// Functions of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bits {
    Popc,
    Ffs,
    Clz,
    Brev,
    PopcLong,
    FfsLong,
    Not,
    Complement,
}

/// Members of cooperative groups and functions that take one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfGroup {
    Size,
    Rank,
    MetaSize,
    MetaRank,
    Shfl,
    ShflUp,
    ShflDown,
    ShflXor,
    Any,
    All,
    Ballot,
    MatchAny,
    ReducePlus,
    ReduceLess,
    ReduceGreater,
    ReduceXor,
    InclusiveScan,
    ExclusiveScan,
}

/// How a group comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Makes {
    Block,
    /// Of so many lanes, of the block or of another group.
    Tile(u32, Group),
    Coalesced,
    /// By the value of an expression.
    Binary(Group),
    Labeled(Group),
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    /// A number, as it is spelled.
    Const(Value, String),
    /// An expression that stands there under another spelling: a macro, a function, a reference.
    As(Box<Expr>, String),
    Var(Var),
    Special(Special),
    Binary(Op, Box<Expr>, Box<Expr>),
    Cast(Ty, Box<Expr>),
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Arguments that are left out are not there: the width of a shuffle. `legacy` has no mask.
    Warp(Warp, Vec<Expr>),
    /// Mask, value, and the variable that tells whether all were the same.
    MatchAll(Box<Expr>, Box<Expr>, Var),
    Bits(Bits, Box<Expr>),
    Load(Array, Box<Expr>),
    Call(Fun, Vec<Expr>),
    Group(OfGroup, Group, Vec<Expr>),
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    /// Declares a variable, with text in front of it.
    Let(Var, Expr, &'static str),
    Set(Var, Expr),
    Update(Var, Op, Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Variable, first value, condition, step, body.
    For(Var, Expr, Expr, Box<Stmt>, Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    Store(Array, Expr, Expr),
    /// Adds to a counter; the variable takes what was there.
    AtomicAdd(Array, Expr, Expr, Option<Var>),
    SyncWarp(Option<Expr>),
    SyncThreads,
    SyncGroup(Group),
    /// Declares a group, from an expression where it has one.
    Group(Group, Makes, Option<Expr>),
    Return,
    /// Text without a meaning: pragmas, declarations of structures.
    Raw(String),
}

/// Where an array lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Shared,
    Out,
    In,
    Counters,
}

/// An array: its type, and its size with the spelling of that.
#[derive(Clone, Debug)]
pub(crate) struct ArrayInfo {
    pub(crate) name: String,
    pub(crate) ty: Ty,
    pub(crate) len: usize,
    pub(crate) len_text: String,
    pub(crate) space: Space,
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct VarInfo {
    pub(crate) name: String,
    pub(crate) ty: Ty,
    /// The type as it is spelled.
    pub(crate) spelled: String,
}

/// A device function with one `return` at its end.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) params: Vec<Var>,
    pub(crate) body: Vec<Stmt>,
    pub(crate) result: Expr,
    pub(crate) ty: Ty,
    /// The type that is called `T`, for a template.
    pub(crate) generic: Option<Ty>,
    /// A parameter of the template, and the spelling of its argument.
    pub(crate) count: Option<(Var, Expr)>,
}

/// The sizes of a launch, and their spelling.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) blocks: u32,
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) count: u32,
    pub(crate) blocks_text: String,
    pub(crate) threads_text: String,
}

impl Launch {
    /// Threads of a block.
    pub(crate) fn threads(&self) -> u32 {
        self.x * self.y
    }

    /// The number of a thread in its block.
    pub(crate) fn thread(&self) -> Expr {
        let x = Expr::Special(Special::ThreadX);
        if self.y == 1 { x } else { Expr::Special(Special::ThreadY) * Expr::Special(Special::DimX) + x }
    }

    /// Threads of all blocks.
    pub(crate) fn all(&self) -> u32 {
        self.blocks * self.threads()
    }
}

/// One kernel with all that it needs.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    /// The kinds of its parts.
    pub(crate) kinds: Vec<&'static str>,
    pub(crate) vars: Vec<VarInfo>,
    pub(crate) arrays: Vec<ArrayInfo>,
    /// Names of groups, and their types as they are spelled.
    pub(crate) groups: Vec<(String, String)>,
    pub(crate) functions: Vec<Function>,
    /// Definitions before the functions.
    pub(crate) prelude: Vec<String>,
    /// Definitions and functions stand in a header.
    pub(crate) in_header: bool,
    pub(crate) in_namespace: bool,
    /// What `cooperative_groups` is called, and whether that is said in the header.
    pub(crate) alias: String,
    pub(crate) alias_in_header: bool,
    pub(crate) body: Vec<Stmt>,
    pub(crate) launch: Launch,
    /// Results for each thread.
    pub(crate) regions: usize,
}

/// The arrays that each kernel has.
pub(crate) const OUT: Array = 0;
pub(crate) const IN: Array = 1;
pub(crate) const COUNTERS: Array = 2;

/// A number that is spelled as it is.
pub(crate) fn int(value: i32) -> Expr {
    Expr::Const(Value::Int(value), value.to_string())
}

/// An unsigned number.
pub(crate) fn uint(value: u32) -> Expr {
    Expr::Const(Value::Uint(value), format!("{value}u"))
}

impl Expr {
    pub(crate) fn op(self, op: Op, other: Self) -> Self {
        Self::Binary(op, Box::new(self), Box::new(other))
    }

    pub(crate) fn cast(self, ty: Ty) -> Self {
        Self::Cast(ty, Box::new(self))
    }

    pub(crate) fn bits(self, function: Bits) -> Self {
        Self::Bits(function, Box::new(self))
    }

    pub(crate) fn select(self, yes: Self, no: Self) -> Self {
        Self::Select(Box::new(self), Box::new(yes), Box::new(no))
    }

    pub(crate) fn less(self, other: Self) -> Self {
        self.op(Op::Less, other)
    }

    pub(crate) fn at_least(self, other: Self) -> Self {
        self.op(Op::GreaterEqual, other)
    }

    pub(crate) fn equal(self, other: Self) -> Self {
        self.op(Op::Equal, other)
    }

    pub(crate) fn popc(self) -> Self {
        self.bits(Bits::Popc)
    }

    pub(crate) fn ffs(self) -> Self {
        self.bits(Bits::Ffs)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident),*) => {
        $(impl ops::$trait for Expr {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                self.op(Op::$op, other)
            }
        })*
    };
}

operators!(
    Add add Add, Sub sub Sub, Mul mul Mul, Div div Div, Rem rem Rem, BitAnd bitand And, BitOr bitor Or,
    BitXor bitxor Xor, Shl shl Shl, Shr shr Shr
);
