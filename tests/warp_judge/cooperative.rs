//! Kinds of statements: tiles of cooperative groups.

use crate::ast::{Expr, Group, Makes, OfGroup, Stmt, int};
use crate::build::Build;
use crate::kinds::Kind;
use crate::value::{Op, Ty};

pub(crate) const KINDS: &[(&str, Kind)] = &[
    ("tile_ranks", ranks),
    ("tile_shuffle", shuffle),
    ("tile_sum", sum),
    ("tile_ballot", ballot),
    ("tile_votes", votes),
    ("tile_match", matches),
    ("warp_tile_ballot", |b| ballot_of(b, &[32])),
    ("warp_tile_votes", |b| votes_of(b, &[32])),
    ("warp_tile_match", |b| matches_of(b, &[32])),
    ("tile_reduce", reduce),
    ("tile_reduce_alias_in_header", reduce_alias_in_header),
    ("tile_scan", scan),
    ("tile_of_tile", of_tile),
    ("tile_with_warp_call", with_warp_call),
    ("tile_shared", shared),
    ("block_group", block_group),
];

/// A tile of the block.
fn tile(b: &mut Build<'_>, sizes: &[u32]) -> (Group, u32) {
    let size = b.rng.pick(sizes);
    let block = b.group("block", "cg::thread_block", Makes::Block, None);
    let spelled = format!("cg::thread_block_tile<{size}>");
    (b.group("tile", &spelled, Makes::Tile(size, block), None), size)
}

const SIZES: &[u32] = &[32, 32, 32, 16, 8, 4, 2, 1];
const PARTS: &[u32] = &[16, 8, 4, 2, 1];

/// A call about a group.
pub(crate) fn of(call: OfGroup, group: Group, arguments: &[Expr]) -> Expr {
    Expr::Group(call, group, arguments.to_vec())
}

/// How groups tell of themselves.
pub(crate) fn rank(group: Group) -> Expr {
    of(OfGroup::Rank, group, &[])
}

fn size(group: Group) -> Expr {
    of(OfGroup::Size, group, &[])
}

fn ranks(b: &mut Build<'_>) {
    let (tile, _) = tile(b, SIZES);
    let all = size(tile) * int(1000) + rank(tile);
    b.out(all.cast(Ty::Uint), Ty::Uint);
    let meta = of(OfGroup::MetaRank, tile, &[]) * int(100) + of(OfGroup::MetaSize, tile, &[]);
    b.out(meta.cast(Ty::Uint), Ty::Uint);
}

fn shuffle(b: &mut Build<'_>) {
    let (tile, size) = tile(b, SIZES);
    let ty = b.rng.pick(&[Ty::Int, Ty::Float, Ty::Double, Ty::Uint, Ty::Ulong]);
    let value = Expr::Var(b.data(ty));
    let call = b.rng.pick(&[OfGroup::Shfl, OfGroup::ShflUp, OfGroup::ShflDown, OfGroup::ShflXor]);
    let by = int(i32::try_from(b.rng.below(size)).unwrap());
    b.out(of(call, tile, &[value, by]), ty);
}

fn sum(b: &mut Build<'_>) {
    let (tile, width) = tile(b, &[32, 32, 16, 8, 4]);
    let value = b.data(Ty::Int);
    let call = b.rng.pick(&[OfGroup::ShflDown, OfGroup::ShflXor]);
    let var = b.var("o", Ty::Int);
    let first = if b.rng.chance(50) { size(tile) / int(2) } else { int(i32::try_from(width / 2).unwrap()) };
    let body = b.block(|b| {
        let got = of(call, tile, &[Expr::Var(value), Expr::Var(var)]);
        b.push(Stmt::Update(value, Op::Add, got));
    });
    let step = Stmt::Update(var, Op::Shr, int(1));
    b.push(Stmt::For(var, first, Expr::Var(var).op(Op::Greater, int(0)), Box::new(step), body));
    let (region, index) = (b.region(), b.index.clone());
    b.if_(rank(tile).equal(int(0)), |b| b.out_at(region, index, Expr::Var(value), Ty::Int));
}

fn ballot(b: &mut Build<'_>) {
    ballot_of(b, PARTS);
}

