//! The places of a function to which lanes of one warp come by different ways, one of which is taken before the other.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::analysis::{ControlFlow, If, Loop};
use crate::syntax::{Document, TokenIdx};

/// Two ways and what decides between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parting {
    /// Conditions, in the order of the text; the first way begins where the first of them that parts lanes says.
    pub(super) conditions: Vec<(Range<TokenIdx>, TokenIdx)>,
    pub(super) one: Range<TokenIdx>,
    pub(super) other: Range<TokenIdx>,
    /// Whether the lanes of the first way come to the second one as well.
    pub(super) is_joined: bool,
}

impl Parting {
    pub(super) fn of(condition: Range<TokenIdx>, one: Range<TokenIdx>, other: Range<TokenIdx>) -> Parting {
        Parting { conditions: vec![(condition, one.start)], one, other, is_joined: false }
    }

    /// Ways of which the second is for the lanes of the first as well.
    fn joined(conditions: Vec<(Range<TokenIdx>, TokenIdx)>, one: Range<TokenIdx>, other: Range<TokenIdx>) -> Parting {
        Parting { conditions, one, other, is_joined: true }
    }
}

/// The `if` of a body, with what follows on those that leave it or go on elsewhere.
pub(super) fn of_ifs(document: &Document, body: &Range<TokenIdx>, flow: &ControlFlow) -> Vec<Parting> {
    let mut found = Vec::new();
    let mut jumps: FxHashMap<TokenIdx, Parting> = FxHashMap::default();
    let labels = labels(document, body);
    let mut loops = flow.loops.iter().peekable();
    let mut around: Vec<&Loop> = Vec::new();
    for If { keyword, condition, then, other } in flow.ifs.iter().cloned() {
        around.extend(std::iter::from_fn(|| loops.next_if(|looped| looped.body.start <= keyword)));
        while around.last().is_some_and(|looped| looped.body.end <= keyword) {
            around.pop();
        }
        let left = |way: &Range<TokenIdx>| left_at(document, (body, around.last().copied()), way);
        if !other.is_empty() {
            // Those that leave miss what follows on both.
            let end = left(&then).unwrap_or(other.end).max(other.end);
            if let Some(end) = left(&other) {
                found.push(Parting::of(condition.clone(), other.clone(), other.end..end.max(other.end)));
            }
            found.push(Parting::of(condition, then, other.start..end));
            continue;
        }
        if let Some(opposite) = opposite(document, (&condition, &then), &flow.ifs) {
            found.push(Parting::of(condition.clone(), then.clone(), opposite));
        }
        let Some(last) = last_of(document, &then) else { continue };
        let behind = then.end;
        let end = match document.token_text(last) {
            "goto" => {
                let label = labels.get(document.token_text(last + 1)).copied().filter(|&label| label > behind);
                if let Some(label) = label {
                    let new = || Parting::joined(Vec::new(), behind..label, label..body.end);
                    jumps.entry(label).or_insert_with(new).conditions.push((condition.clone(), behind));
                }
                None
            }
            _ => left(&then),
        };
        found.extend(end.map(|end| Parting::of(condition, then, behind..end.max(behind))));
    }
    found.extend(jumps.into_values());
    found
}

/// Where those come to that a way ends for: the end of the function or of the loop around.
fn left_at(
    document: &Document,
    (body, around): (&Range<TokenIdx>, Option<&Loop>),
    way: &Range<TokenIdx>,
) -> Option<TokenIdx> {
    match document.token_text(last_of(document, way)?) {
        "return" => Some(body.end),
        "continue" | "break" => around.map(|looped| looped.body.end),
        _ => None,
    }
}

/// Where the last statement of a way starts.
pub(super) fn last_of(document: &Document, way: &Range<TokenIdx>) -> Option<TokenIdx> {
    let inside = if document.is(way.start, b'{') { way.start + 1..way.end - 1 } else { way.clone() };
    last_statement(document, inside)
}

/// The way of the `if` right behind another that asks for the opposite: `if (odd) … if (!odd) …`.
fn opposite(
    document: &Document,
    (condition, then): (&Range<TokenIdx>, &Range<TokenIdx>),
    ifs: &[If],
) -> Option<Range<TokenIdx>> {
    let next =
        ifs.get(ifs.partition_point(|found| found.keyword < then.end)).filter(|next| next.keyword == then.end)?;
    let texts = |tokens: &Range<TokenIdx>| tokens.clone().map(|idx| document.token_text(idx)).collect::<String>();
    let (one, other) = (texts(condition), texts(&next.condition));
    let negates = |not: &str, of: &str| {
        let inner = not.strip_prefix('!');
        let bare = inner.and_then(|inner| inner.strip_prefix('(')?.strip_suffix(')'));
        inner.is_some_and(|inner| inner == of && !of.contains([' ', '&', '|', '=', '<', '>', '+', '-', '%']))
            || bare == Some(of)
    };
    (negates(&other, &one) || negates(&one, &other)).then(|| next.then.clone())
}

/// The first places with a colon behind the names of labels.
fn labels<'d>(document: &'d Document, body: &Range<TokenIdx>) -> FxHashMap<&'d str, TokenIdx> {
    let mut labels = FxHashMap::default();
    for idx in body.clone().filter(|&idx| document.is(idx + 1, b':')) {
        labels.entry(document.token_text(idx)).or_insert(idx);
    }
    labels
}

