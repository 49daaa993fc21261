//! Kinds of statements: votes, ballots, matches and reductions.

use crate::ast::{Bits, Expr, Special, Stmt, Warp, int, uint};
use crate::build::{Build, warp};
use crate::kinds::Kind;
use crate::value::{Op, Ty};

pub(crate) const KINDS: &[(&str, Kind)] = &[
    ("any", any),
    ("all", all),
    ("ballot_count", ballot_count),
    ("ballot_word", ballot_word),
    ("ballot_rank", ballot_rank),
    ("ballot_rank_ptx", ballot_rank_ptx),
    ("ballot_first", ballot_first),
    ("ballot_last", ballot_last),
    ("ballot_reversed", ballot_reversed),
    ("ballot_segment", ballot_segment),
    ("ballot_bit", ballot_bit),
    ("ballot_loop", ballot_loop),
    ("ballot_wide", ballot_wide),
    ("ballot_compared", ballot_compared),
    ("active_mask", active_mask),
    ("match_any", match_any),
    ("match_leader", match_leader),
    ("match_all", match_all),
    ("reduce_sync", reduce_sync),
    ("reduce_bits", reduce_bits),
];

/// The votes of the warp in a variable.
pub(crate) fn ballot(b: &mut Build<'_>) -> Expr {
    let condition = b.condition();
    let votes = warp(Warp::Ballot, &[b.full(), condition]);
    let name = b.rng.pick(&["votes", "ballot", "mask", "m", "bits", "who"]);
    b.value(name, Ty::Uint, votes)
}

fn any(b: &mut Build<'_>) {
    let condition = b.condition();
    let told = warp(Warp::Any, &[b.full(), condition]);
    b.out(told, Ty::Int);
}

fn all(b: &mut Build<'_>) {
    let limit = int(i32::try_from(b.rng.between(85, 97)).unwrap());
    let condition = b.input().less(limit);
    let told = warp(Warp::All, &[b.full(), condition]);
    let told = if b.rng.chance(50) { told.select(int(3), int(5)) } else { told };
    b.out(told, Ty::Int);
}

fn ballot_count(b: &mut Build<'_>) {
    let condition = b.condition();
    let votes = warp(Warp::Ballot, &[b.full(), condition]);
    b.out(votes.popc(), Ty::Int);
}

fn ballot_word(b: &mut Build<'_>) {
    let votes = ballot(b);
    b.out(votes, Ty::Uint);
}

/// The mask of the lanes below.
fn below(b: &mut Build<'_>) -> Expr {
    let lane = b.lane();
    let one = b.rng.pick(&["1u", "1U"]);
    let one = Expr::Const(crate::value::Value::Uint(1), one.to_owned());
    match b.rng.below(3) {
        0 => (one << lane) - int(1),
        1 => (one << lane) - uint(1),
        _ => (uint(u32::MAX) << lane).bits(Bits::Complement),
    }
}

fn ballot_rank(b: &mut Build<'_>) {
    let votes = ballot(b);
    let below = below(b);
    let rank = (votes & below).popc();
    b.out(rank, Ty::Int);
}

fn ballot_rank_ptx(b: &mut Build<'_>) {
    let votes = ballot(b);
    let (register, special) = b.rng.pick(&[
        ("lanemask_lt", Special::LanesBelow),
        ("lanemask_le", Special::LanesUpTo),
        ("lanemask_gt", Special::LanesAbove),
        ("lanemask_ge", Special::LanesFrom),
        ("lanemask_eq", Special::LaneBit),
    ]);
    let below = b.ptx(register, special);
    b.out((votes & below).popc(), Ty::Int);
}

fn ballot_first(b: &mut Build<'_>) {
    let votes = ballot(b);
    let first = b.value("first", Ty::Int, votes.ffs() - int(1));
    let lane = b.lane().cast(Ty::Int);
    b.out(first.clone() + (lane.equal(first)).select(int(100), int(0)), Ty::Int);
}

fn ballot_last(b: &mut Build<'_>) {
    let votes = ballot(b);
    let clz = votes.bits(Bits::Clz);
    let last = if b.rng.chance(50) { int(31) - clz } else { clz };
    b.out(last, Ty::Int);
}

fn ballot_reversed(b: &mut Build<'_>) {
    let votes = ballot(b);
    let reversed = votes.bits(Bits::Brev);
    let result = if b.rng.chance(50) { reversed } else { reversed.bits(Bits::Clz).cast(Ty::Uint) };
    b.out(result, Ty::Uint);
}

fn ballot_segment(b: &mut Build<'_>) {
    let votes = ballot(b);
    let lane = b.lane();
    let segment = (votes >> (lane & int(24))) & int(0xff);
    b.out(segment.popc(), Ty::Int);
}

fn ballot_bit(b: &mut Build<'_>) {
    let votes = ballot(b);
    let lane = b.lane();
    let bit = match b.rng.below(2) {
        0 => (votes >> lane) & int(1),
        _ => (votes & (uint(1) << lane)).op(Op::Unequal, int(0)).select(uint(7), uint(2)),
    };
    b.out(bit, Ty::Uint);
}

