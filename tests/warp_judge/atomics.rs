//! Kinds of statements: atomic additions that one lane makes for all.

use crate::ast::{Expr, Special, Stmt, Warp, int};
use crate::build::{Build, warp};
use crate::kinds::Kind;
use crate::value::{Op, Ty, Value};

pub(crate) const KINDS: &[(&str, Kind)] = &[
    ("atomic_count", atomic_count),
    ("atomic_leader", atomic_leader),
    ("atomic_place", atomic_place),
    ("atomic_by_key", atomic_by_key),
    ("atomic_plain", atomic_plain),
    ("atomic_of_warp", atomic_of_warp),
];

fn votes(b: &mut Build<'_>) -> (Expr, Expr) {
    let wants = b.condition();
    let wants = b.value("wants", Ty::Int, wants);
    let votes = warp(Warp::Ballot, &[b.full(), wants.clone()]);
    (wants, b.value("votes", Ty::Uint, votes))
}

/// The first lane adds the number of votes.
fn atomic_count(b: &mut Build<'_>) {
    let (_, votes) = votes(b);
    let lane = b.lane();
    b.if_(lane.equal(int(0)), |b| b.add(int(0), votes.popc(), None));
}

/// The first lane that voted adds.
fn atomic_leader(b: &mut Build<'_>) {
    let (_, votes) = votes(b);
    let lane = b.lane().cast(Ty::Int);
    let leader = b.value("leader", Ty::Int, votes.clone().ffs() - int(1));
    b.if_(lane.equal(leader), |b| b.add(int(0), votes.popc(), None));
}

/// The number of the warp in the launch.
fn warp_of_all(b: &mut Build<'_>) -> Expr {
    let threads = i32::try_from(b.kernel.launch.threads().div_ceil(32)).unwrap();
    let warp = b.warp_id().cast(Ty::Int);
    let warp = Expr::Special(Special::BlockX).cast(Ty::Int) * int(threads) + warp;
    b.value("number", Ty::Int, warp)
}

/// A counter for each warp tells where its lanes write.
fn atomic_place(b: &mut Build<'_>) {
    let number = warp_of_all(b) + int(1);
    let number = b.value("counter", Ty::Int, number);
    let (wants, votes) = votes(b);
    let lane = b.lane().cast(Ty::Int);
    let lane = b.value("me", Ty::Int, lane);
    let one = Expr::Const(Value::Uint(1), "1u".to_owned());
    let rank = votes.clone() & ((one << lane.clone()) - int(1));
    let place = b.let_mut("base", Ty::Uint, int(0));
    b.if_(lane.equal(int(0)), |b| b.add(number, votes.popc(), Some(place)));
    let got = warp(Warp::Shfl, &[b.full(), Expr::Var(place), int(0)]);
    b.push(Stmt::Set(place, got));
    let (region, index) = (b.region(), b.index.clone());
    b.if_(wants, |b| b.out_at(region, index, Expr::Var(place) + rank.popc().cast(Ty::Uint), Ty::Uint));
}

/// Lanes with the same key send one of them.
fn atomic_by_key(b: &mut Build<'_>) {
    let key = b.input() % int(2);
    let key = b.value("key", Ty::Int, key);
    let peers = warp(Warp::MatchAny, &[b.full(), key.clone()]);
    let peers = b.value("peers", Ty::Uint, peers);
    let lane = b.lane().cast(Ty::Int);
    let first = peers.clone().ffs() - int(1);
    b.if_(lane.equal(first), |b| b.add(key % int(1), peers.popc(), None));
}

fn atomic_plain(b: &mut Build<'_>) {
    let wants = b.condition();
    b.if_(wants, |b| b.add(int(0), int(1), None));
}

fn atomic_of_warp(b: &mut Build<'_>) {
    let number = warp_of_all(b) + int(1);
    let number = b.value("counter", Ty::Int, number);
    let value = b.data(Ty::Int);
    for by in [16, 8, 4, 2, 1] {
        let got = warp(Warp::ShflXor, &[b.full(), Expr::Var(value), int(by)]);
        b.push(Stmt::Update(value, Op::Add, got));
    }
    let lane = b.lane();
    let sum = Expr::Var(value).cast(Ty::Uint);
    b.if_(lane.equal(int(0)), |b| b.add(number, sum, None));
}