fn ballot_of(b: &mut Build<'_>, sizes: &[u32]) {
    let (tile, _) = tile(b, sizes);
    let condition = b.condition();
    let votes = of(OfGroup::Ballot, tile, &[condition]);
    if b.rng.chance(40) {
        return b.out(votes.popc(), Ty::Int);
    }
    let votes = b.value("votes", Ty::Uint, votes);
    b.out(votes, Ty::Uint);
}

fn votes(b: &mut Build<'_>) {
    votes_of(b, PARTS);
}

fn votes_of(b: &mut Build<'_>, sizes: &[u32]) {
    let (tile, _) = tile(b, sizes);
    let condition = b.condition();
    let call = b.rng.pick(&[OfGroup::Any, OfGroup::All]);
    b.out(of(call, tile, &[condition]).select(int(3), int(5)), Ty::Int);
}

fn matches(b: &mut Build<'_>) {
    matches_of(b, PARTS);
}

fn matches_of(b: &mut Build<'_>, sizes: &[u32]) {
    let (tile, _) = tile(b, sizes);
    let key = b.input() % int(3);
    let key = b.value("key", Ty::Int, key);
    let same = of(OfGroup::MatchAny, tile, &[key]);
    let same = b.value("same", Ty::Uint, same);
    b.out(same, Ty::Uint);
}

fn reduce(b: &mut Build<'_>) {
    let (tile, _) = tile(b, SIZES);
    let value = Expr::Var(b.data(Ty::Int));
    let call = b.rng.pick(&[OfGroup::ReducePlus, OfGroup::ReduceLess, OfGroup::ReduceGreater, OfGroup::ReduceXor]);
    b.out(of(call, tile, &[value]), Ty::Int);
}

fn reduce_alias_in_header(b: &mut Build<'_>) {
    b.kernel.alias = b.global_name("groups");
    b.kernel.alias_in_header = true;
    b.kernel.in_header = true;
    b.kernel.in_namespace = false;
    reduce(b);
}

fn scan(b: &mut Build<'_>) {
    let (tile, _) = tile(b, SIZES);
    let value = Expr::Var(b.data(Ty::Int));
    let call = b.rng.pick(&[OfGroup::InclusiveScan, OfGroup::ExclusiveScan]);
    b.out(of(call, tile, &[value]), Ty::Int);
}

fn of_tile(b: &mut Build<'_>) {
    let (outer, _) = tile(b, &[32, 16]);
    let size = b.rng.pick(&[8u32, 4, 2]);
    let spelled = "auto";
    let inner = b.group("part", spelled, Makes::Tile(size, outer), None);
    let value = Expr::Var(b.data(Ty::Int));
    let first = of(OfGroup::Shfl, inner, &[value, int(0)]);
    let place = rank(inner) * int(1000) + of(OfGroup::MetaRank, inner, &[]) * int(100_000);
    b.out(first + place.cast(Ty::Int), Ty::Int);
}

/// A tile beside a call about the warp.
fn with_warp_call(b: &mut Build<'_>) {
    let (tile, _) = tile(b, &[32, 8]);
    let condition = b.condition();
    let votes = crate::build::warp(crate::ast::Warp::Ballot, &[b.full(), condition]);
    let votes = b.value("votes", Ty::Uint, votes);
    b.out((votes >> rank(tile)) & int(1), Ty::Uint);
}

fn shared(b: &mut Build<'_>) {
    let (tile, width) = tile(b, &[32, 16, 8]);
    let threads = b.kernel.launch.threads();
    let array = b.shared("row", Ty::Int, threads as usize, threads.to_string());
    let (value, thread) = (b.input(), b.thread.clone());
    b.push(Stmt::Store(array, thread.clone(), value));
    b.push(Stmt::SyncGroup(tile));
    let other = thread ^ int(i32::try_from(width - 1).unwrap());
    b.out(Expr::Load(array, Box::new(other)), Ty::Int);
}

fn block_group(b: &mut Build<'_>) {
    let block = b.group("cta", "cg::thread_block", Makes::Block, None);
    let threads = b.kernel.launch.threads();
    let array = b.shared("all", Ty::Int, threads as usize, threads.to_string());
    let value = b.input();
    b.push(Stmt::Store(array, rank(block), value));
    b.push(Stmt::SyncGroup(block));
    let other = size(block) - int(1) - rank(block);
    b.out(Expr::Load(array, Box::new(other)), Ty::Int);
}
