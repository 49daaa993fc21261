//! Functions of a warp whose lanes come together from two branches.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use rustc_hash::FxHashSet;

use super::block_shares::{axes_of, is_whole_share, names_waves};
use super::lane_function::{LaneFunction, keeps_32_lanes, takes_mask};
use super::mask_lanes::keeps_to_its_way;
use super::meeting_calls::meeting_calls;
use super::meetings::Meetings;
use super::own_meetings::MeetingCall;
use crate::analysis::{Function, MOST_LANES, ThreadNumber, ThreadValues, thread_axis};
use crate::diagnostic::RuleInfo;
use crate::rules::context::Context;
use crate::rules::groups::{group_of_member, group_of_value};
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{BinaryOperator, Operand, OperandKind, TokenIdx, TokenKind, among};

declare_rule! {
    /// ## What it does
    /// Finds shuffles, votes, matches and reductions with the same mask on both ways that the lanes of a warp may go: in the branches
    /// of an `if` such as `if (lane % 2)`, of `?:`, `&&` or a `switch`, or before and behind a `return`, `continue`, `break` or `goto`.
    /// Calls of functions, macros, lambdas and objects of the project that come to the same count, also where a function calls what it is
    /// handed over; as do members of groups, and barriers through which an array is handed from one branch to the other.
    ///
    /// ## Why is this bad?
    /// From Volta on, NVIDIA GPUs let the lanes of a mask come together from different places of the program (CUDA C++ Programming
    /// Guide, "Independent Thread Scheduling"). A wave of an AMD GPU takes the branches one after the other: in each of them
    /// the lanes of the other take no part, so that their values are missing, whatever the mask names.
    ///
    /// ## Example
    /// ```cuda
    /// __device__ int swap(int value, int lane) {
    ///     lane = threadIdx.x & 31;
    ///     if (threadIdx.x & 1) return __shfl_sync(0xffffffff, value, 0);
    ///     else return __shfl_sync(0xffffffff, value, 1);
    /// }
    /// ```
    ///
    /// ## What to do
    /// Call the function once, in front of the branches: `int source = lane & 1 ? 0 : 1; value = __shfl_sync(0xffffffff, value, source);`
    DivergentCollective { code: "W037", name: "divergent-collective", severity: Warning, fix: None, since: "0.2.0" }
}

impl Rule for DivergentCollective {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let calls = meeting_calls(cx);
        let lanes = if cx.facts.is_hip { MOST_LANES } else { WARP };
        let functions = &cx.facts.functions;
        for function in functions.iter().filter(|function| function.runs_on_device()) {
            let calls = among(&calls, function.body.clone(), |call| call.name);
            if calls.len() < 2 {
                continue;
            }
            let parts = |condition: &Range<TokenIdx>| {
                parts_lanes(cx, function, &Operand::read(cx.document, condition.clone()), lanes)
            };
            let is_own = |call: &MeetingCall<'_>, condition: &Range<TokenIdx>| {
                call.mask.clone().any(|idx| is_of_branch(cx, function, condition, idx))
                    || keeps_to_its_way(cx, (function, lanes), call, condition)
            };
            let body = (&function.body, &*cx.control_flow(function));
            for meeting in Meetings::of(cx.document, calls).find(body, &parts, &is_own) {
                report(cx, meeting.first, &calls[meeting.second]);
            }
        }
    }
}

fn report(cx: &mut Context<'_>, first: TokenIdx, second: &MeetingCall<'_>) {
    let range = cx.document.range_of(second.name..second.name + 1);
    if !(cx.facts.is_hip || keeps_32_lanes(range.start(), cx)) {
        return;
    }
    let first = cx.document.range_of(first..first + 1);
    let reached = second.function;
    let is_named = cx.document.token_text(second.name) == reached;
    let finding = cx.report(range, "lanes come to this function in two branches, and a wave takes one after the other");
    finding.label(first, "the other lanes of the mask come here");
    if !is_named {
        finding.note(format!("it comes to `{reached}`"));
    }
    finding.note("call it once in front of the branches, with what differs in variables");
}

