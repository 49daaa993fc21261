//! Kinds of statements that kernels are put together from, and how a kernel begins.

use crate::ast::{Expr, Kernel, Launch, Special, Stmt};
use crate::build::Build;
use crate::rng::Rng;
use crate::value::{Op, Ty};
use crate::{atomics, cooperative, divergent, machine, masks, parts, portable, shared, shuffles, votes};

/// Adds statements to a kernel.
pub(crate) type Kind = fn(&mut Build<'_>);

/// All kinds by name.
pub(crate) fn all() -> Vec<(&'static str, Kind)> {
    [
        shuffles::KINDS,
        votes::KINDS,
        shared::KINDS,
        masks::KINDS,
        divergent::KINDS,
        atomics::KINDS,
        cooperative::KINDS,
        parts::KINDS,
        portable::KINDS,
    ]
    .concat()
}

/// Sizes of blocks in one and in two directions.
fn threads(rng: &mut Rng) -> (u32, u32) {
    match rng.below(20) {
        0..=7 => (rng.between(1, 8) * 32, 1),
        8..=9 => (rng.pick(&[64, 128, 256]), 1),
        10 => (rng.pick(&[512, 1024]), 1),
        11 => (rng.pick(&[1, 7, 20, 31, 33, 48, 63, 65]), 1),
        12..=14 => (rng.between(1, 200), 1),
        15..=16 => (32, rng.between(1, 6)),
        17 => (rng.pick(&[8, 16]), rng.pick(&[2, 4, 8])),
        18 => (64, rng.between(1, 3)),
        _ => (96, 1),
    }
}

fn launch(rng: &mut Rng) -> Launch {
    let (x, y) = threads(rng);
    let blocks = if x * y > 256 { 1 } else { rng.between(1, 3) };
    let all = blocks * x * y;
    let count = if rng.chance(30) { all - rng.below(all.min(70)) } else { all };
    let threads_text = match (x % 32, y) {
        (_, 2..) => format!("dim3({x}, {y})"),
        (0, _) if rng.chance(60) => format!("{} * 32", x / 32),
        (0, _) if rng.chance(30) => format!("dim3({} * 32)", x / 32),
        _ => x.to_string(),
    };
    Launch { blocks, x, y, count, blocks_text: blocks.to_string(), threads_text }
}

/// What each kernel starts with: the number of the thread, and perhaps threads that leave.
fn begin(b: &mut Build<'_>) {
    let launch = b.kernel.launch.clone();
    let x = Expr::Special(Special::ThreadX);
    b.thread = launch.thread();
    if launch.y > 1 || b.rng.chance(30) {
        let thread = b.thread.clone();
        let name = b.rng.pick(&["tid", "t", "thread"]);
        let ty = b.rng.pick(&[Ty::Int, Ty::Uint]);
        b.thread = b.value(name, ty, thread);
    }
    let block = Expr::Special(Special::BlockX);
    let index = match launch.y {
        1 => block * Expr::Special(Special::DimX) + x,
        _ => block * (Expr::Special(Special::DimX) * Expr::Special(Special::DimY)) + b.thread.clone(),
    };
    let name = b.rng.pick(&["i", "idx", "gid", "global"]);
    b.index = b.value(name, Ty::Int, index);
    if launch.count < launch.all() {
        let beyond = b.index.clone().op(Op::GreaterEqual, Expr::Special(Special::Count));
        b.if_(beyond, |b| b.push(Stmt::Return));
    }
}

/// Makes a kernel of some kinds, if these fit together: C++ and CUDA leave nothing of it undefined.
pub(crate) fn kernel(rng: &mut Rng, name: &str, kinds: &[(&'static str, Kind)]) -> Option<Kernel> {
    let launch = launch(rng);
    let mut build = Build::new(rng, name.to_owned(), launch);
    build.kernel.in_header = build.rng.chance(10);
    build.kernel.in_namespace = build.rng.chance(30);
    begin(&mut build);
    for (kind, add) in kinds {
        build.kernel.kinds.push(kind);
        add(&mut build);
    }
    let kernel = build.done();
    machine::run(&kernel).is_ok().then_some(kernel)
}
