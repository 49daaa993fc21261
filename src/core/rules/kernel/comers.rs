//! Which threads of a wave come to a place of a function, by the conditions around it and around all calls of the function.

use rustc_hash::FxHashMap;

use super::one_thread::{Guard, guards, picked};
use crate::analysis::{Function, Picked, Polled};
use crate::rules::context::Context;
use crate::settings::WaveWidth;
use crate::syntax::{Call, Operand, TokenIdx, TokenKind, less_of};

/// Which threads come to a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Comers {
    /// Any number.
    Many,
    /// One of each 32: two of a wave of 64.
    OneOf32,
    /// One of each block, as far as can be told.
    One,
}

/// What is known of a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    pub comers: Comers,
    /// Whether a kernel holds it, or something in the file calls its function.
    pub is_reached: bool,
    /// Whether some warps or lanes were kept away.
    pub splits_warps: bool,
    /// Whether one block was asked for.
    pub picks_block: bool,
    /// What the function is called with.
    pub given: Polled,
}

impl Reach {
    fn or(self, other: Reach) -> Reach {
        Reach {
            comers: self.comers.min(other.comers),
            is_reached: self.is_reached || other.is_reached,
            splits_warps: self.splits_warps || other.splits_warps,
            picks_block: self.picks_block && other.picks_block,
            given: self.given.or(other.given),
        }
    }
}

/// What is known of the way to a place, from the place outwards.
#[derive(Debug, Clone, Copy, Default)]
struct Way {
    picked: Picked,
    /// The last dimension of the block that a function asked for.
    dimensions: u8,
    given: Polled,
    calls: u32,
}

/// Calls of calls are followed so far, and so many in all for one place.
const DEEPEST: u32 = 4;
const MOST: u32 = 64;

/// The conditions and dimensions of functions, read once for each.
#[derive(Default)]
pub(super) struct Guarded {
    of_functions: FxHashMap<TokenIdx, (Vec<Guard>, u8)>,
    followed: u32,
}

impl Guarded {
    /// What is known of a place; where warps become whole waves, one of each 32 is one.
    pub(super) fn reach(&mut self, cx: &Context<'_>, function: &Function, idx: TokenIdx) -> Reach {
        let start = cx.document.range_of(idx..idx + 1).start();
        let is_native = !cx.facts.is_hip && cx.wave_width_at(start) == WaveWidth::Native;
        self.followed = 0;
        let mut reach = self.follow(cx, function, idx, Way::default());
        if is_native && reach.comers == Comers::OneOf32 {
            reach.comers = Comers::One;
        }
        reach
    }

    fn follow(&mut self, cx: &Context<'_>, function: &Function, idx: TokenIdx, way: Way) -> Reach {
        let (guards, dimensions) = self
            .of_functions
            .entry(function.body.start)
            .or_insert_with(|| (guards(cx, function), dimensions(cx, function)));
        let way =
            Way { picked: way.picked.and(picked(guards, idx)), dimensions: way.dimensions.max(*dimensions), ..way };
        let name = function.name.filter(|_| !function.is_kernel && way.calls < DEEPEST);
        let calls = name.map(|name| calls(cx, name)).unwrap_or_default();
        let mut worst: Option<Reach> = None;
        for idx in calls {
            let Some(caller) = cx.facts.functions.around(idx).filter(|caller| caller.runs_on_device()) else {
                continue;
            };
            if caller.body.start == function.body.start {
                continue;
            }
            self.followed += 1;
            let way = Way { given: way.given.or(given(cx, caller, idx)), calls: way.calls + 1, ..way };
            if self.followed > MOST {
                // Of the rest nothing is known.
                let rest = at_end(cx, function, way);
                return worst.map_or(rest, |worst| worst.or(rest));
            }
            let found = self.follow(cx, caller, idx, way);
            worst = Some(worst.map_or(found, |worst| worst.or(found)));
        }
        worst.unwrap_or_else(|| at_end(cx, function, way))
    }
}

/// What is known where nothing calls the function.
fn at_end(cx: &Context<'_>, function: &Function, way: Way) -> Reach {
    let name = function.name.filter(|_| function.is_kernel);
    let axes = name.and_then(|name| cx.block_axes(cx.document.token_text(name)));
    let dimensions = match axes {
        Some(axes) if !axes.is_open => axes.needed,
        Some(axes) => axes.needed.max(way.dimensions),
        None => way.dimensions,
    };
    let comers = match way.picked {
        picked if picked.is_one(dimensions) => Comers::One,
        picked if picked.is_one_lane() => Comers::OneOf32,
        _ => Comers::Many,
    };
    let is_reached = function.is_kernel || way.calls > 0;
    let Picked { splits_warps, picks_block, .. } = way.picked;
    Reach { comers, is_reached, splits_warps, picks_block, given: way.given }
}

/// Where a function is called, and where a constructor makes an object.
fn calls(cx: &Context<'_>, name: TokenIdx) -> Vec<TokenIdx> {
    let document = cx.document;
    let opens = |idx: TokenIdx| matches!(document.token_text(idx), "(" | "{");
    let is_call = |idx: TokenIdx| {
        // `Guard<int> guard(mutex)`
        let last = (idx + 1..idx + LONGEST_ARGUMENTS).find(|&at| document.is(at, b'>'));
        let last = last.filter(|&at| document.is(idx + 1, b'<') && less_of(document, at) == Some(idx + 1));
        let next = last.unwrap_or(idx) + 1;
        opens(next) || document.kind(next) == Some(TokenKind::Ident) && opens(next + 1)
    };
    let uses = cx.thread_numbers().uses(document.token_text(name), 0..document.tokens().len());
    uses.filter(|&idx| idx != name && !is_destructor(cx, idx) && is_call(idx)).collect()
}

/// Template arguments of an object that is made have no more tokens than this.
const LONGEST_ARGUMENTS: usize = 32;

fn is_destructor(cx: &Context<'_>, idx: TokenIdx) -> bool {
    cx.document.before(idx).is_some_and(|before| cx.document.is(before, b'~'))
}

/// What the arguments of a call are made of.
fn given(cx: &Context<'_>, caller: &Function, idx: TokenIdx) -> Polled {
    let document = cx.document;
    let arguments = Call::at(document, idx).map(|call| call.arguments).unwrap_or_default();
    let operands = arguments.into_iter().map(|argument| Operand::read(document, document.tokens_in(argument)));
    let read = |operand| Polled::of(document, cx.thread_numbers(), caller, &operand);
    operands.map(read).fold(Polled::default(), Polled::or)
}

/// The last dimension of the block that a function names, from 1.
fn dimensions(cx: &Context<'_>, function: &Function) -> u8 {
    let document = cx.document;
    let built_in = |idx: TokenIdx| matches!(document.token_text(idx), "threadIdx" | "blockDim");
    let axis = |idx: TokenIdx| match document.token_text(idx + 2) {
        "z" => 3,
        "y" => 2,
        _ => 1,
    };
    function.body.clone().filter(|&idx| built_in(idx)).map(axis).max().unwrap_or(1)
}
