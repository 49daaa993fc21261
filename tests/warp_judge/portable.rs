//! Kinds of statements: code that uses `warpSize` as it should be used, so that its results know no width of a warp.

use crate::ast::{Expr, Special, Stmt, Warp, int};
use crate::build::{Build, warp};
use crate::kinds::Kind;
use crate::value::{Op, Ty};

pub(crate) const KINDS: &[(&str, Kind)] = &[
    ("portable_block_sum", block_sum),
    ("portable_atomic", atomic),
    ("portable_any", any),
    ("portable_count", count),
    ("thirty_two_elsewhere", elsewhere),
];

/// Adds up the warp, from half of `warpSize` on.
fn summed(b: &mut Build<'_>, value: usize) {
    let var = b.var("offset", Ty::Int);
    let first = b.warp_size() / int(2);
    let body = b.block(|b| {
        let got = warp(Warp::ShflDown, &[b.full(), Expr::Var(value), Expr::Var(var)]);
        b.push(Stmt::Update(value, Op::Add, got));
    });
    let step = Stmt::Update(var, Op::Div, int(2));
    b.push(Stmt::For(var, first, Expr::Var(var).op(Op::Greater, int(0)), Box::new(step), body));
}

/// Runs a body in which 32 is written `warpSize` everywhere.
fn portably(b: &mut Build<'_>, body: impl FnOnce(&mut Build<'_>)) {
    let outside = std::mem::take(&mut b.style);
    b.style.portable = true;
    body(b);
    b.style = outside;
}

fn block_sum(b: &mut Build<'_>) {
    portably(b, |b| {
        let slots = b.shared("sums", Ty::Int, 32, "32".to_owned());
        let value = b.data(Ty::Int);
        summed(b, value);
        let lane = b.thread.clone() % b.warp_size();
        let lane = b.value("lane", Ty::Int, lane);
        let id = b.thread.clone() / b.warp_size();
        let id = b.value("warp", Ty::Int, id);
        b.if_(lane.equal(int(0)), |b| b.push(Stmt::Store(slots, id, Expr::Var(value))));
        b.push(Stmt::SyncThreads);
        let (region, index, thread) = (b.region(), b.index.clone(), b.thread.clone());
        b.if_(thread.equal(int(0)), |b| {
            let threads = i32::try_from(b.kernel.launch.threads()).unwrap();
            let total = b.let_mut("total", Ty::Int, int(0));
            let other = b.var("w", Ty::Int);
            let body = b.block(|b| {
                let found = Expr::Load(slots, Box::new(Expr::Var(other)));
                b.push(Stmt::Update(total, Op::Add, found));
            });
            let step = Stmt::Update(other, Op::Add, int(1));
            let warps = (int(threads) + b.warp_size() - int(1)) / b.warp_size();
            b.push(Stmt::For(other, int(0), Expr::Var(other).less(warps), Box::new(step), body));
            b.out_at(region, index, Expr::Var(total), Ty::Int);
        });
    });
}

fn atomic(b: &mut Build<'_>) {
    portably(b, |b| {
        let value = b.data(Ty::Int);
        summed(b, value);
        let lane = b.thread.clone() % b.warp_size();
        let sum = Expr::Var(value).cast(Ty::Uint);
        b.if_(lane.equal(int(0)), |b| b.add(int(0), sum, None));
    });
}

/// All threads of a block ask the same.
fn any(b: &mut Build<'_>) {
    let condition = Expr::Special(Special::BlockX).equal(int(1));
    let told = warp(Warp::Any, &[b.full(), condition]);
    b.out(told, Ty::Int);
}

/// Votes are counted for the launch.
fn count(b: &mut Build<'_>) {
    portably(b, |b| {
        let condition = b.condition();
        let votes = warp(Warp::Ballot, &[b.full(), condition]);
        let lane = b.thread.clone() % b.warp_size();
        let votes = b.value("n_votes", Ty::Int, votes.popc());
        b.if_(lane.equal(int(0)), |b| b.add(int(0), votes.cast(Ty::Uint), None));
    });
}

/// Numbers that count no lanes, beside a call that knows no lanes either.
fn elsewhere(b: &mut Build<'_>) {
    let index = b.index.clone();
    let value = b.input();
    let bucket = b.value("bucket", Ty::Int, value % int(32));
    let row = b.value("row", Ty::Int, index / int(32));
    let condition = Expr::Special(Special::BlockX).equal(int(0));
    let told = warp(Warp::All, &[b.full(), condition]);
    b.out(bucket * int(100) + row * int(7) + told, Ty::Int);
}
