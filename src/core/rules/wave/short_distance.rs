//! Whether a shuffle goes over fewer lanes than a warp of CUDA's has, as far as the text of its function tells.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::analysis::Function;
use crate::rules::context::Context;
use crate::syntax::{Document, TokenIdx, TokenKind, words_in};

/// The lanes of a warp in CUDA.
pub(super) const LANES: i64 = 32;

/// Variables of the functions of a file that count over lanes, read once for each name.
#[derive(Default)]
pub(super) struct ShortDistances<'d> {
    known: FxHashMap<(TokenIdx, &'d str), Vec<Counter>>,
}

/// A variable while it is one, and whether it stays below the lanes of a warp there.
struct Counter {
    scope: Range<TokenIdx>,
    is_short: bool,
}

impl<'d> ShortDistances<'d> {
    /// Whether a distance is surely that of another lane of the same warp, or of the lane itself.
    pub(super) fn have(&mut self, distance: Range<TokenIdx>, cx: &Context<'d>) -> bool {
        let document: &'d Document = cx.document;
        if is_masked(document, distance.clone()) || is_half(document, distance.clone(), cx) {
            return true;
        }
        let is_power = distance.len() == 4
            && document.slice(document.range_of(distance.start..distance.end - 1)).replace(' ', "") == "1<<";
        let name = distance.end - 1;
        let is_name = document.kind(name) == Some(TokenKind::Ident);
        is_name && (distance.len() == 1 || is_power) && self.is_short(name, is_power, cx)
    }

    fn is_short(&mut self, name: TokenIdx, is_power: bool, cx: &Context<'d>) -> bool {
        let Some(function) = cx.facts.functions.around(name) else { return false };
        let word = cx.document.token_text(name);
        let limit = if is_power { i64::from(LANES.ilog2()) } else { LANES };
        let counters = self.known.entry((function.body.start, word)).or_insert_with(|| counters(word, function, cx));
        if is_power {
            // Rare, and with a limit of its own.
            let around = counters.iter().rev().find(|counter| counter.scope.contains(&name));
            return around.is_some_and(|counter| stays_below(limit, word, counter.scope.clone(), cx));
        }
        let starts_before = counters.partition_point(|counter| counter.scope.start <= name);
        let around = counters[..starts_before].iter().rev().find(|counter| counter.scope.contains(&name));
        around.is_some_and(|counter| counter.is_short)
    }
}

/// `x & 31`, `x % 32`
fn is_masked(document: &Document, tokens: Range<TokenIdx>) -> bool {
    let Some(sign) = tokens.end.checked_sub(2).filter(|&sign| sign > tokens.start) else { return false };
    let Ok(number) = document.token_text(sign + 1).trim_end_matches(['u', 'U']).parse::<i64>() else { return false };
    let is_primary = tokens.start + 1 == sign
        || document.partner(tokens.start).is_some_and(|close| document.is(tokens.start, b'(') && close + 1 == sign);
    is_primary && (document.is(sign, b'&') && number < LANES || document.is(sign, b'%') && number <= LANES)
}

/// `W / 2`, `warpSize >> 1`: half of the width of a shuffle that a template is made for.
fn is_half(document: &Document, tokens: Range<TokenIdx>, cx: &Context<'_>) -> bool {
    let rest = document.slice(document.range_of(tokens.start + 1..tokens.end)).replace(' ', "");
    matches!(&*rest, "/2" | ">>1") && is_width(tokens.start, cx)
}

/// Whether a name is that of CUDA's width, or of a parameter of the template.
fn is_width(name: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let word = document.token_text(name);
    let Some(function) = cx.facts.functions.around(name) else { return word == "warpSize" };
    let head = function.head.clone();
    let is_parameter = || {
        let is_template = document.token_text(head.start) == "template";
        let end = document.partner(head.start + 1).unwrap_or(head.end).min(head.end);
        let close = (head.start..end).rev().find(|&idx| document.is(idx, b'>')).unwrap_or(head.start);
        is_template && words_in(document, word, head.start..close).next().is_some()
    };
    word == "warpSize" || document.kind(name) == Some(TokenKind::Ident) && is_parameter()
}

/// All variables of a function with a name, in the order of the text.
fn counters(word: &str, function: &Function, cx: &Context<'_>) -> Vec<Counter> {
    let starts = words_in(cx.document, word, function.body.clone()).filter(|&idx| is_start(cx.document, idx));
    let counters = starts.filter_map(|name| {
        let scope = name..scope_end(name, cx)?;
        Some(Counter { is_short: stays_below(LANES, word, scope.clone(), cx), scope })
    });
    counters.collect()
}

