//! Locks that the threads of one wave take from each other, and other waiting for a thread of the same wave.

use rustc_hash::FxHashMap;

use super::one_thread::{Comers, Guard, comers, guards};
use crate::analysis::{Function, Loop, WaitingLoop, WaitsFor, waiting_loops};
use crate::diagnostic::{Diagnostic, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::settings::WaveWidth;
use crate::syntax::{Document, TokenIdx};

declare_rule! {
    /// ## What it does
    /// Finds loops in device code in which a thread waits for another one. For a lock: `atomicCAS`, `atomicExch` or
    /// `atomicOr` with constant values decides whether the loop goes on, in its condition, in an `if`, or by a
    /// variable. For its turn: a number that `atomicAdd` drew has to come up. For a value: nothing but a read of
    /// memory decides. Loops within an `if` that lets one thread of the block through are left alone, and so are functions
    /// that are called within such an `if` only. One lane of each 32 is not enough: a wave of 64 has two of them.
    /// Functions that nothing in the file calls are for information, as are loops that wait for a value which
    /// another block may write. Also finds loops that do the work with the lock and let no lanes meet in their body,
    /// or lead out of it with the lock.
    ///
    /// ## Why is this bad?
    /// The lanes of a wave run in lockstep. The lane that has the lock waits behind the loop for
    /// the other lanes to leave it, and they wait for the lock: the kernel hangs. NVIDIA GPUs since
    /// Volta schedule threads independently.
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
        let mut guarded = Guarded::default();
        for function in functions.iter().filter(|function| function.runs_on_device()) {
            let flow = cx.control_flow(function);
            for waiting in waiting_loops(cx.document, cx.thread_numbers(), (function, &flow)) {
                check_loop(cx, function, &waiting, &mut guarded);
            }
        }
    }
}

fn check_loop(cx: &mut Context<'_>, function: &Function, waiting: &WaitingLoop, guarded: &mut Guarded) {
    let looped = &waiting.looped;
    let here = guarded.comers(cx, function, looped.keyword);
    match waiting.waits_for {
        WaitsFor::Work { leaves } => {
            if here != Comers::One && (leaves || !meets(cx.document, function, looped)) {
                report_work(cx, looped, leaves);
            }
        }
        WaitsFor::Shared(_) => {
            let message = "a lane waits here for a value that another thread of its block writes, which may be one of the same wave";
            report(cx, looped, message, Severity::Warning).note(APART);
        }
        WaitsFor::Lock | WaitsFor::Turn | WaitsFor::Value(_) => {
            if let Some((severity, comers)) = severity(cx, function, here, waiting.waits_for, guarded) {
                report_waiting(cx, waiting, severity, comers);
            }
        }
    }
}

const APART: &str = "on gfx9 the threads 0 to 63 of a block are one wave, in lockstep: on NVIDIA GPUs they are two warps, and \
                     even the threads of one go on by themselves";

/// The conditions of functions that let one thread through, read once for each function.
#[derive(Default)]
struct Guarded {
    of_functions: FxHashMap<TokenIdx, Vec<Guard>>,
}

impl Guarded {
    /// Which threads of a wave come to a place; where warps become whole waves, one of each is one.
    fn comers(&mut self, cx: &Context<'_>, function: &Function, idx: TokenIdx) -> Comers {
        let start = cx.document.range_of(idx..idx + 1).start();
        let is_native = !cx.facts.is_hip && cx.wave_width_at(start) == WaveWidth::Native;
        let known = self.of_functions.entry(function.body.start).or_insert_with(|| guards(cx, function));
        match comers(known, idx) {
            Comers::OneOf32 if is_native => Comers::One,
            comers => comers,
        }
    }
}

/// How likely several lanes wait: for sure not where one thread is let through, here or at all calls
/// of the function. Without any call in the file it cannot be told.
fn severity(
    cx: &Context<'_>,
    function: &Function,
    here: Comers,
    waits_for: WaitsFor,
    guarded: &mut Guarded,
) -> Option<(Severity, Comers)> {
    let document = cx.document;
    if here == Comers::One {
        return None;
    }
    if let WaitsFor::Value(_) = waits_for {
        return Some((Severity::Info, here));
    }
    let name = function.name.filter(|_| !function.is_kernel);
    let Some(name) = name else { return Some((Severity::Warning, here)) };
    let uses = cx.thread_numbers().uses(document.token_text(name), 0..document.tokens().len());
    let callers = uses.filter(|&idx| idx != name && document.is(idx + 1, b'('));
    let callers = callers.filter_map(|idx| Some((idx, cx.facts.functions.around(idx)?)));
    let mut worst = Some((Severity::Info, here));
    for (idx, caller) in callers.filter(|(_, caller)| caller.runs_on_device()) {
        match guarded.comers(cx, caller, idx) {
            Comers::One => worst = None,
            Comers::OneOf32 => return Some((Severity::Warning, Comers::OneOf32)),
            Comers::Many => return Some((Severity::Warning, here)),
        }
    }
    worst
}

fn report_waiting(cx: &mut Context<'_>, waiting: &WaitingLoop, severity: Severity, comers: Comers) {
    let message = match (waiting.waits_for, comers) {
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
