//! Locks that the threads of one wave take from each other, and other waiting for a thread of the same wave.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::comers::{Comers, Guarded, Reach};
use super::macro_waits::{MacroWait, macro_waits};
use crate::analysis::{Function, Loop, Polled, ThreadNumber, WaitingLoop, WaitsFor, waiting_loops};
use crate::diagnostic::{Diagnostic, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, TokenKind, words_in};

declare_rule! {
    /// ## What it does
    /// Finds loops in device code in which a thread waits for another one. For a lock: `atomicCAS`, `atomicExch` or
    /// `atomicOr` with constant values, `atomicCAS` with the number of an owner, or a function of the file that does one of them and
    /// returns how it went, decides whether the loop goes on, in its condition, in an `if`, or by a
    /// variable. For its turn: a number that `atomicAdd` drew has to come up. For a value: nothing but a read of
    /// memory decides, by a function of the file or in assembler included.
    ///
    /// Loops that one thread of the block reaches are left alone. Conditions tell, those around all calls of the function
    /// included: one that compares the position of a thread in its block with a number, in all dimensions that the
    /// launches of the kernel or the names in it tell of; or the rank in a `thread_block`; or the lane and the warp both.
    /// `i < n`, `valid[i]` and other conditions may hold for any number of threads. One lane of each 32 is not enough: a wave of
    /// 64 has two of them. So has a row of 32 threads.
    ///
    /// Loops that wait for a value are a warning where another warp of the block may write it: they, or a call of their function, stand
    /// behind a condition on the lane or warp, or the place or number that they ask for is made of that; and where the function writes to
    /// the same array at the place of a thread, lane or warp. Macros that are such a loop are told where device code uses them. Other loops that wait for a value
    /// are for information, as another block may write it, and so are locks in functions that nothing in the file calls.
    ///
    /// Also finds loops that do the work with the lock and let no lanes meet in their body, or lead out of it with the lock.
    ///
    /// ## Why is this bad?
    /// The lanes of a wave run in lockstep. The lane that has the lock waits behind the loop for
    /// the other lanes to leave it, and they wait for the lock: the kernel hangs. NVIDIA GPUs since
    /// Volta schedule threads independently. A wave of 64 lanes is two warps of CUDA, so that one warp of a block must not wait for the next.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void count(int* mutex, int* n) {
    ///     while (atomicCAS(mutex, 0, 1) != 0);
    ///     ++*n;
    ///     atomicExch(mutex, 0);
    /// }
    /// ```
    ///
    /// ## What to do
    /// Do the work and release the lock within the loop, and end the loop's body with `__syncwarp()`: `bool done = false; while
    /// (!done) { if (atomicCAS(mutex, 0, 1) == 0) { ...; atomicExch(mutex, 0); done = true; } __syncwarp(); }`. Without it, or with
    /// `break` in place of `done`, Clang moves the work behind the loop, where the lane waits for those that wait for it. Or
    /// let one thread of the block take the lock for all.
    SpinLock { code: "K025", name: "spin-lock", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for SpinLock {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let functions = &cx.facts.functions;
        let (mut guarded, mut writes) = (Guarded::default(), LaneWrites::default());
        for function in functions.iter().filter(|function| function.runs_on_device()) {
            let flow = cx.control_flow(function);
            for waiting in waiting_loops(cx.document, cx.thread_numbers(), (function, &flow)) {
                check_loop(cx, function, &waiting, (&mut guarded, &mut writes));
            }
        }
        for wait in macro_waits(cx) {
            check_macro(cx, &wait, &mut guarded);
        }
    }
}

fn check_macro(cx: &mut Context<'_>, wait: &MacroWait<'_>, guarded: &mut Guarded) {
    let reach = guarded.reach(cx, wait.function, wait.name);
    let severity = match (reach.comers, wait.is_lock) {
        (Comers::One, _) => return,
        (_, true) if reach.is_reached => Some(Severity::Warning),
        (_, true) => Some(Severity::Info),
        (_, false) => severity_of_poll(reach.given, reach),
    };
    let Some(severity) = severity else { return };
    let message = if wait.is_lock {
        "this macro waits for a lock that another lane of the same wave may hold"
    } else {
        "this macro waits for a value that another thread writes, which must not be one of the same wave"
    };
    let range = cx.document.range_of(wait.name..wait.name + 1);
    cx.report(range, message).severity(severity).note(APART);
}

fn check_loop<'d>(
    cx: &mut Context<'d>,
    function: &Function,
    waiting: &WaitingLoop,
    (guarded, writes): (&mut Guarded, &mut LaneWrites<'d>),
) {
    let looped = &waiting.looped;
    let reach = guarded.reach(cx, function, looped.keyword);
    match waiting.waits_for {
        WaitsFor::Work { leaves } => {
            if reach.comers != Comers::One && (leaves || !meets(cx.document, function, looped)) {
                report_work(cx, looped, leaves);
            }
        }
        WaitsFor::Shared(_) => {
            let message = "a lane waits here for a value that another thread of its block writes, which may be one of the same wave";
            report(cx, looped, message, Severity::Warning).note(APART);
        }
        _ if reach.comers == Comers::One => {}
        WaitsFor::Lock | WaitsFor::Turn => {
            // Without any call in the file it cannot be told how many lanes wait.
            let severity = if reach.is_reached { Severity::Warning } else { Severity::Info };
            report_waiting(cx, waiting, severity, reach.comers);
        }
        WaitsFor::Value(_) => {
            let polled = Polled::of_loop(cx.document, cx.thread_numbers(), function, looped).or(reach.given);
            match severity_of_poll(polled, reach) {
                Some(_) if is_written_by_lanes(cx, function, waiting, writes) => {
                    let message =
                        "a lane waits here for a value that another lane writes, which may be one of the same wave";
                    report(cx, looped, message, Severity::Warning).note(APART);
                }
                Some(severity) => report_waiting(cx, waiting, severity, reach.comers),
                None => {}
            }
        }
    }
}

const APART: &str = "on gfx9 the threads 0 to 63 of a block are one wave, in lockstep: on NVIDIA GPUs they are two warps, and \
                     even the threads of one go on by themselves";

/// Where functions write to arrays, each thread, lane or warp to a place of its own.
#[derive(Default)]
struct LaneWrites<'d>(FxHashMap<(TokenIdx, &'d str), Rc<[TokenIdx]>>);