/// Whether a mask depends on which lanes a condition lets through, by a name that gets its value behind it or a call.
fn is_of_branch(cx: &Context<'_>, function: &Function, condition: &Range<TokenIdx>, idx: TokenIdx) -> bool {
    let document = cx.document;
    if document.kind(idx) != Some(TokenKind::Ident) {
        return false;
    }
    let numbers = cx.thread_numbers();
    let is_behind = |value: &Operand| condition.end < value.tokens.start;
    // A value that is given on another way is none here.
    let comes_here = |value: &Operand| {
        let block = cx.facts.blocks(document).around(value.tokens.start);
        block.and_then(|open| document.partner(open)).is_none_or(|close| close > idx)
    };
    let assigned = || numbers.assigned_values(idx, function, 1);
    document.is(idx + 1, b'(')
        || numbers.first_value(idx, function).as_ref().is_some_and(is_behind)
        || assigned().iter().any(|value| is_behind(value) && comes_here(value))
}

/// Whether a condition may differ among so many lanes that go together: it asks for a thread or a lane, and not for whole warps only.
pub(super) fn parts_lanes(cx: &Context<'_>, function: &Function, condition: &Operand, lanes: i64) -> bool {
    let values = ThreadValues::of(cx.document, cx.thread_numbers(), lanes);
    Followed {
        cx,
        function,
        lanes,
        values: &values,
        values_left: &Cell::new(MOST_FOLLOWED),
        seen: &RefCell::default(),
        callers: MOST_NAMES,
    }
    .parts(condition)
}

/// Lanes of a warp of CUDA's.
pub(super) const WARP: i64 = 32;

/// Names by way of each other that an expression is followed to at most.
const MOST_NAMES: usize = 4;

/// Declarations that one condition is followed to at most.
const MOST_FOLLOWED: usize = 64;

/// A condition that is followed to what its variables start with.
struct Followed<'f, 'd> {
    cx: &'f Context<'d>,
    function: &'f Function,
    /// How many go together.
    lanes: i64,
    values: &'f ThreadValues<'f, 'd>,
    /// How many more values are looked at for the axes in them.
    values_left: &'f Cell<usize>,
    /// Where the values start that were looked at.
    seen: &'f RefCell<FxHashSet<TokenIdx>>,
    /// How many callers by way of each other are asked for what they give for a parameter.
    callers: usize,
}

impl<'f, 'd> Followed<'f, 'd> {
    /// What a variable starts with and is given, once: `int p = f(p);` starts with itself, and `int b = a + a;` asks twice. Whoever asks
    /// again knows that it parts no lanes, as nobody asks once it does.
    fn values_of(&self, name: TokenIdx) -> Vec<Operand> {
        let numbers = self.cx.thread_numbers();
        if self.seen.borrow().len() >= MOST_FOLLOWED {
            return Vec::new();
        }
        let mut values: Vec<Operand> = numbers.first_value(name, self.function).into_iter().collect();
        values.extend(numbers.assigned_values(name, self.function, MOST_FOLLOWED));
        let mut seen = self.seen.borrow_mut();
        values.retain(|value| seen.len() < MOST_FOLLOWED && seen.insert(value.tokens.start));
        values
    }

    fn is_parameter(&self, name: TokenIdx) -> bool {
        let numbers = self.cx.thread_numbers();
        self.callers > 0 && numbers.arguments_for(self.cx.document.token_text(name), self.function).is_some()
    }

