//! Numbers of C++ with their types, and what operators make of them. What C++ leaves undefined is an error, not a number.

/// A type of numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub(crate) enum Ty {
    Int,
    Uint,
    Long,
    Ulong,
    Float,
    Double,
}

impl Ty {
    /// Its name in CUDA.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Uint => "unsigned",
            Self::Long => "long long",
            Self::Ulong => "unsigned long long",
            Self::Float => "float",
            Self::Double => "double",
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::Float | Self::Double)
    }
}

/// A number, or what a shuffle gives that reads a lane which is not there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Value {
    Undefined,
    Int(i32),
    Uint(u32),
    Long(i64),
    Ulong(u64),
    Float(f32),
    Double(f64),
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    Unequal,
    Both,
    Either,
}

impl Op {
    /// Its spelling and how strongly it binds.
    pub(crate) fn text(self) -> (&'static str, u8) {
        match self {
            Self::Mul => ("*", 10),
            Self::Div => ("/", 10),
            Self::Rem => ("%", 10),
            Self::Add => ("+", 9),
            Self::Sub => ("-", 9),
            Self::Shl => ("<<", 8),
            Self::Shr => (">>", 8),
            Self::Less => ("<", 7),
            Self::LessEqual => ("<=", 7),
            Self::Greater => (">", 7),
            Self::GreaterEqual => (">=", 7),
            Self::Equal => ("==", 6),
            Self::Unequal => ("!=", 6),
            Self::And => ("&", 5),
            Self::Xor => ("^", 4),
            Self::Or => ("|", 3),
            Self::Both => ("&&", 2),
            Self::Either => ("||", 1),
        }
    }
}

/// A number, or why there is none.
pub(crate) type Result<T> = std::result::Result<T, String>;

impl Value {
    /// The type; of what is undefined, none.
    pub(crate) fn ty(self) -> Option<Ty> {
        Some(match self {
            Self::Undefined => return None,
            Self::Int(_) => Ty::Int,
            Self::Uint(_) => Ty::Uint,
            Self::Long(_) => Ty::Long,
            Self::Ulong(_) => Ty::Ulong,
            Self::Float(_) => Ty::Float,
            Self::Double(_) => Ty::Double,
        })
    }

    /// As a whole number.
    pub(crate) fn whole(self) -> Result<i128> {
        match self {
            Self::Undefined => Err("an undefined value is used".to_owned()),
            Self::Int(value) => Ok(i128::from(value)),
            Self::Uint(value) => Ok(i128::from(value)),
            Self::Long(value) => Ok(i128::from(value)),
            Self::Ulong(value) => Ok(i128::from(value)),
            Self::Float(value) => Ok(f64::from(value) as i128),
            Self::Double(value) => Ok(value as i128),
        }
    }

    fn real(self) -> Result<f64> {
        match self {
            Self::Float(value) => Ok(f64::from(value)),
            Self::Double(value) => Ok(value),
            other => Ok(other.whole()? as f64),
        }
    }

    /// Whether a condition holds.
    pub(crate) fn truth(self) -> Result<bool> {
        match self {
            Self::Float(value) => Ok(value != 0.0),
            Self::Double(value) => Ok(value != 0.0),
            other => Ok(other.whole()? != 0),
        }
    }

    /// As a mask or a size.
    pub(crate) fn bits(self) -> Result<u32> {
        Ok(self.whole()? as u32)
    }

    /// The bytes, as matches compare them.
    pub(crate) fn pattern(self) -> Result<u64> {
        Ok(match self {
            Self::Float(value) => u64::from(value.to_bits()),
            Self::Double(value) => value.to_bits(),
            other => other.whole()? as u64,
        })
    }

    /// Converted to another type. What is undefined stays so.
    pub(crate) fn cast(self, ty: Ty) -> Result<Self> {
        if self == Self::Undefined {
            return Ok(self);
        }
        let from_float = self.ty().is_some_and(Ty::is_float);
        Ok(match ty {
            Ty::Float => Self::Float(self.real()? as f32),
            Ty::Double => Self::Double(self.real()?),
            _ if from_float => exact(self.whole()?, ty)?,
            _ => wrapped(self.whole()?, ty),
        })
    }
}

