//! Loops in which the compiler lets lanes go round without the others of their wave.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::called_places::with_callers;
use super::divergent_barrier::own_barriers;
use super::divergent_collective::{WARP, parts_lanes};
use super::lane_branches::last_of;
use super::lane_function::LaneFunction;
use super::meeting_calls::meeting_calls;
use crate::analysis::{Function, If, Loop};
use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, range};
use crate::syntax::{Document, Operand, TokenIdx, among, words_in};

declare_rule! {
    /// ## What it does
    /// Finds loops that go on until something is found out (`for (;;)`, `while`, `do`), around a shuffle, a vote or a barrier, with a branch
    /// for some of the lanes in front of it, and another one at the end of the round.
    ///
    /// ## Why is this bad?
    /// Between two questions for the same lanes the compiler (clang 22, as in ROCm 7.2, from `-O2` on) leads those for which the answer is no from
    /// the one at the end straight behind the one at the start of the next round. That makes a loop of their own, in which they go round before the others
    /// come: a shuffle then takes what lanes hold that are not there. Warps that draw their work hang so:
    /// `if (lane == 0) row = atomicAdd(&next, 1); row = __shfl_sync(0xffffffff, row, 0);`. nvcc keeps the lanes of the mask together.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void rows(int* out, int* next, int count) {
    ///     int lane = threadIdx.x % 32;
    ///     for (;;) {
    ///         int row = 0;
    ///         if (lane == 0) row = atomicAdd(next, 1);
    ///         row = __shfl_sync(0xffffffff, row, 0);
    ///         if (row >= count) return;
    ///         if (lane == 0) out[row] = row;
    ///     }
    /// }
    /// ```
    /// Use instead:
    /// ```hip
    /// __global__ void rows(int* out, int* next, int count) {
    ///     int lane = threadIdx.x % 32;
    ///     for (;;) {
    ///         __builtin_amdgcn_wave_barrier();
    ///         int row = 0;
    ///         if (lane == 0) row = atomicAdd(next, 1);
    ///         row = __shfl(row, 0, 32);
    ///         if (row >= count) return;
    ///         if (lane == 0) out[row] = row;
    ///     }
    /// }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the function makes no instruction. The compiler leads no way around it.
    SplitLoop { code: "W044", name: "split-loop", severity: Hint, fix: Always, since: "0.2.0" }
}

/// Keeps the lanes of a wave together for the compiler (LLVM, "User Guide for AMDGPU Backend", `llvm.amdgcn.wave.barrier`).
const BARRIER: &str = "__builtin_amdgcn_wave_barrier";

impl Rule for SplitLoop {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        if cx.facts.is_hip {
            return;
        }
        let functions = &cx.facts.functions;
        let open: Vec<(&Function, Vec<Loop>)> = functions
            .iter()
            .filter(|function| function.runs_on_device())
            .map(|function| (function, open_loops(cx, function)))
            .filter(|(_, loops)| !loops.is_empty())
            .collect();
        if open.is_empty() {
            return;
        }
        let stops = stops(cx);
        let named = functions.iter().filter_map(|function| Some((cx.document.token_text(function.name?), function)));
        let mut rounds = Rounds { cx, stops: &stops, functions: named.collect(), parted: FxHashMap::default() };
        let mut split = Vec::new();
        for (function, loops) in open {
            let is_read = |looped: &Loop| !cx.is_for_cuda_alone(looped.keyword);
            for looped in loops.into_iter().filter(is_read) {
                split.extend(rounds.split(function, &looped).map(|place| (looped, place)));
            }
        }
        for (looped, place) in split {
            report(cx, &looped, place);
        }
    }
}

/// The loops of a function that no counter ends.
fn open_loops(cx: &Context<'_>, function: &Function) -> Vec<Loop> {
    let is_open = |looped: &&Loop| looped.condition.is_empty() || looped.step.is_empty();
    cx.control_flow(function).loops.iter().filter(is_open).cloned().collect()
}

/// Where a round gets the barrier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    /// The condition is what lanes meet in first.
    End,
}

/// Something that the lanes of a wave do together.
struct Stop {
    at: TokenIdx,
    /// Whether it is done in a function of the project, which may branch before and after it.
    is_elsewhere: bool,
}

/// All that the lanes of a wave do together, in the order of the text.
fn stops(cx: &Context<'_>) -> Vec<Stop> {
    let document = cx.document;
    let is_elsewhere = |at: TokenIdx, reached: &str| document.token_text(at) != reached;
    let mut stops: Vec<Stop> = meeting_calls(cx)
        .into_iter()
        .map(|call| Stop {
            at: call.name,
            is_elsewhere: call.mask.is_empty() && is_elsewhere(call.name, call.function),
        })
        .collect();
    // Without a mask, as before CUDA 9 and in HIP.
    let of_lanes = cx.names.iter().filter(|name| LaneFunction::of(name).is_some()).map(|name| name.token);
    stops.extend(of_lanes.map(|at| Stop { at, is_elsewhere: false }));
    let own = own_barriers(cx);
    let known: FxHashSet<TokenIdx> = own.iter().copied().collect();
    stops.extend(with_callers(cx, own).into_iter().map(|at| Stop { at, is_elsewhere: !known.contains(&at) }));
    stops.sort_by_key(|stop| stop.at);
    stops
}

/// The rounds of loops.
struct Rounds<'c, 'd> {
    cx: &'c Context<'d>,
    stops: &'c [Stop],
    functions: FxHashMap<&'d str, &'c Function>,
    /// Whether the branches with these first words part lanes, as far as that was asked.
    parted: FxHashMap<TokenIdx, bool>,
}