    /// Whether a name is a parameter for which a caller gives what differs among lanes.
    fn is_given_parting(&self, name: TokenIdx) -> bool {
        let (cx, Some(callers)) = (self.cx, self.callers.checked_sub(1)) else { return false };
        let (numbers, text) = (cx.thread_numbers(), cx.document.token_text(name));
        // One that is changed need not be what was given.
        if !numbers.changes_of(text, self.function).is_empty() {
            return false;
        }
        let given = numbers.arguments_for(text, self.function);
        given.into_iter().flatten().any(|(argument, caller)| {
            let is_new = {
                let mut seen = self.seen.borrow_mut();
                seen.len() < MOST_FOLLOWED && seen.insert(argument.start)
            };
            let asked = Followed { function: caller, callers, ..*self };
            is_new && asked.parts(&Operand::read(cx.document, argument))
        })
    }

    /// Whether the lanes that go together have different truths, where all of them can be computed.
    fn computed(&self, condition: &Operand) -> Option<bool> {
        let truths = self.values.values(condition, self.function)?;
        let differ = |wave: &[i64]| wave.iter().any(|value| (*value != 0) != (wave[0] != 0));
        Some(truths.chunks(usize::try_from(self.lanes).ok()?).any(differ))
    }

    /// Whether an operator asks on which side of a part of the block a thread is, and the part is whole warps: `threadIdx.x < blockDim.x / 2`,
    /// `threadIdx.x / (blockDim.x / 2)`.
    fn asks_for_share(&self, operator: &BinaryOperator, sides: &[Operand; 2]) -> bool {
        let [left, right] = sides;
        let (thread, bound) = match operator.text(self.cx.document) {
            "<" | ">=" | "/" => (left, right),
            ">" | "<=" => (right, left),
            _ => return false,
        };
        is_whole_share(self.cx, self.function, bound, self.lanes) && self.keeps_to_warps(thread)
    }

    /// Whether an expression names the place of a thread in its row, by itself or by what its variables are.
    fn names_column(&self, operand: &Operand, depth: usize) -> bool {
        let document = self.cx.document;
        // So many values are looked at for one condition.
        let left = self.values_left.get();
        let Some(depth) = depth.checked_sub(1).filter(|_| left > 0) else { return true };
        self.values_left.set(left - 1);
        let mut found = false;
        operand.walk(&mut |part| {
            found = found
                || match &part.kind {
                    OperandKind::Member(object, member) => {
                        let is_thread = document.token_text(object.tokens.start) == "threadIdx";
                        is_thread && document.token_text(*member) == "x"
                    }
                    OperandKind::Name(name) => {
                        let value = self.cx.thread_numbers().only_value(document.token_text(*name), self.function);
                        value.is_some_and(|value| self.names_column(&value, depth))
                    }
                    OperandKind::Call(..) => true,
                    _ => false,
                };
        });
        found
    }

    /// Whether the number of a thread is compared with what was rounded to whole warps: `i < (n + 31) / 32 * 32`, `i < (n + 31) & ~31`.
    fn compares_with_rounded(&self, operator: &BinaryOperator, sides: &[Operand; 2]) -> bool {
        let [left, right] = sides;
        let (thread, bound) = match operator.text(self.cx.document) {
            "<" | ">=" => (left, right),
            ">" | "<=" => (right, left),
            _ => return false,
        };
        self.is_thread(thread) && self.is_rounded(bound, MOST_FOLLOWED)
    }

    /// Whether an expression is the number of a thread, or a variable that starts with it.
    fn is_thread(&self, operand: &Operand) -> bool {
        let numbers = self.cx.thread_numbers();
        let is_number = |tokens: Range<TokenIdx>| numbers.number(tokens, self.function) == Some(ThreadNumber::Thread);
        let starts_so = || match operand.kind {
            OperandKind::Name(name) => numbers.first_value(name, self.function),
            _ => None,
        };
        is_number(operand.tokens.clone()) || starts_so().is_some_and(|value| is_number(value.tokens))
    }