/// `int x = `, `for (x = `
fn is_start(document: &Document, name: TokenIdx) -> bool {
    let before = name.checked_sub(1).filter(|_| document.is(name + 1, b'=') && !document.is(name + 2, b'='));
    let is_type = |idx: TokenIdx| document.kind(idx) == Some(TokenKind::Ident) && document.token_text(idx) != "return";
    before.is_some_and(|before| is_type(before) || opens_loop(document, before))
}

fn opens_loop(document: &Document, open: TokenIdx) -> bool {
    document.is(open, b'(') && open.checked_sub(1).is_some_and(|word| document.token_text(word) == "for")
}

/// Where a variable ends that starts at a token: with its loop, or with its block.
fn scope_end(name: TokenIdx, cx: &Context<'_>) -> Option<TokenIdx> {
    let document = cx.document;
    let head = (name.saturating_sub(LONGEST_TYPE)..name).rev().find(|&idx| opens_loop(document, idx));
    match head.and_then(|open| document.partner(open)).filter(|&close| close > name) {
        Some(close) if document.is(close + 1, b'{') => document.partner(close + 1),
        Some(close) => (close..document.tokens().len()).find(|&idx| document.is(idx, b';')),
        None => document.partner(cx.facts.blocks(document).around(name)?),
    }
}

/// How many tokens lie at most between the parenthesis of a loop and the name of its variable.
const LONGEST_TYPE: usize = 4;

/// Whether a variable that starts where its scope does stays below a limit.
fn stays_below(limit: i64, word: &str, scope: Range<TokenIdx>, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let mut writes = words_in(document, word, scope.start + 1..scope.end).filter_map(|idx| step(document, idx));
    let steps: Vec<Step> = writes.by_ref().collect();
    let starts_below = {
        let end = (scope.start + 2..scope.end).find(|&idx| matches!(document.token_text(idx), ";" | ","));
        let start = scope.start + 2..end.unwrap_or(scope.end);
        cx.constants().value(document, start.clone()).is_some_and(|value| (0..limit).contains(&value))
            || limit == LANES && is_half(document, start, cx)
    };
    let only = |wanted: Step| steps.iter().all(|step| *step == wanted);
    starts_below && (only(Step::Down) || only(Step::Up) && is_bounded(limit, word, &scope, cx))
}

/// `for (…; x < 32; …)`
fn is_bounded(limit: i64, word: &str, scope: &Range<TokenIdx>, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let Some(condition) = (scope.start..scope.end).find(|&idx| document.is(idx, b';')).map(|end| end + 1) else {
        return false;
    };
    let is_inclusive = document.is(condition + 2, b'=');
    let bound = condition + 2 + usize::from(is_inclusive);
    let is_bound = document.token_text(condition) == word && document.is(condition + 1, b'<');
    let end = (bound..scope.end).find(|&idx| document.is(idx, b';')).unwrap_or(bound);
    let value = cx.constants().value(document, bound..end);
    let most = limit - i64::from(is_inclusive);
    let is_width = limit == LANES && !is_inclusive && end == bound + 1 && is_width(bound, cx);
    is_bound && (value.is_some_and(|value| value <= most) || is_width)
}

/// What a use of a variable does to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Down,
    Up,
    Other,
}

/// `x >>= 1` and `x = x / 2` go down, `x <<= 1` and `x++` up; `None` for a use that reads.
fn step(document: &Document, name: TokenIdx) -> Option<Step> {
    let sign = |idx: TokenIdx| document.token_text(idx);
    let (next, second, third) = (sign(name + 1), sign(name + 2), sign(name + 3));
    let doubled = |one: &str, two: &str| one == two && document.touches_next(name + 1);
    let before = |back: usize| name.checked_sub(back).map_or("", sign);
    Some(match (next, second, third) {
        (">", ">", "=") | ("/" | "-", "=", _) => Step::Down,
        ("<", "<", "=") | ("*" | "+", "=", _) => Step::Up,
        ("-", "-", _) if doubled(next, second) => Step::Down,
        ("+", "+", _) if doubled(next, second) => Step::Up,
        ("=", "=", _) if doubled(next, second) => return None,
        ("=", again, how) if again == document.token_text(name) => match how {
            "/" | ">" => Step::Down,
            "*" | "<" => Step::Up,
            _ => Step::Other,
        },
        ("&" | "|" | "^" | "%", "=", _) | ("=", ..) => Step::Other,
        _ => match (before(1), before(2)) {
            ("-", "-") => Step::Down,
            ("+", "+") => Step::Up,
            // Its address: anything may be written to it.
            ("&", "(" | "," | "=") => Step::Other,
            _ => return None,
        },
    })
}