impl Rounds<'_, '_> {
    /// Where the barrier belongs in a loop in which lanes may go from a branch behind the last stop of a round straight behind one in
    /// front of the first.
    fn split(&mut self, function: &Function, looped: &Loop) -> Option<Place> {
        let (document, body) = (self.cx.document, &looped.body);
        let of = |tokens: &Range<TokenIdx>| among(self.stops, tokens.clone(), |stop| stop.at);
        let (asked, done) = (of(&looped.condition), of(body));
        let asks_first = looped.condition.start < body.start;
        let (first, last) = if asks_first {
            (asked.first().or(done.first())?, done.last().or(asked.last())?)
        } else {
            (done.first()?, asked.last().or(done.last())?)
        };
        if words_in(document, BARRIER, body.clone()).next().is_some() {
            return None;
        }
        let is_asked = |stop: &Stop| looped.condition.contains(&stop.at);
        let in_front = if is_asked(first) { first.at..first.at } else { body.start..first.at };
        let rest = if is_asked(last) && !asks_first { last.at..last.at } else { last.at.max(body.start)..body.end };
        let before = self.branches(function, in_front).or_else(|| self.branches_in(first, Side::Before));
        let behind = self.branches(function, rest).or_else(|| self.branches_in(last, Side::Behind));
        // A function of another file may have a branch.
        let is_split = before.or(behind).is_some() && before.unwrap_or(true) && behind.unwrap_or(true);
        is_split.then_some(if is_asked(first) { Place::End } else { Place::Start })
    }

    /// `Some(true)` if a branch among these tokens parts lanes.
    fn branches(&mut self, function: &Function, tokens: Range<TokenIdx>) -> Option<bool> {
        let flow = self.cx.control_flow(function);
        // `if (__any_sync(mask, x) && lane == 0)` branches behind what stands in its condition.
        let first = flow.ifs.partition_point(|found| found.condition.end <= tokens.start);
        let mut ifs = flow.ifs[first..].iter().take_while(|found| found.keyword < tokens.end);
        ifs.any(|found| self.parts(function, found)).then_some(true)
    }

    /// Whether one in the function that a stop is done in parts lanes; `None` if that is not in this file.
    fn branches_in(&mut self, stop: &Stop, side: Side) -> Option<bool> {
        if !stop.is_elsewhere {
            return Some(false);
        }
        let document = self.cx.document;
        let callee = *self.functions.get(document.token_text(stop.at))?;
        let within = among(self.stops, callee.body.clone(), |stop| stop.at);
        let tokens = match side {
            Side::Before => callee.body.start..within.first().map_or(callee.body.end, |stop| stop.at),
            Side::Behind => within.last().map_or(callee.body.start, |stop| stop.at)..callee.body.end,
        };
        Some(self.branches(callee, tokens).is_some())
    }

    /// Whether a branch parts lanes that stay in the loop.
    fn parts(&mut self, function: &Function, found: &If) -> bool {
        let cx = self.cx;
        *self.parted.entry(found.keyword).or_insert_with(|| {
            let condition = Operand::read(cx.document, found.condition.clone());
            !leaves(cx.document, found) && parts_lanes(cx, function, &condition, WARP)
        })
    }
}

/// On which side of what lanes do together.
#[derive(Clone, Copy)]
enum Side {
    Before,
    Behind,
}

/// Whether all that a branch does is to end the loop or the function.
fn leaves(document: &Document, found: &If) -> bool {
    let last = last_of(document, &found.then).map_or("", |last| document.token_text(last));
    found.other.is_empty() && matches!(last, "break" | "return")
}

fn report(cx: &mut Context<'_>, looped: &Loop, place: Place) {
    let keyword = cx.document.range_of(looped.keyword..looped.keyword + 1);
    let fix = Fix::safe("keep the lanes of a wave together", edits(cx, looped, place));
    cx.report(keyword, "the compiler may let lanes go round this loop without the others of their wave").fix(fix);
}

/// The barrier at the start or end of each round.
fn edits(cx: &Context<'_>, looped: &Loop, place: Place) -> Vec<Edit> {
    let document = cx.document;
    let (body, newline) = (&looped.body, document.file().newline.as_str());
    let is_shared = cx.facts.functions.around(looped.keyword).is_some_and(|function| function.is_host);
    if !document.is(body.start, b'{') {
        let (start, end) = (document.range_of(body.start..body.start + 1), document.range_of(body.end - 1..body.end));
        return vec![Edit::insert(start.start(), "{ "), Edit::insert(end.end(), format!(" {BARRIER}(); }}"))];
    }
    let at = if place == Place::End { body.end - 1 } else { body.start + 1 };
    let (before, next) = (document.range_of(at - 1..at), document.range_of(at..at + 1));
    let blank = &document.text()[usize::from(before.end())..usize::from(next.start())];
    // A comment may stand in front on the same line.
    let Some(line) = blank.rfind('\n').filter(|&line| blank[line..].trim().is_empty()) else {
        let text = if is_shared { format!("\n{}\n", guarded("")) } else { format!("{BARRIER}(); ") };
        return vec![Edit::insert(next.start(), text.replace('\n', newline))];
    };
    let indent = format!("{}{}", &blank[line + 1..], if place == Place::End { "    " } else { "" });
    let start = usize::from(before.end()) + line + 1;
    let text = if is_shared { guarded(&indent) } else { format!("{indent}{BARRIER}();") };
    vec![Edit::insert(range(start, start).start(), format!("{text}\n").replace('\n', newline))]
}

/// The barrier where the host's compilers read the function as well, which know nothing of it.
fn guarded(indent: &str) -> String {
    format!("#ifdef __HIP_DEVICE_COMPILE__\n{indent}{BARRIER}();\n#endif")
}
