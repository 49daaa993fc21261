//! Kinds of statements: calls that only a part of a warp makes, with the mask of that part.

use crate::ast::{Bits, Expr, Stmt, Warp, int};
use crate::build::{Build, warp};
use crate::kinds::Kind;
use crate::value::{Op, Ty, Value};

pub(crate) const KINDS: &[(&str, Kind)] = &[
    ("branch_voted", branch_voted),
    ("branch_first_lanes", branch_first_lanes),
    ("branch_else", branch_else),
    ("branch_halves", branch_halves),
    ("branch_sum", branch_sum),
    ("branch_of_warps", branch_of_warps),
    ("branch_active", branch_active),
    ("branch_reduce", branch_reduce),
    ("branch_match", branch_match),
    ("segments", segments),
];

/// A call under a mask, with its result as a number.
fn call(b: &mut Build<'_>, mask: Expr) -> Expr {
    let condition = b.condition();
    let value = b.input();
    match b.rng.below(5) {
        0 => warp(Warp::Ballot, &[mask, condition]).popc(),
        1 => warp(Warp::Any, &[mask, condition]),
        2 => warp(Warp::All, &[mask, condition]),
        3 => warp(Warp::Shfl, &[mask.clone(), value, mask.ffs() - int(1)]),
        _ => warp(Warp::Ballot, &[mask, condition]).cast(Ty::Int),
    }
}

/// Stores what those get that are in a branch.
fn in_branch(b: &mut Build<'_>, condition: Expr, body: impl FnOnce(&mut Build<'_>) -> Expr) {
    let (region, index) = (b.region(), b.index.clone());
    b.if_(condition, |b| {
        let got = body(b);
        b.out_at(region, index, got, Ty::Int);
    });
}

fn branch_voted(b: &mut Build<'_>) {
    let wants = b.condition();
    let wants = b.value("wants", Ty::Int, wants);
    let votes = warp(Warp::Ballot, &[b.full(), wants.clone()]);
    let votes = b.value("mask", Ty::Uint, votes);
    in_branch(b, wants, |b| call(b, votes));
}

/// The mask of the first lanes, in one of its spellings.
fn first_lanes(b: &mut Build<'_>, count: u32) -> Expr {
    let mask = (1 << count) - 1;
    let one = Expr::Const(Value::Uint(1), "1u".to_owned());
    match b.rng.below(3) {
        0 => (one << int(i32::try_from(count).unwrap())) - int(1),
        1 => Expr::Const(Value::Uint(mask), format!("{mask:#x}u")),
        _ => Expr::Const(Value::Uint(mask), format!("0x{mask:08x}u")),
    }
}

fn branch_first_lanes(b: &mut Build<'_>) {
    let count = b.rng.pick(&[1, 4, 8, 16, 24]);
    let lane = b.lane();
    let condition = lane.less(int(i32::try_from(count).unwrap()));
    let mask = first_lanes(b, count);
    in_branch(b, condition, |b| call(b, mask));
}

fn branch_else(b: &mut Build<'_>) {
    let wants = b.condition();
    let wants = b.value("wants", Ty::Int, wants);
    let active = warp(Warp::ActiveMask, &[]);
    let active = b.value("active", Ty::Uint, active);
    let votes = warp(Warp::Ballot, &[active.clone(), wants.clone()]);
    let votes = b.value("yes", Ty::Uint, votes);
    let result = b.let_mut("result", Ty::Int, int(0));
    let yes = b.block(|b| {
        let got = call(b, votes.clone());
        b.push(Stmt::Set(result, got));
    });
    let no = b.block(|b| {
        let rest = active & votes.bits(Bits::Complement);
        let rest = b.value("no", Ty::Uint, rest);
        let got = call(b, rest);
        b.push(Stmt::Set(result, got));
    });
    b.push(Stmt::If(wants, yes, no));
    b.out(Expr::Var(result), Ty::Int);
}