impl<'d> LaneWrites<'d> {
    /// The names of an array of a function where it is written so.
    fn of(&mut self, cx: &Context<'d>, function: &Function, array: &'d str) -> Rc<[TokenIdx]> {
        let document: &'d Document = cx.document;
        let is_write = |&name: &TokenIdx| {
            let open = name + 1;
            let Some(close) = document.partner(open).filter(|_| document.is(open, b'[')) else { return false };
            let is_assigned = document.is(close + 1, b'=') && !document.is(close + 2, b'=');
            let is_given =
                || name > 2 && document.is(name - 1, b'&') && document.token_text(name - 3).starts_with("atomic");
            let by_lane = || {
                let number = cx.thread_numbers().number(open + 1..close, function);
                matches!(number, Some(ThreadNumber::Thread | ThreadNumber::Lane | ThreadNumber::Warp))
            };
            (is_assigned || is_given()) && by_lane()
        };
        let look = || words_in(document, array, function.body.clone()).filter(is_write).collect();
        Rc::clone(self.0.entry((function.body.start, array)).or_insert_with(look))
    }
}

/// Whether the function writes to the array that a loop reads until there is something, each thread, lane or warp to a place of its own:
/// `while (done[row] == 0); …; done[thread] = 1;`
fn is_written_by_lanes<'d>(
    cx: &Context<'d>,
    function: &Function,
    waiting: &WaitingLoop,
    writes: &mut LaneWrites<'d>,
) -> bool {
    let document: &'d Document = cx.document;
    let WaitsFor::Value(place) = waiting.waits_for else { return false };
    let Some(array) = polled_array(document, place, waiting.looped.end()) else { return false };
    let index = |open: TokenIdx| document.partner(open).map(|close| document.slice(document.range_of(open + 1..close)));
    let read = index(array + 1);
    // Who waits for a place of its own is no one else's writer.
    let all = writes.of(cx, function, document.token_text(array));
    all.iter().any(|&name| !waiting.looped.repeats(name) && index(name + 1) != read)
}

