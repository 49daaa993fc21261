//! Kinds of statements: shuffles.

use crate::ast::{Expr, Stmt, Warp, int};
use crate::build::{Build, warp};
use crate::kinds::Kind;
use crate::value::{Op, Ty};

pub(crate) const KINDS: &[(&str, Kind)] = &[
    ("shuffle_lane", lane),
    ("shuffle_neighbour", neighbour),
    ("shuffle_down", down),
    ("shuffle_up", up),
    ("shuffle_xor", xor),
    ("sum_down", sum_down),
    ("sum_butterfly", sum_butterfly),
    ("sum_unrolled", sum_unrolled),
    ("sum_growing", sum_growing),
    ("scan_up", scan_up),
    ("largest", largest),
    ("rotate", rotate),
    ("long_distance", long_distance),
    ("broadcast_last", broadcast_last),
];

const TYPES: &[Ty] = &[Ty::Int, Ty::Int, Ty::Uint, Ty::Float, Ty::Double, Ty::Long, Ty::Ulong];

/// The arguments of a shuffle, with its width if that is written.
pub(crate) fn shuffle(b: &mut Build<'_>, kind: Warp, value: Expr, by: Expr, width: Option<Expr>) -> Expr {
    let mut arguments = vec![b.full(), value, by];
    arguments.extend(width);
    warp(kind, &arguments)
}

fn lane(b: &mut Build<'_>) {
    let ty = b.rng.pick(TYPES);
    let value = b.data(ty);
    let (width, text) = b.width();
    let from = i32::try_from(b.rng.below(u32::try_from(width).unwrap())).unwrap();
    let by = if b.rng.chance(30) { int(0) } else { int(from) };
    let got = shuffle(b, Warp::Shfl, Expr::Var(value), by, text);
    b.out(got, ty);
}

fn neighbour(b: &mut Build<'_>) {
    let ty = b.rng.pick(TYPES);
    let value = b.data(ty);
    let lane = b.lane();
    let distance = int(i32::try_from(b.rng.between(1, 9)).unwrap());
    let next = lane + distance;
    let by = if b.rng.chance(50) { next & b.last_lane() } else { next % b.warp_size() };
    let text = b.width().1;
    let got = shuffle(b, Warp::Shfl, Expr::Var(value), by, text);
    b.out(got, ty);
}

/// Whether the lane that is read lies in the segment, as the kernel asks it.
fn inside(b: &mut Build<'_>, width: i32) -> Expr {
    let lane = b.lane().cast(Ty::Int);
    if width == 32 { lane } else { lane % int(width) }
}

fn down(b: &mut Build<'_>) {
    let ty = b.rng.pick(TYPES);
    let value = Expr::Var(b.data(ty));
    let (width, text) = b.width();
    let by = int(i32::try_from(b.rng.between(1, 7)).unwrap());
    let got = shuffle(b, Warp::ShflDown, value.clone(), by.clone(), text);
    let got = b.value("next", ty, got);
    if b.rng.chance(50) {
        return b.out(got, ty);
    }
    let limit = if width == 32 { b.warp_size() } else { int(width) };
    let place = inside(b, width);
    b.out((place + by).less(limit).select(got, value), ty);
}

fn up(b: &mut Build<'_>) {
    let ty = b.rng.pick(TYPES);
    let value = Expr::Var(b.data(ty));
    let (width, text) = b.width();
    let by = int(i32::try_from(b.rng.between(1, 7)).unwrap());
    let got = shuffle(b, Warp::ShflUp, value.clone(), by.clone(), text);
    let got = b.value("before", ty, got);
    if b.rng.chance(50) {
        return b.out(got, ty);
    }
    let place = inside(b, width);
    b.out(place.at_least(by).select(got, value), ty);
}

fn xor(b: &mut Build<'_>) {
    let ty = b.rng.pick(TYPES);
    let value = Expr::Var(b.data(ty));
    let (width, text) = b.width();
    let by = int(i32::try_from(b.rng.between(1, u32::try_from(width - 1).unwrap())).unwrap());
    let got = shuffle(b, Warp::ShflXor, value, by, text);
    b.out(got, ty);
}

/// How a distance is halved.
fn halved(b: &mut Build<'_>, distance: usize) -> Stmt {
    match b.rng.below(3) {
        0 => Stmt::Update(distance, Op::Div, int(2)),
        1 => Stmt::Set(distance, Expr::Var(distance) / int(2)),
        _ => Stmt::Update(distance, Op::Shr, int(1)),
    }
}

/// A variable for distances, of one of the types that loops have.
fn distance(b: &mut Build<'_>) -> usize {
    let name = b.rng.pick(&["offset", "o", "d", "step", "delta", "s"]);
    let (ty, spelled) = b.rng.pick(&[
        (Ty::Int, "int"),
        (Ty::Int, "int"),
        (Ty::Uint, "unsigned"),
        (Ty::Ulong, "unsigned long"),
        (Ty::Ulong, "size_t"),
    ]);
    let var = b.var(name, ty);
    b.kernel.vars[var].spelled = spelled.to_owned();
    var
}

/// A loop that halves a distance, from half a warp on.
pub(crate) fn halving(b: &mut Build<'_>, first: Expr, body: impl FnOnce(&mut Build<'_>, Expr)) {
    let var = distance(b);
    let condition = match b.rng.below(3) {
        0 => Expr::Var(var),
        1 => Expr::Var(var).op(Op::GreaterEqual, int(1)),
        _ => Expr::Var(var).op(Op::Greater, int(0)),
    };
    let step = halved(b, var);
    let body = b.block(|b| body(b, Expr::Var(var)));
    if b.rng.chance(30) {
        b.push(Stmt::Raw("#pragma unroll".to_owned()));
    }
    b.push(Stmt::For(var, first, condition, Box::new(step), body));
}