    fn is_rounded(&self, bound: &Operand, depth: usize) -> bool {
        let numbers = self.cx.thread_numbers();
        let constant = |operand: &Operand| numbers.constant(operand.tokens.clone());
        let Some(depth) = depth.checked_sub(1) else { return false };
        match &bound.kind {
            OperandKind::Cast(inner) => self.is_rounded(inner, depth),
            OperandKind::Name(name) => numbers
                .only_value(self.cx.document.token_text(*name), self.function)
                .is_some_and(|value| self.is_rounded(&value, depth)),
            OperandKind::Binary(operator, sides) => match operator.text(self.cx.document) {
                "*" => sides
                    .iter()
                    .any(|side| constant(side).is_some_and(|factor| factor != 0 && factor % self.lanes == 0)),
                // `~31`
                "&" => sides.iter().any(|side| match &side.kind {
                    OperandKind::Unary(sign, inner) if self.cx.document.is(*sign, b'~') => {
                        constant(inner).is_some_and(|bits| (bits + 1) % self.lanes == 0)
                    }
                    _ => false,
                }),
                _ => false,
            },
            _ => false,
        }
    }

    /// `i - tile.thread_rank()`, `thread - lane`: the first thread of the group.
    fn is_start_of_group(&self, operator: &BinaryOperator, sides: &[Operand; 2]) -> bool {
        let [left, right] = sides;
        let is_lane = || match right.kind {
            OperandKind::Call(name, _) => is_rank(self.cx, name),
            _ => self.cx.thread_numbers().number(right.tokens.clone(), self.function) == Some(ThreadNumber::Lane),
        };
        operator.text(self.cx.document) == "-" && self.is_thread(left) && is_lane()
    }

    /// Whether an expression numbers threads so that those of a warp lie between the same multiples of its size.
    fn keeps_to_warps(&self, thread: &Operand) -> bool {
        let Some((values, size)) = self.values.values(thread, self.function).zip(usize::try_from(self.lanes).ok())
        else {
            return false;
        };
        let is_one = |warp: &[i64]| warp.iter().all(|&value| value >= 0 && value / self.lanes == warp[0] / self.lanes);
        values.chunks(size).all(is_one)
    }

    fn parts(&self, condition: &Operand) -> bool {
        let cx = self.cx;
        if let Some(parts) = self.computed(condition) {
            return parts;
        }
        let is_row = matches!(thread_axis(cx.document, condition), Some("y" | "z"));
        if is_row && has_whole_rows(cx, self.function, self.lanes) {
            return false;
        }
        match cx.thread_numbers().number(condition.tokens.clone(), self.function) {
            Some(ThreadNumber::Warp | ThreadNumber::Count) => return false,
            // `blockIdx.x * blockDim.y + threadIdx.y` is one for a row.
            Some(ThreadNumber::Thread) if !self.names_column(condition, MOST_NAMES) => {
                // Who calls knows its rows.
                return match &condition.kind {
                    OperandKind::Name(name) if self.is_parameter(*name) => self.is_given_parting(*name),
                    _ => !has_whole_rows(cx, self.function, self.lanes),
                };
            }
            Some(ThreadNumber::Lane | ThreadNumber::Thread) => return true,
            None => {}
        }
        let parts = |part: &Operand| self.parts(part);
        match &condition.kind {
            OperandKind::Binary(operator, sides) => {
                !compares_with_warps(cx, operator, sides, self.lanes)
                    && !self.compares_with_rounded(operator, sides)
                    && !self.is_start_of_group(operator, sides)
                    && !self.asks_for_share(operator, sides)
                    && !is_same_in_warp(cx, operator, &sides[1], self.lanes)
                    && sides.iter().any(parts)
            }
            OperandKind::Name(name) => self.values_of(*name).iter().any(parts) || self.is_given_parting(*name),
            OperandKind::Index(array) => parts(&array[1]),
            OperandKind::Unary(_, inner) | OperandKind::Cast(inner) => parts(inner),
            OperandKind::Choice(choice) => choice.iter().any(parts),
            OperandKind::Call(name, _) if is_rank(cx, *name) => true,
            OperandKind::Call(name, arguments) => {
                !is_same_for_all(cx, *name, arguments, &parts) && arguments.iter().any(parts)
            }
            _ => false,
        }
    }
}