/// Where the last statement of some starts.
fn last_statement(document: &Document, tokens: Range<TokenIdx>) -> Option<TokenIdx> {
    let end = tokens.end.checked_sub(1).filter(|&end| document.is(end, b';'))?;
    let is_end = |&idx: &TokenIdx| [b';', b'{', b'}'].iter().any(|&sign| document.is(idx, sign));
    let before = (tokens.start..end).rev().find(is_end);
    Some(before.map_or(tokens.start, |before| before + 1))
}

/// The operands of `&&` in a row, and what follows in the statement: `(condition && one) || (!condition && other)`.
struct Row {
    tokens: Range<TokenIdx>,
    /// The last of its `&&`.
    last: TokenIdx,
    /// Where was looked up to, outside of further brackets.
    seen: TokenIdx,
    parting: Parting,
}

/// The rows of `&&` in a body.
pub(super) fn of_ands(document: &Document, body: &Range<TokenIdx>) -> Vec<Parting> {
    let (mut found, mut rows): (Vec<Parting>, Vec<Row>) = (Vec::new(), Vec::new());
    let mut statement = body.start;
    for sign in body.clone().filter(|&idx| document.is(idx, b'&') && document.is(idx + 1, b'&')) {
        while let Some(row) = rows.pop_if(|row| row.tokens.end <= sign) {
            found.push(row.parting);
        }
        if let Some(row) = rows.last_mut() {
            row.seen = bracket_or(document, row.seen, sign);
            if row.seen == sign {
                row.parting.conditions.push((row.last + 2..sign, sign + 2));
                row.last = sign;
                continue;
            }
        }
        let start = backward(document, body.start..sign, &["=", ",", ";", "return", ":", "?", "|"]);
        let Some(end) = forward(document, sign + 2..body.end, &[",", ";", "|", "?", ":"]) else { continue };
        if statement < end {
            let ends = |&idx: &TokenIdx| document.is(idx, b';') || document.is(idx, b'{');
            statement = (end..body.end).find(ends).unwrap_or(body.end);
        }
        let conditions = vec![(start..sign, sign + 2)];
        let parting = Parting::joined(conditions, sign + 2..end, end..statement.max(end));
        rows.push(Row { tokens: start..end, last: sign, seen: sign, parting });
    }
    found.extend(rows.into_iter().map(|row| row.parting));
    found
}

/// The token `to`, or the bracket behind `from` that holds it.
fn bracket_or(document: &Document, from: TokenIdx, to: TokenIdx) -> TokenIdx {
    let mut at = from;
    while at < to {
        let next = document.after_brackets(at);
        if next > to {
            break;
        }
        at = next;
    }
    at
}

/// Each `case` beside those before it.
pub(super) fn of_switch(document: &Document, keyword: TokenIdx) -> Vec<Parting> {
    let parts = || {
        let condition = keyword + 2..document.partner(keyword + 1)?;
        let open = condition.end + 1;
        Some((condition, open, document.partner(open).filter(|_| document.is(open, b'{'))?))
    };
    let Some((condition, open, close)) = parts() else { return Vec::new() };
    let mut labels = Vec::new();
    let mut at = open + 1;
    while at < close {
        if matches!(document.token_text(at), "case" | "default") {
            labels.push(at);
        }
        at = document.after_brackets(at);
    }
    let ends = labels.iter().skip(1).copied().chain([close]);
    let cases = labels.iter().zip(ends);
    cases.map(|(&start, end)| Parting::of(condition.clone(), start..end, end..close)).collect()
}

/// The first of some signs, outside of brackets, or the bracket that closes around the tokens.
pub(super) fn forward(document: &Document, tokens: Range<TokenIdx>, signs: &[&str]) -> Option<TokenIdx> {
    let mut at = tokens.start;
    while at < tokens.end {
        match document.partner(at) {
            Some(close) if close > at => at = close + 1,
            Some(_) => return Some(at),
            None if signs.contains(&document.token_text(at)) => return Some(at),
            None => at += 1,
        }
    }
    None
}

/// The token behind the last of some signs, outside of brackets, or behind the bracket that opens around the tokens.
pub(super) fn backward(document: &Document, tokens: Range<TokenIdx>, signs: &[&str]) -> TokenIdx {
    let mut at = tokens.end;
    while at > tokens.start {
        let before = at - 1;
        match document.partner(before) {
            Some(open) if open < before && !document.is(before, b'}') => at = open,
            Some(_) => return at,
            None if signs.contains(&document.token_text(before)) && !is_comparison(document, before) => return at,
            None => at = before,
        }
    }
    at
}

/// The second sign of `==`, `!=`, `<=` or `>=`, or the first of the former.
fn is_comparison(document: &Document, idx: TokenIdx) -> bool {
    let is_one_of = |idx: TokenIdx, signs: &[&str]| signs.contains(&document.token_text(idx));
    document.is(idx, b'=') && (is_one_of(idx + 1, &["="]) || is_one_of(idx - 1, &["=", "!", "<", ">"]))
}
