//! What calls about a warp do in CUDA, for the 32 lanes of one warp.

use crate::ast::Warp;
use crate::value::{Op, Result, Value, binary};

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;

/// The lanes of a mask, in their order.
pub(crate) fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 == 1)
}

/// One warp at a call: who makes it, and who has left the kernel or never was.
#[derive(Clone, Copy)]
pub(crate) struct Callers {
    pub(crate) active: u32,
    pub(crate) gone: u32,
}

impl Callers {
    /// The lanes that take part in the call of `lane` under its mask.
    pub(crate) fn members(self, masks: &[Value], lane: usize) -> Result<u32> {
        let mask = masks[lane].bits()?;
        if mask >> lane & 1 == 0 {
            return Err(format!("lane {lane} is not in its own mask {mask:#x}"));
        }
        let members = mask & !self.gone;
        if members & !self.active != 0 {
            return Err(format!("the mask {mask:#x} names lanes that are elsewhere; {:#x} are here", self.active));
        }
        for other in lanes_of(members) {
            if masks[other].bits()? != mask {
                return Err(format!("lanes {lane} and {other} have different masks"));
            }
        }
        Ok(members)
    }
}

/// Shuffles: the value of each lane that is active.
pub(crate) fn shuffle(kind: Warp, callers: Callers, arguments: &[Vec<Value>; 4]) -> Result<Vec<Value>> {
    let [masks, values, by, widths] = arguments;
    let mut out = vec![Value::Undefined; LANES];
    for lane in lanes_of(callers.active) {
        let members = callers.members(masks, lane)?;
        let width = widths[lane].whole()?;
        if !matches!(width, 1 | 2 | 4 | 8 | 16 | 32) {
            return Err(format!("a shuffle of width {width}"));
        }
        // PTX: five bits of the lane or the distance count.
        let (own, by) = (lane as i128, by[lane].whole()?.rem_euclid(32));
        let first = own / width * width;
        let from = source(kind, own, by, first, width);
        // Whoever reads an inactive lane gets anything.
        out[lane] = if members >> from & 1 == 1 { values[from as usize] } else { Value::Undefined };
    }
    Ok(out)
}

/// The lane that a shuffle reads.
fn source(kind: Warp, own: i128, by: i128, first: i128, width: i128) -> i128 {
    let from = match kind {
        Warp::Shfl => first + by.rem_euclid(width),
        Warp::ShflUp => own - by,
        Warp::ShflDown => own + by,
        _ => own ^ by,
    };
    let inside = match kind {
        Warp::ShflUp => from >= first,
        // PTX: lanes of earlier segments may be read, those of later ones not.
        _ => from < first + width,
    };
    if inside { from } else { own }
}

/// Votes and ballots.
pub(crate) fn vote(kind: Warp, callers: Callers, masks: &[Value], predicates: &[Value]) -> Result<Vec<Value>> {
    let mut out = vec![Value::Undefined; LANES];
    for lane in lanes_of(callers.active) {
        let members = callers.members(masks, lane)?;
        let mut ballot = 0;
        for other in lanes_of(members) {
            ballot |= u32::from(predicates[other].truth()?) << other;
        }
        out[lane] = match kind {
            Warp::Ballot => Value::Uint(ballot),
            Warp::Any => Value::Int(i32::from(ballot != 0)),
            _ => Value::Int(i32::from(ballot == members)),
        };
    }
    Ok(out)
}

/// The lanes of each lane's mask that hold the same value.
pub(crate) fn match_any(callers: Callers, masks: &[Value], values: &[Value]) -> Result<Vec<Value>> {
    let mut out = vec![Value::Undefined; LANES];
    for lane in lanes_of(callers.active) {
        let own = values[lane].pattern()?;
        let mut same = 0;
        for other in lanes_of(callers.members(masks, lane)?) {
            same |= u32::from(values[other].pattern()? == own) << other;
        }
        out[lane] = Value::Uint(same);
    }
    Ok(out)
}

/// The mask if all of it hold the same value, else 0. All of it have to be there.
pub(crate) fn match_all(callers: Callers, masks: &[Value], values: &[Value]) -> Result<Vec<Value>> {
    let any = match_any(callers, masks, values)?;
    let mut out = vec![Value::Undefined; LANES];
    for lane in lanes_of(callers.active) {
        let members = callers.members(masks, lane)?;
        if masks[lane].bits()? != members {
            return Err("a match of lanes that are not there".to_owned());
        }
        out[lane] = Value::Uint(if any[lane].bits()? == members { members } else { 0 });
    }
    Ok(out)
}

/// What two values become in a reduction.
pub(crate) fn combine(op: Op, a: Value, b: Value) -> Result<Value> {
    match op {
        Op::Less | Op::Greater => Ok(if binary(op, b, a)?.truth()? { b } else { a }),
        // The sum of a warp wraps around.
        Op::Add => match (a, b) {
            (Value::Int(a), Value::Int(b)) => Ok(Value::Int(a.wrapping_add(b))),
            _ => binary(op, a, b),
        },
        _ => binary(op, a, b),
    }
}

/// The values of each lane's mask in one.
pub(crate) fn reduce(kind: Warp, callers: Callers, masks: &[Value], values: &[Value]) -> Result<Vec<Value>> {
    let op = match kind {
        Warp::ReduceAdd => Op::Add,
        Warp::ReduceMin => Op::Less,
        Warp::ReduceMax => Op::Greater,
        Warp::ReduceAnd => Op::And,
        Warp::ReduceOr => Op::Or,
        _ => Op::Xor,
    };
    let mut out = vec![Value::Undefined; LANES];
    for lane in lanes_of(callers.active) {
        let mut members = lanes_of(callers.members(masks, lane)?).map(|other| values[other]);
        let first = members.next().unwrap();
        out[lane] = members.try_fold(first, |all, value| combine(op, all, value))?;
    }
    Ok(out)
}
