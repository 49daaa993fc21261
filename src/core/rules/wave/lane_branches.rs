//! The places of a function to which lanes of one warp come by different ways, one of which is taken before the other.

use std::ops::Range;

use crate::analysis::{ControlFlow, If};
use crate::syntax::{Document, TokenIdx};

/// Two ways and what decides between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parting {
    pub(super) condition: Range<TokenIdx>,
    pub(super) one: Range<TokenIdx>,
    pub(super) other: Range<TokenIdx>,
}

/// All partings of a function with this body.
pub(super) fn partings(document: &Document, body: &Range<TokenIdx>, flow: &ControlFlow) -> Vec<Parting> {
    let mut found: Vec<Parting> = flow.ifs.iter().filter_map(|branch| of_if(document, body, (branch, flow))).collect();
    found.extend(body.clone().filter_map(|idx| match document.token_text(idx) {
        "?" => of_choice(document, body, idx),
        "&" if document.is(idx + 1, b'&') => of_and(document, body, idx),
        _ => None,
    }));
    for keyword in body.clone().filter(|&idx| document.token_text(idx) == "switch") {
        found.extend(of_switch(document, keyword));
    }
    found
}

fn of_if(document: &Document, body: &Range<TokenIdx>, (branch, flow): (&If, &ControlFlow)) -> Option<Parting> {
    let If { condition, then, other, .. } = branch.clone();
    if !other.is_empty() {
        return Some(Parting { condition, one: then, other });
    }
    let inside = if document.is(then.start, b'{') { then.start + 1..then.end - 1 } else { then.clone() };
    let last = last_statement(document, inside)?;
    let behind = |end: TokenIdx| Some(then.end..end.max(then.end));
    let looped = || flow.loops.iter().rev().find(|looped| looped.body.contains(&branch.keyword));
    let other = match document.token_text(last) {
        "return" => behind(body.end),
        "continue" | "break" => behind(looped()?.body.end),
        "goto" => {
            let name = document.token_text(last + 1);
            let is_label = |&idx: &TokenIdx| document.token_text(idx) == name && document.is(idx + 1, b':');
            let label = body.clone().find(is_label).filter(|&label| label > then.end)?;
            return Some(Parting { condition, one: then.end..label, other: label..body.end });
        }
        _ => None,
    }?;
    Some(Parting { condition, one: then, other })
}

/// Where the last statement of some starts.
fn last_statement(document: &Document, tokens: Range<TokenIdx>) -> Option<TokenIdx> {
    let end = tokens.end.checked_sub(1).filter(|&end| document.is(end, b';'))?;
    let is_end = |&idx: &TokenIdx| [b';', b'{', b'}'].iter().any(|&sign| document.is(idx, sign));
    let before = (tokens.start..end).rev().find(is_end);
    Some(before.map_or(tokens.start, |before| before + 1))
}

/// `condition ? one : other`
fn of_choice(document: &Document, body: &Range<TokenIdx>, sign: TokenIdx) -> Option<Parting> {
    let colon = forward(document, sign + 1..body.end, &[":", ";"])?;
    let condition = backward(document, body.start..sign, &["=", ",", ";", "return", ":", "?"])..sign;
    let end = forward(document, colon + 1..body.end, &[",", ";", ":"])?;
    Some(Parting { condition, one: sign + 1..colon, other: colon + 1..end })
}

/// `(condition && one) || (!condition && other)`
fn of_and(document: &Document, body: &Range<TokenIdx>, sign: TokenIdx) -> Option<Parting> {
    let start = backward(document, body.start..sign, &["=", ",", ";", "return", ":", "?", "|"]);
    let end = forward(document, sign + 2..body.end, &[",", ";", "|", "?", ":"])?;
    let statement = (end..body.end).find(|&idx| document.is(idx, b';') || document.is(idx, b'{'))?;
    Some(Parting { condition: start..sign, one: sign + 2..end, other: end..statement })
}

/// Each `case` beside those before it.
fn of_switch(document: &Document, keyword: TokenIdx) -> Vec<Parting> {
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
        at = document.partner(at).filter(|&end| end > at).unwrap_or(at) + 1;
    }
    let ends = labels.iter().skip(1).copied().chain([close]);
    let parting = |(&start, end): (&TokenIdx, TokenIdx)| Parting {
        condition: condition.clone(),
        one: open + 1..start,
        other: start..end,
    };
    labels.iter().zip(ends).map(parting).collect()
}

/// The first of some signs, outside of brackets, or the bracket that closes around the tokens.
fn forward(document: &Document, tokens: Range<TokenIdx>, signs: &[&str]) -> Option<TokenIdx> {
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
fn backward(document: &Document, tokens: Range<TokenIdx>, signs: &[&str]) -> TokenIdx {
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
    let is_beside = |idx: TokenIdx, signs: &[&str]| signs.contains(&document.token_text(idx));
    document.is(idx, b'=') && (is_beside(idx + 1, &["="]) || is_beside(idx - 1, &["=", "!", "<", ">"]))
}
