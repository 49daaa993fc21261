//! Kinds of statements: shared memory by warp.

use crate::ast::{Array, Expr, Stmt, Warp, int};
use crate::build::{Build, warp};
use crate::kinds::Kind;
use crate::print::Printer;
use crate::shuffles::{halving, shuffle};
use crate::value::{Op, Ty};

pub(crate) const KINDS: &[(&str, Kind)] = &[
    ("slot_of_warp", slot_of_warp),
    ("block_sum", block_sum),
    ("warp_tile", warp_tile),
    ("tree_in_shared", tree_in_shared),
    ("votes_in_shared", votes_in_shared),
    ("exchange_in_row", exchange_in_row),
    ("last_of_warp", last_of_warp),
];

/// An array with one slot for each warp of a block.
pub(crate) fn slots(b: &mut Build<'_>, ty: Ty) -> Array {
    let name = b.rng.pick(&["s", "sums", "partial", "warp_sums", "shared"]);
    let warps = i32::try_from(b.kernel.launch.threads().div_ceil(32)).unwrap();
    let warp = b.warp_constant();
    let length = match b.rng.below(4) {
        0 => int(32),
        1 => int(1024) / warp,
        2 => warp,
        _ => int(warps),
    };
    let text = Printer::new(&b.kernel).expr(&length);
    b.shared(name, ty, if text == warps.to_string() { warps as usize } else { 32 }, text)
}

fn summed(b: &mut Build<'_>, ty: Ty) -> usize {
    let value = b.data(ty);
    let kind = b.rng.pick(&[Warp::ShflDown, Warp::ShflXor]);
    let first = b.half();
    halving(b, first, |b, by| {
        let got = shuffle(b, kind, Expr::Var(value), by, None);
        b.push(Stmt::Update(value, Op::Add, got));
    });
    value
}

/// An element of an array.
fn load(array: Array, index: Expr) -> Expr {
    Expr::Load(array, Box::new(index))
}

fn slot_of_warp(b: &mut Build<'_>) {
    let ty = b.rng.pick(&[Ty::Int, Ty::Float, Ty::Uint]);
    let slots = slots(b, ty);
    let value = summed(b, ty);
    let (lane, warp) = (b.lane(), b.warp_id());
    b.if_(lane.equal(int(0)), |b| b.push(Stmt::Store(slots, warp.clone(), Expr::Var(value))));
    b.push(Stmt::SyncThreads);
    let found = load(slots, warp);
    b.out(found, ty);
}

fn block_sum(b: &mut Build<'_>) {
    let ty = b.rng.pick(&[Ty::Int, Ty::Float, Ty::Double]);
    let slots = slots(b, ty);
    let value = summed(b, ty);
    let (lane, warp) = (b.lane(), b.warp_id());
    let lane = b.value("place", Ty::Int, lane);
    b.if_(lane.clone().equal(int(0)), |b| b.push(Stmt::Store(slots, warp.clone(), Expr::Var(value))));
    b.push(Stmt::SyncThreads);
    let warps = i32::try_from(b.kernel.launch.threads().div_ceil(32)).unwrap();
    let count = if b.rng.chance(50) && b.kernel.launch.y == 1 {
        let (last, size) = (b.last_lane(), b.warp_size());
        (Expr::Special(crate::ast::Special::DimX) + last) / size
    } else {
        int(warps)
    };
    let first = b.half();
    let region = b.region();
    let thread = b.thread.clone();
    let index = b.index.clone();
    let size = b.warp_size();
    let in_first = if b.rng.chance(50) { warp.equal(int(0)) } else { thread.clone().less(size) };
    b.if_(in_first, |b| {
        let zero = int(0).cast(ty);
        // A lane without a warp takes the first sum, and adds nothing of it.
        let inside = b.value("inside", Ty::Int, lane.clone().less(count));
        let slot = inside.clone().select(lane, int(0).cast(Ty::Int));
        let found = b.let_mut("total", ty, inside.select(load(slots, slot), zero));
        halving(b, first, |b, by| {
            let got = shuffle(b, Warp::ShflDown, Expr::Var(found), by, None);
            b.push(Stmt::Update(found, Op::Add, got));
        });
        b.if_(thread.equal(int(0)), |b| b.out_at(region, index, Expr::Var(found), ty));
    });
}