/// A whole number, cut to the bits of a type.
fn wrapped(number: i128, ty: Ty) -> Value {
    match ty {
        Ty::Int => Value::Int(number as i32),
        Ty::Uint => Value::Uint(number as u32),
        Ty::Long => Value::Long(number as i64),
        _ => Value::Ulong(number as u64),
    }
}

/// A whole number that has to fit.
fn exact(number: i128, ty: Ty) -> Result<Value> {
    let value = wrapped(number, ty);
    if value.whole()? == number { Ok(value) } else { Err(format!("{number} is no {}", ty.name())) }
}

/// What an operator makes of whole numbers of one type.
fn whole(op: Op, a: i128, b: i128, ty: Ty) -> Result<Value> {
    if matches!(op, Op::Div | Op::Rem) && b == 0 {
        return Err("division by zero".to_owned());
    }
    let number = match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a / b,
        Op::Rem => a % b,
        Op::And => a & b,
        Op::Or => a | b,
        _ => a ^ b,
    };
    if matches!(ty, Ty::Int | Ty::Long) { exact(number, ty) } else { Ok(wrapped(number, ty)) }
}

fn shifted(op: Op, a: Value, ty: Ty, by: i128) -> Result<Value> {
    let bits = if matches!(ty, Ty::Int | Ty::Uint) { 32 } else { 64 };
    if !(0..bits).contains(&by) {
        return Err(format!("a shift by {by}"));
    }
    let number = a.whole()?;
    if op == Op::Shr {
        return Ok(wrapped(number >> by, ty));
    }
    // Ones may be shifted into the sign since C++20, and every compiler of CUDA does so before.
    Ok(wrapped(number << by, ty))
}

fn real(op: Op, a: f64, b: f64, ty: Ty) -> Result<Value> {
    let number = match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        _ => return Err(format!("{op:?} of floating-point numbers")),
    };
    if ty == Ty::Double {
        return Ok(Value::Double(number));
    }
    let near = number as f32;
    if f64::from(near) == number { Ok(Value::Float(near)) } else { Err("a rounded result".to_owned()) }
}

fn compared(op: Op, a: Value, b: Value, ty: Ty) -> Result<Value> {
    let (a, b) = (a.cast(ty)?, b.cast(ty)?);
    let order = if ty.is_float() {
        a.real()?.partial_cmp(&b.real()?).ok_or("not a number")?
    } else {
        a.whole()?.cmp(&b.whole()?)
    };
    let holds = match op {
        Op::Less => order.is_lt(),
        Op::LessEqual => order.is_le(),
        Op::Greater => order.is_gt(),
        Op::GreaterEqual => order.is_ge(),
        Op::Equal => order.is_eq(),
        _ => order.is_ne(),
    };
    Ok(Value::Int(i32::from(holds)))
}

/// What an operator makes of two numbers.
pub(crate) fn binary(op: Op, a: Value, b: Value) -> Result<Value> {
    match op {
        Op::Both if a != Value::Undefined && !a.truth()? => return Ok(Value::Int(0)),
        Op::Either if a != Value::Undefined && a.truth()? => return Ok(Value::Int(1)),
        _ => {}
    }
    let (Some(left), Some(right)) = (a.ty(), b.ty()) else { return Ok(Value::Undefined) };
    let ty = if left > right { left } else { right };
    match op {
        Op::Both | Op::Either => Ok(Value::Int(i32::from(b.truth()?))),
        Op::Shl | Op::Shr => shifted(op, a, left, b.whole()?),
        Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual | Op::Equal | Op::Unequal => compared(op, a, b, ty),
        _ if ty.is_float() => real(op, a.real()?, b.real()?, ty),
        _ => whole(op, a.cast(ty)?.whole()?, b.cast(ty)?.whole()?, ty),
    }
}