fn ballot_loop(b: &mut Build<'_>) {
    let votes = ballot(b);
    let left = b.let_mut("left", Ty::Uint, votes);
    let value = b.data(Ty::Int);
    let sum = b.let_mut("all", Ty::Int, int(0));
    let body = b.block(|b| {
        let bit = b.value("bit", Ty::Int, Expr::Var(left).ffs() - int(1));
        let got = warp(Warp::Shfl, &[b.full(), Expr::Var(value), bit]);
        b.push(Stmt::Update(sum, Op::Add, got));
        b.push(Stmt::Update(left, Op::And, Expr::Var(left) - int(1)));
    });
    let condition = if b.rng.chance(50) { Expr::Var(left) } else { Expr::Var(left).op(Op::Unequal, int(0)) };
    b.push(Stmt::While(condition, body));
    b.out(Expr::Var(sum), Ty::Int);
}

fn ballot_wide(b: &mut Build<'_>) {
    let condition = b.condition();
    let votes = warp(Warp::Ballot, &[b.full(), condition]);
    let votes = b.value("wide", Ty::Ulong, votes);
    let result = match b.rng.below(3) {
        0 => votes.bits(Bits::PopcLong),
        1 => votes.bits(Bits::FfsLong),
        _ => (votes >> int(8)).cast(Ty::Int),
    };
    b.out(result, Ty::Int);
}

fn ballot_compared(b: &mut Build<'_>) {
    let limit = int(i32::try_from(b.rng.between(85, 97)).unwrap());
    let condition = b.input().less(limit);
    let full = b.full();
    let votes = warp(Warp::Ballot, &[full.clone(), condition]);
    let same = votes.op(Op::Equal, full);
    b.out(same.select(int(11), int(13)), Ty::Int);
}

fn active_mask(b: &mut Build<'_>) {
    let mask = warp(Warp::ActiveMask, &[]);
    let mask = b.value("active", Ty::Uint, mask);
    let condition = b.condition();
    let votes = warp(Warp::Ballot, &[mask.clone(), condition]);
    b.out(votes.popc() * int(100) + mask.popc(), Ty::Int);
}

/// A value that several lanes share.
fn key(b: &mut Build<'_>) -> (Expr, Ty) {
    let ty = b.rng.pick(&[Ty::Int, Ty::Uint, Ty::Long, Ty::Ulong, Ty::Float, Ty::Double]);
    let few = int(i32::try_from(b.rng.between(2, 9)).unwrap());
    let raw = b.input() % few;
    (b.value("key", ty, raw.cast(ty)), ty)
}

fn match_any(b: &mut Build<'_>) {
    let (key, _) = key(b);
    let same = warp(Warp::MatchAny, &[b.full(), key]);
    if b.rng.chance(50) {
        return b.out(same, Ty::Uint);
    }
    let same = b.value("peers", Ty::Uint, same);
    b.out(same.popc(), Ty::Int);
}

fn match_leader(b: &mut Build<'_>) {
    let (key, _) = key(b);
    let peers = warp(Warp::MatchAny, &[b.full(), key]);
    let peers = b.value("peers", Ty::Uint, peers);
    let leader = b.value("leader", Ty::Int, peers.clone().ffs() - int(1));
    let value = b.data(Ty::Int);
    let got = warp(Warp::Shfl, &[peers.clone(), Expr::Var(value), leader]);
    let below = below(b);
    b.out(got * int(100) + (peers & below).popc(), Ty::Int);
}

fn match_all(b: &mut Build<'_>) {
    let ty = b.rng.pick(&[Ty::Int, Ty::Uint, Ty::Long, Ty::Ulong, Ty::Float, Ty::Double]);
    let same = b.let_mut("same", Ty::Int, int(0));
    let large = int(i32::try_from(b.rng.between(90, 97)).unwrap());
    let key = (b.input() / large).cast(ty);
    let mask = b.full();
    let lanes = Expr::MatchAll(Box::new(mask), Box::new(key), same);
    let lanes = b.value("lanes", Ty::Uint, lanes);
    b.out(lanes + Expr::Var(same).cast(Ty::Uint), Ty::Uint);
}

fn reduce_sync(b: &mut Build<'_>) {
    let kind = b.rng.pick(&[Warp::ReduceAdd, Warp::ReduceMin, Warp::ReduceMax]);
    let ty = b.rng.pick(&[Ty::Int, Ty::Uint]);
    let value = b.data(ty);
    let result = warp(kind, &[b.full(), Expr::Var(value)]);
    b.out(result, ty);
}

fn reduce_bits(b: &mut Build<'_>) {
    let kind = b.rng.pick(&[Warp::ReduceAnd, Warp::ReduceOr, Warp::ReduceXor]);
    let value = b.data(Ty::Uint);
    let result = warp(kind, &[b.full(), Expr::Var(value)]);
    b.out(result, Ty::Uint);
}