fn branch_halves(b: &mut Build<'_>) {
    let lane = b.lane();
    let half = b.half();
    let lower = Expr::Const(Value::Uint(0xffff), b.rng.pick(&["0x0000ffff", "0xffffu", "0xFFFF"]).to_owned());
    let upper = Expr::Const(Value::Uint(0xffff_0000), b.rng.pick(&["0xffff0000", "0xffff0000u"]).to_owned());
    let result = b.let_mut("result", Ty::Int, int(0));
    let yes = b.block(|b| {
        let got = call(b, lower);
        b.push(Stmt::Set(result, got));
    });
    let no = b.block(|b| {
        let got = call(b, upper);
        b.push(Stmt::Set(result, got));
    });
    b.push(Stmt::If(lane.less(half), yes, no));
    b.out(Expr::Var(result), Ty::Int);
}

fn branch_sum(b: &mut Build<'_>) {
    let lane = b.lane();
    let half = b.half();
    let mask = Expr::Const(Value::Uint(0xffff), "0xffff".to_owned());
    in_branch(b, lane.less(half), |b| {
        let value = b.data(Ty::Int);
        for by in [8, 4, 2, 1] {
            let got = warp(Warp::ShflXor, &[mask.clone(), Expr::Var(value), int(by)]);
            b.push(Stmt::Update(value, Op::Add, got));
        }
        Expr::Var(value)
    });
}

fn branch_of_warps(b: &mut Build<'_>) {
    let warp_id = b.warp_id();
    let full = b.full();
    let condition = if b.rng.chance(50) { warp_id.equal(int(0)) } else { (warp_id % int(2)).equal(int(1)) };
    in_branch(b, condition, |b| call(b, full));
}

fn branch_active(b: &mut Build<'_>) {
    let wants = b.condition();
    in_branch(b, wants, |b| {
        let active = warp(Warp::ActiveMask, &[]);
        let active = b.value("here", Ty::Uint, active);
        call(b, active)
    });
}

fn branch_reduce(b: &mut Build<'_>) {
    let wants = b.condition();
    let wants = b.value("wants", Ty::Int, wants);
    let votes = warp(Warp::Ballot, &[b.full(), wants.clone()]);
    let votes = b.value("mask", Ty::Uint, votes);
    let kind = b.rng.pick(&[Warp::ReduceAdd, Warp::ReduceMax, Warp::ReduceMin]);
    in_branch(b, wants, |b| {
        let value = b.input();
        warp(kind, &[votes, value])
    });
}

fn branch_match(b: &mut Build<'_>) {
    let wants = b.condition();
    let wants = b.value("wants", Ty::Int, wants);
    let votes = warp(Warp::Ballot, &[b.full(), wants.clone()]);
    let votes = b.value("mask", Ty::Uint, votes);
    in_branch(b, wants, |b| {
        let key = b.input() % int(4);
        let key = b.value("key", Ty::Int, key);
        warp(Warp::MatchAny, &[votes, key]).popc()
    });
}

/// Each segment of lanes has its own mask, all make the same call.
fn segments(b: &mut Build<'_>) {
    let width = b.rng.pick(&[4u32, 8, 16]);
    let ones = (1u32 << width) - 1;
    let lane = b.lane().cast(Ty::Int);
    let first = lane & int(-i32::try_from(width).unwrap());
    let ones = Expr::Const(Value::Uint(ones), format!("{ones:#x}u"));
    let mask = b.value("segment", Ty::Uint, ones << first);
    let condition = b.condition();
    let got = match b.rng.below(3) {
        0 => warp(Warp::Ballot, &[mask, condition]),
        1 => warp(Warp::All, &[mask, condition]).cast(Ty::Uint),
        _ => {
            let value = b.input();
            warp(Warp::ShflXor, &[mask, value, int(1)]).cast(Ty::Uint)
        }
    };
    b.out(got, Ty::Uint);
}