/// Adds what a shuffle brings.
fn add(b: &mut Build<'_>, kind: Warp, value: usize, by: Expr, width: Option<Expr>) {
    let got = shuffle(b, kind, Expr::Var(value), by, width);
    if b.rng.chance(60) {
        b.push(Stmt::Update(value, Op::Add, got));
    } else {
        b.push(Stmt::Set(value, Expr::Var(value) + got));
    }
}

fn sum_down(b: &mut Build<'_>) {
    let ty = b.rng.pick(TYPES);
    let value = b.data(ty);
    let (width, text) = b.width();
    let first = if width == 32 { b.half() } else { int(width / 2) };
    halving(b, first, |b, by| add(b, Warp::ShflDown, value, by, text));
    first_lane_stores(b, value, ty, width);
}

/// The first lane of a segment stores.
fn first_lane_stores(b: &mut Build<'_>, value: usize, ty: Ty, width: i32) {
    let lane = b.lane();
    let condition = if width == 32 { lane.equal(int(0)) } else { (lane % int(width)).equal(int(0)) };
    let region = b.region();
    let index = b.index.clone();
    let place = if width == 32 && b.rng.chance(60) { index / b.warp_size() } else { index };
    b.if_(condition, |b| b.out_at(region, place, Expr::Var(value), ty));
}

fn sum_butterfly(b: &mut Build<'_>) {
    let ty = b.rng.pick(TYPES);
    let value = b.data(ty);
    let (width, text) = b.width();
    let first = if width == 32 { b.half() } else { int(width / 2) };
    halving(b, first, |b, by| add(b, Warp::ShflXor, value, by, text));
    b.out(Expr::Var(value), ty);
}

fn sum_unrolled(b: &mut Build<'_>) {
    let ty = b.rng.pick(TYPES);
    let value = b.data(ty);
    let kind = b.rng.pick(&[Warp::ShflDown, Warp::ShflXor]);
    let text = if b.rng.chance(30) { Some(b.warp_size()) } else { None };
    for by in [16, 8, 4, 2, 1] {
        add(b, kind, value, int(by), text.clone());
    }
    first_lane_stores(b, value, ty, 32);
}

fn sum_growing(b: &mut Build<'_>) {
    let ty = b.rng.pick(TYPES);
    let value = b.data(ty);
    let var = distance(b);
    let limit = b.warp_size();
    let step = match b.rng.below(2) {
        0 => Stmt::Update(var, Op::Shl, int(1)),
        _ => Stmt::Update(var, Op::Mul, int(2)),
    };
    let body = b.block(|b| add(b, Warp::ShflXor, value, Expr::Var(var), None));
    let condition = if b.rng.chance(50) {
        Expr::Var(var).less(limit)
    } else {
        let half = b.half();
        Expr::Var(var).op(Op::LessEqual, half)
    };
    b.push(Stmt::For(var, int(1), condition, Box::new(step), body));
    b.out(Expr::Var(value), ty);
}

fn scan_up(b: &mut Build<'_>) {
    let ty = b.rng.pick(TYPES);
    let value = b.data(ty);
    let lane = b.lane().cast(Ty::Int);
    let lane = b.value("place", Ty::Int, lane);
    let var = b.var("d", Ty::Int);
    let limit = b.warp_size();
    let step = Stmt::Update(var, Op::Mul, int(2));
    let body = b.block(|b| {
        let got = shuffle(b, Warp::ShflUp, Expr::Var(value), Expr::Var(var), None);
        let got = b.value("t", ty, got);
        b.if_(lane.at_least(Expr::Var(var)), |b| b.push(Stmt::Update(value, Op::Add, got)));
    });
    b.push(Stmt::For(var, int(1), Expr::Var(var).less(limit), Box::new(step), body));
    b.out(Expr::Var(value), ty);
}

fn largest(b: &mut Build<'_>) {
    let ty = b.rng.pick(TYPES);
    let value = b.data(ty);
    let first = b.half();
    halving(b, first, |b, by| {
        let got = shuffle(b, Warp::ShflXor, Expr::Var(value), by, None);
        let got = b.value("other", ty, got);
        let better = got.clone().op(Op::Greater, Expr::Var(value));
        b.push(Stmt::Set(value, better.select(got, Expr::Var(value))));
    });
    b.out(Expr::Var(value), ty);
}

fn rotate(b: &mut Build<'_>) {
    let value = b.data(Ty::Int);
    let lane = b.lane();
    let last = b.last_lane();
    let from = last.cast(Ty::Int) - lane.cast(Ty::Int);
    let got = shuffle(b, Warp::Shfl, Expr::Var(value), from, None);
    b.out(got, Ty::Int);
}

fn long_distance(b: &mut Build<'_>) {
    let value = b.data(Ty::Int);
    let kind = b.rng.pick(&[Warp::Shfl, Warp::Shfl, Warp::ShflDown, Warp::ShflUp, Warp::ShflXor]);
    let by = match kind {
        Warp::Shfl => b.rng.pick(&[32, 33, 63, 40, -1]),
        _ => 32,
    };
    let got = shuffle(b, kind, Expr::Var(value), int(by), None);
    b.out(got, Ty::Int);
}

fn broadcast_last(b: &mut Build<'_>) {
    let ty = b.rng.pick(TYPES);
    let value = b.data(ty);
    let last = b.last_lane();
    let got = shuffle(b, Warp::Shfl, Expr::Var(value), last, None);
    b.out(got, ty);
}