/// The array of which an element is read at `place`: `done[i]`, `atomicAdd(&done[i], 0)`.
fn polled_array(document: &Document, place: TokenIdx, end: TokenIdx) -> Option<TokenIdx> {
    if document.is(place, b'[') {
        return place.checked_sub(1).filter(|&name| document.kind(name) == Some(TokenKind::Ident));
    }
    let is_array = |&idx: &TokenIdx| document.kind(idx) == Some(TokenKind::Ident) && document.is(idx + 1, b'[');
    document.token_text(place).starts_with("atomic").then(|| (place + 1..end).find(is_array)).flatten()
}

/// Whether another warp of the block writes the value that a loop waits for, or another block, which one block as a whole may
/// wait for.
fn severity_of_poll(polled: Polled, reach: Reach) -> Option<Severity> {
    let by_lanes = polled.by_lane || reach.splits_warps;
    if polled.by_warp || by_lanes && !polled.by_block {
        return Some(Severity::Warning);
    }
    (by_lanes || !reach.picks_block).then_some(Severity::Info)
}

fn report_waiting(cx: &mut Context<'_>, waiting: &WaitingLoop, severity: Severity, comers: Comers) {
    let message = match (waiting.waits_for, comers) {
        (WaitsFor::Value(_), _) if severity == Severity::Warning => {
            "a warp waits here for a value that another warp of its block may write, which may be one of the same wave"
        }
        (WaitsFor::Value(_), _) => {
            "lanes wait here for a value that another thread writes, which must not be one of the same wave"
        }
        (WaitsFor::Turn, _) => "lanes of one wave wait here for the turn of another lane of it",
        (_, Comers::OneOf32) => "two lanes of a wave of 64 come here, and one waits for a lock that the other may hold",
        _ => "lanes of one wave wait here for a lock that another lane of it may hold",
    };
    let finding = report(cx, &waiting.looped, message, severity);
    match (waiting.waits_for, comers) {
        (WaitsFor::Value(_), _) => finding.note(APART),
        (_, Comers::OneOf32) => finding.note("let one thread of the block come here, or do the work and release the lock within the loop, whose body ends with __syncwarp()"),
        _ => finding.note("the lanes run in lockstep: do the work and release the lock within the loop, whose body ends with __syncwarp()"),
    };
}

fn report<'c>(cx: &'c mut Context<'_>, looped: &Loop, message: &str, severity: Severity) -> &'c mut Diagnostic {
    let is_whole = looped.body.start < looped.condition.start || looped.body.len() < 3;
    let end = if is_whole { looped.end() } else { looped.condition.end + 1 };
    let finding = cx.report(cx.document.range_of(looped.keyword..end), message);
    finding.severity(severity);
    finding
}

fn report_work(cx: &mut Context<'_>, looped: &Loop, leaves: bool) {
    let (message, note) = if leaves {
        (
            "the work with the lock leads out of this loop, so that it waits for the lanes that wait for the lock",
            "let a variable end the loop in place of `break` or `return`, and end its body with __syncwarp()",
        )
    } else {
        (
            "the compiler may move the work with the lock behind this loop, where it waits for lanes that wait for the lock",
            "end the body of the loop with __syncwarp()",
        )
    };
    let range = cx.document.range_of(looped.keyword..looped.keyword + 1);
    cx.report(range, message).note(note);
}

/// Whether something in the body of a loop makes the lanes meet, or a variable that is read anew each time keeps the compiler from
/// moving the work.
fn meets(document: &Document, function: &Function, looped: &Loop) -> bool {
    let meets = |at: TokenIdx| {
        let word = document.token_text(at);
        ["__sync", "__any", "__all", "__ballot"].iter().any(|start| word.starts_with(start))
    };
    let asked: Vec<&str> = looped.condition.clone().map(|at| document.token_text(at)).collect();
    let is_declared = |at: TokenIdx| (at + 1..at + 4).any(|name| asked.contains(&document.token_text(name)));
    let mut before = function.body.start..looped.keyword;
    looped.body.clone().any(meets) || before.any(|at| document.token_text(at) == "volatile" && is_declared(at))
}