/// Whether all launches of a kernel have blocks with rows of whole waves of so many lanes.
fn has_whole_rows(cx: &Context<'_>, function: &Function, lanes: i64) -> bool {
    axes_of(cx, function).is_some_and(|axes| !axes.has_open_row && axes.row % lanes == 0)
}

/// Whether a name is a member of a group that numbers its threads: `tile.thread_rank()`.
fn is_rank(cx: &Context<'_>, name: TokenIdx) -> bool {
    let is_member = |before: TokenIdx| matches!(cx.document.token_text(before), "." | "->");
    cx.document.token_text(name) == "thread_rank" && name.checked_sub(1).is_some_and(is_member)
}

/// Whether a comparison has its bound between two warps of so many lanes: `threadIdx.x < 64`, `31 >= threadIdx.x`.
fn compares_with_warps(cx: &Context<'_>, operator: &BinaryOperator, sides: &[Operand; 2], lanes: i64) -> bool {
    let constant = |side: &Operand| cx.thread_numbers().constant(side.tokens.clone());
    let (sign, bound) = match (operator.text(cx.document), constant(&sides[0])) {
        ("<", Some(_)) => (">", &sides[0]),
        (">", Some(_)) => ("<", &sides[0]),
        ("<=", Some(_)) => (">=", &sides[0]),
        (">=", Some(_)) => ("<=", &sides[0]),
        (sign, _) => (sign, &sides[1]),
    };
    // The first thread on the other side.
    let first = |number: i64| number + i64::from(matches!(sign, "<=" | ">"));
    match constant(bound) {
        Some(number) => matches!(sign, "<" | ">=" | "<=" | ">") && first(number) % lanes == 0,
        None => matches!(sign, "<" | ">=") && names_waves(cx, bound),
    }
}

/// Whether what an operator makes of a thread is the same for all lanes of its warp: `threadIdx.x & 32`, `threadIdx.x >> 6`.
fn is_same_in_warp(cx: &Context<'_>, operator: &BinaryOperator, number: &Operand, lanes: i64) -> bool {
    let Some(value) = cx.thread_numbers().constant(number.tokens.clone()) else {
        return operator.text(cx.document) == "/" && names_waves(cx, number);
    };
    match operator.text(cx.document) {
        "&" | "/" => value != 0 && value % lanes == 0,
        ">>" => value >= i64::from(lanes.ilog2()),
        _ => false,
    }
}

/// Whether all lanes of a warp get the same from a call: from a vote, a reduction, and a shuffle from one lane.
fn is_same_for_all(cx: &Context<'_>, name: TokenIdx, arguments: &[Operand], parts: &dyn Fn(&Operand) -> bool) -> bool {
    let text = cx.document.token_text(name);
    let is_member = name.checked_sub(1).is_some_and(|before| matches!(cx.document.token_text(before), "." | "->"));
    if is_member && group_of_member(name, cx).is_some() {
        return match text {
            "all" | "any" | "ballot" | "match_all" => true,
            "shfl" => arguments.get(1).is_some_and(|source| !parts(source)),
            _ => false,
        };
    }
    // `cg::reduce(tile, value, plus)`
    if text == "reduce" && arguments.first().is_some_and(|group| group_of_value(group.tokens.clone(), cx).is_some()) {
        return true;
    }
    match LaneFunction::named(text) {
        Some(LaneFunction::Vote | LaneFunction::Reduce) => true,
        Some(LaneFunction::Shuffle) if matches!(text, "__shfl" | "__shfl_sync") => {
            let source = arguments.get(1 + usize::from(takes_mask(text)));
            source.is_some_and(|source| !parts(source))
        }
        _ => text.starts_with("__syncthreads") || text == "__builtin_amdgcn_readfirstlane",
    }
}
