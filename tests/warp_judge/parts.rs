//! Kinds of statements: groups of those lanes that are there, and groups by value.

use crate::ast::{Expr, Group, Makes, OfGroup, Stmt, int};
use crate::build::Build;
use crate::cooperative::{of, rank};
use crate::kinds::Kind;
use crate::value::{Op, Ty};

pub(crate) const KINDS: &[(&str, Kind)] = &[
    ("coalesced_size", coalesced_size),
    ("coalesced_branch", coalesced_branch),
    ("coalesced_ballot", coalesced_ballot),
    ("coalesced_shuffle", coalesced_shuffle),
    ("coalesced_sum", coalesced_sum),
    ("coalesced_atomic", coalesced_atomic),
    ("coalesced_reduce", coalesced_reduce),
    ("binary_parts_of_tile", binary_of_tile),
    ("binary_parts_of_active", binary_of_active),
    ("labeled_parts", labeled_parts),
];

fn coalesced(b: &mut Build<'_>) -> Group {
    let name = b.rng.pick(&["active", "g", "together"]);
    b.group(name, "cg::coalesced_group", Makes::Coalesced, None)
}

fn in_branch(b: &mut Build<'_>, body: impl FnOnce(&mut Build<'_>) -> Expr) {
    let wants = b.condition();
    let (region, index) = (b.region(), b.index.clone());
    b.if_(wants, |b| {
        let got = body(b);
        b.out_at(region, index, got, Ty::Int);
    });
}

/// Size and rank in one number.
fn told(group: Group) -> Expr {
    (of(OfGroup::Size, group, &[]) * int(1000) + rank(group)).cast(Ty::Int)
}

fn coalesced_size(b: &mut Build<'_>) {
    let group = coalesced(b);
    b.out(told(group), Ty::Int);
}

fn coalesced_branch(b: &mut Build<'_>) {
    in_branch(b, |b| {
        let group = coalesced(b);
        told(group)
    });
}

fn coalesced_ballot(b: &mut Build<'_>) {
    in_branch(b, |b| {
        let group = coalesced(b);
        let condition = b.condition();
        let call = b.rng.pick(&[OfGroup::Ballot, OfGroup::Any, OfGroup::All]);
        of(call, group, &[condition]).cast(Ty::Int)
    });
}

fn coalesced_shuffle(b: &mut Build<'_>) {
    in_branch(b, |b| {
        let group = coalesced(b);
        let value = b.data(Ty::Int);
        of(OfGroup::Shfl, group, &[Expr::Var(value), int(0)])
    });
}

fn coalesced_sum(b: &mut Build<'_>) {
    in_branch(b, |b| {
        let group = coalesced(b);
        let value = b.data(Ty::Int);
        let sum = b.let_mut("all", Ty::Int, int(0));
        let other = b.var("r", Ty::Uint);
        let body = b.block(|b| {
            let got = of(OfGroup::Shfl, group, &[Expr::Var(value), Expr::Var(other)]);
            b.push(Stmt::Update(sum, Op::Add, got));
        });
        let step = Stmt::Update(other, Op::Add, int(1));
        let limit = of(OfGroup::Size, group, &[]);
        b.push(Stmt::For(other, int(0), Expr::Var(other).less(limit), Box::new(step), body));
        Expr::Var(sum)
    });
}

fn coalesced_atomic(b: &mut Build<'_>) {
    let wants = b.condition();
    b.if_(wants, |b| {
        let group = coalesced(b);
        b.if_(rank(group).equal(int(0)), |b| {
            let size = of(OfGroup::Size, group, &[]).cast(Ty::Uint);
            b.add(int(0), size, None);
        });
    });
}

fn coalesced_reduce(b: &mut Build<'_>) {
    in_branch(b, |b| {
        let group = coalesced(b);
        let value = b.data(Ty::Int);
        let call = b.rng.pick(&[OfGroup::ReducePlus, OfGroup::ReduceLess, OfGroup::ReduceGreater]);
        of(call, group, &[Expr::Var(value)])
    });
}

fn warp_tile(b: &mut Build<'_>) -> Group {
    let block = b.group("block", "cg::thread_block", Makes::Block, None);
    b.group("tile", "cg::thread_block_tile<32>", Makes::Tile(32, block), None)
}

fn binary_of_tile(b: &mut Build<'_>) {
    let tile = warp_tile(b);
    binary_parts(b, tile);
}

fn binary_of_active(b: &mut Build<'_>) {
    let active = coalesced(b);
    binary_parts(b, active);
}

fn binary_parts(b: &mut Build<'_>, of_all: Group) {
    let condition = b.condition();
    let part = b.group("part", "cg::coalesced_group", Makes::Binary(of_all), Some(condition.op(Op::Unequal, int(0))));
    b.out(told(part), Ty::Int);
}

fn labeled_parts(b: &mut Build<'_>) {
    let of_all = if b.rng.chance(50) { warp_tile(b) } else { coalesced(b) };
    let label = b.input() % int(3);
    let part = b.group("part", "cg::coalesced_group", Makes::Labeled(of_all), Some(label));
    b.out(told(part), Ty::Int);
}