/// An array with a row of 32 elements for each warp: its text of the size.
fn rows(b: &mut Build<'_>, ty: Ty) -> Array {
    let warps = i32::try_from(b.kernel.launch.threads().div_ceil(32)).unwrap();
    let warp = b.warp_constant();
    let text = Printer::new(&b.kernel).expr(&(int(warps) * warp));
    b.shared("tile", ty, warps as usize * 32, text)
}

fn warp_tile(b: &mut Build<'_>) {
    let rows = rows(b, Ty::Int);
    let (lane, warp) = (b.lane(), b.warp_id());
    let value = b.data(Ty::Int);
    let row = warp * b.warp_size();
    let row = b.value("row", Ty::Int, row);
    let lane = b.value("column", Ty::Int, lane);
    b.push(Stmt::Store(rows, row.clone() + lane.clone(), Expr::Var(value)));
    b.push(Stmt::SyncWarp(None));
    let other = b.last_lane() - lane;
    b.out(load(rows, row + other), Ty::Int);
}

fn tree_in_shared(b: &mut Build<'_>) {
    let rows = rows(b, Ty::Int);
    let lane = b.lane().cast(Ty::Int);
    let lane = b.value("place", Ty::Int, lane);
    let thread = b.thread.clone();
    let value = b.data(Ty::Int);
    b.push(Stmt::Store(rows, thread.clone(), Expr::Var(value)));
    let full = if b.rng.chance(40) { Some(b.full()) } else { None };
    b.push(Stmt::SyncWarp(full));
    let first = b.half();
    halving(b, first, |b, by| {
        let by = b.value("by", Ty::Int, by);
        let sum = b.let_mut("part", Ty::Int, int(0));
        b.if_(lane.clone().less(by.clone()), |b| {
            let both = load(rows, thread.clone()) + load(rows, thread.clone() + by.clone());
            b.push(Stmt::Set(sum, both));
        });
        b.push(Stmt::SyncWarp(None));
        b.if_(lane.clone().less(by), |b| b.push(Stmt::Store(rows, thread.clone(), Expr::Var(sum))));
        b.push(Stmt::SyncWarp(None));
    });
    let size = b.warp_size();
    let first = thread.clone() - thread % size;
    b.out(load(rows, first), Ty::Int);
}

fn votes_in_shared(b: &mut Build<'_>) {
    let slots = slots(b, Ty::Uint);
    let condition = b.condition();
    let votes = warp(Warp::Ballot, &[b.full(), condition]);
    let (lane, warp) = (b.lane(), b.warp_id());
    let votes = b.value("votes", Ty::Uint, votes);
    b.if_(lane.equal(int(0)), |b| b.push(Stmt::Store(slots, warp.clone(), votes)));
    b.push(Stmt::SyncThreads);
    let sum = b.let_mut("before", Ty::Int, int(0));
    let other = b.var("w", Ty::Int);
    let body = b.block(|b| b.push(Stmt::Update(sum, Op::Add, load(slots, Expr::Var(other)).popc())));
    let step = Stmt::Update(other, Op::Add, int(1));
    b.push(Stmt::For(other, int(0), Expr::Var(other).less(warp.cast(Ty::Int)), Box::new(step), body));
    b.out(Expr::Var(sum), Ty::Int);
}

fn exchange_in_row(b: &mut Build<'_>) {
    let rows = rows(b, Ty::Int);
    let thread = b.thread.clone();
    let value = b.data(Ty::Int);
    b.push(Stmt::Store(rows, thread.clone(), Expr::Var(value)));
    b.push(Stmt::SyncWarp(None));
    let by = int(i32::try_from(b.rng.pick(&[1u32, 2, 7, 16, 31])).unwrap());
    b.out(load(rows, thread ^ by), Ty::Int);
}

fn last_of_warp(b: &mut Build<'_>) {
    let slots = slots(b, Ty::Int);
    let value = b.data(Ty::Int);
    let (lane, warp, last) = (b.lane(), b.warp_id(), b.last_lane());
    let is_last = lane.equal(last);
    b.if_(is_last, |b| b.push(Stmt::Store(slots, warp.clone(), Expr::Var(value))));
    b.push(Stmt::SyncThreads);
    b.out(load(slots, warp), Ty::Int);
}
