//! Locks that the threads of one wave take from each other.

use super::places::is_for_one_thread;
use crate::analysis::Function;
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Call, Document, TokenIdx, TokenKind, words};

declare_rule! {
    /// ## What it does
    /// Finds loops in device code that do nothing but wait for a lock: `atomicCAS` or `atomicExch`
    /// with constant values in the condition, and an empty body. Loops within an `if` that lets one
    /// thread through are left alone, and so are functions that are called within such an `if` only.
    /// Functions that nothing in the file calls are for information. Also finds loops that do the work with the
    /// lock and let no lanes meet in their body.
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
    /// (!done) { if (atomicCAS(mutex, 0, 1) == 0) { ...; atomicExch(mutex, 0); done = true; } __syncwarp(); }`. Without it
    /// Clang may move the work behind the loop, where the lane waits for those that wait for it. Or let one thread of the
    /// block take the lock for all.
    SpinLock { code: "K025", name: "spin-lock", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for SpinLock {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document: &Document = cx.document;
        for atomic in ["atomicCAS", "atomicExch", "atomicCAS_block", "atomicExch_block"] {
            for idx in words(document, atomic) {
                let Some(function) = cx.facts.functions.around(idx).filter(|f| f.runs_on_device()) else { continue };
                if !takes_constants(document, idx) {
                    continue;
                }
                if let Some(keyword) = working_loop(document, function, idx) {
                    report_work(cx, keyword);
                    continue;
                }
                let Some(keyword) = waiting_loop(document, idx) else { continue };
                if let Some(severity) = severity(cx, function, keyword) {
                    report(cx, keyword, severity);
                }
            }
        }
    }
}

/// How likely several lanes wait: for sure not where one thread is let through, here or at all calls
/// of the function. Without any call in the file it cannot be told.
fn severity(cx: &Context<'_>, function: &Function, keyword: TokenIdx) -> Option<Severity> {
    let document = cx.document;
    if is_for_one_thread(document, function, keyword) {
        return None;
    }
    let name = function.name.filter(|_| !function.is_kernel);
    let Some(name) = name else { return Some(Severity::Warning) };
    let callers = words(document, document.token_text(name)).filter(|&idx| idx != name && document.is(idx + 1, b'('));
    let callers = callers.filter_map(|idx| Some((idx, cx.facts.functions.around(idx)?)));
    let mut worst = Some(Severity::Info);
    for (idx, caller) in callers.filter(|(_, caller)| caller.runs_on_device()) {
        if !is_for_one_thread(document, caller, idx) {
            return Some(Severity::Warning);
        }
        worst = None;
    }
    worst
}

fn report(cx: &mut Context<'_>, keyword: TokenIdx, severity: Severity) {
    let close = cx.document.partner(keyword + 1).unwrap_or(keyword);
    let message = "lanes of one wave wait here for a lock that another lane of it may hold";
    let finding = cx.report(cx.document.range_of(keyword..close + 1), message);
    finding.severity(severity);
    finding.note("the lanes run in lockstep: do the work and release the lock within the loop, whose body ends with __syncwarp()");
}

fn report_work(cx: &mut Context<'_>, keyword: TokenIdx) {
    let message = "the compiler may move the work with the lock behind this loop, where it waits for lanes that wait for the lock";
    let finding = cx.report(cx.document.range_of(keyword..keyword + 1), message);
    finding.note("end the body of the loop with __syncwarp()");
}

/// The `while` around an `if` whose condition holds the token `idx`, if nothing in its body makes the lanes meet.
fn working_loop(document: &Document, function: &Function, idx: TokenIdx) -> Option<TokenIdx> {
    let mut at = idx;
    let open = loop {
        at = at.checked_sub(1)?;
        match document.token(at)?.kind {
            TokenKind::Punct(b')' | b']') => at = document.partner(at).filter(|&open| open < at)?,
            TokenKind::Punct(b'(') if document.token_text(at.checked_sub(1)?) == "if" => break at,
            TokenKind::Punct(b';' | b'{' | b'}') => return None,
            _ => {}
        }
    };
    let brace = document.is(open.checked_sub(2)?, b'{').then(|| open - 2)?;
    let condition = document.partner(brace.checked_sub(1)?)?;
    let keyword = condition.checked_sub(1).filter(|&word| document.token_text(word) == "while")?;
    let mut body = brace..document.partner(brace)?;
    let meets = |at: TokenIdx| {
        let word = document.token_text(at);
        word.starts_with("__sync")
            || word.starts_with("__any")
            || word.starts_with("__all")
            || word.starts_with("__ballot")
    };
    // A variable that is read anew each time keeps the compiler from it.
    let asked: Vec<&str> = (condition + 1..brace - 1).map(|at| document.token_text(at)).collect();
    let is_declared = |at: TokenIdx| (at + 1..at + 4).any(|name| asked.contains(&document.token_text(name)));
    let is_volatile = (function.body.start..keyword).any(|at| document.token_text(at) == "volatile" && is_declared(at));
    let releases = body.clone().any(|at| at > open && document.token_text(at).starts_with("atomic") && at != idx);
    (releases && !is_volatile && !body.any(meets) && !is_for_one_thread(document, function, keyword)).then_some(keyword)
}

/// The `while` whose condition holds the token `idx`, if its body is empty.
fn waiting_loop(document: &Document, idx: TokenIdx) -> Option<TokenIdx> {
    let mut at = idx;
    loop {
        at = at.checked_sub(1)?;
        match document.token(at)?.kind {
            TokenKind::Punct(b')' | b']') => at = document.partner(at).filter(|&open| open < at)?,
            TokenKind::Punct(b'(') if at.checked_sub(1).is_some_and(|word| document.token_text(word) == "while") => {
                break;
            }
            TokenKind::Punct(b';' | b'{' | b'}') => return None,
            _ => {}
        }
    }
    let keyword = at - 1;
    let body = document.partner(at)? + 1;
    let ends_do = keyword.checked_sub(1).filter(|&brace| document.is(brace, b'}')).and_then(|brace| {
        let open = document.partner(brace)?;
        (document.token_text(open.checked_sub(1)?) == "do").then_some(())
    });
    let is_empty = document.is(body, b';') || document.is(body, b'{') && document.is(body + 1, b'}');
    (ends_do.is_none() && is_empty).then_some(keyword)
}

/// Whether all values of the call at `idx` are written out, as those of a lock are.
fn takes_constants(document: &Document, idx: TokenIdx) -> bool {
    let Some(call) = Call::at(document, idx) else { return false };
    let is_constant = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_digit())
            || matches!(text, "true" | "false")
            || text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    call.arguments.len() > 1 && call.arguments.iter().skip(1).all(|&value| is_constant(document.slice(value)))
}
