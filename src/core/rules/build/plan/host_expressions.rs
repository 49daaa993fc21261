//! Generator expressions in the value of `-Xcompiler`, which is options with commas between them.

use super::change::{Change, Topic, stays};
use super::planner::Plan;
use super::style::Style;
use crate::build::COMMA;
use crate::source::{Edit, Piece, TextRange};

/// The options stand for themselves, if it is known where they end before the expressions have their values.
pub(super) fn with_expressions(
    plan: &Plan<'_>,
    place: TextRange,
    (option, value): (&str, &str),
    style: &dyn Style,
) -> Change {
    let text = plan.slice(place);
    let at = text.rfind(value).unwrap_or_default();
    let between = style.separator(place);
    let options: Option<Vec<&str>> = split(&text[at..at + value.len()]).into_iter().map(options_of).collect();
    // A list that nothing joins any more stands where lists do.
    let is_list = |options: &Vec<&str>| between == ";" || !value.contains("$<JOIN:") || options.is_empty();
    let Some(options) = options.filter(is_list) else {
        return stays(place, option, "an expression decides where its options end");
    };
    let kept = options.into_iter().map(|option| Piece::Keep(plan.place(option)));
    let pieces = kept.flat_map(|kept| [Piece::Text(between.to_owned()), kept]).skip(1).collect();
    let message = format!("`{text}` hands options to the host's compiler");
    Change::new(Topic::Option, place, message, vec![Edit { range: place, pieces }])
}

/// The parts of a text between commas that no expression holds.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        let rest = &text[at..];
        let comma = [COMMA, ","].into_iter().find(|comma| rest.starts_with(*comma));
        if let Some(comma) = comma {
            parts.push(&text[start..at]);
            start = at + comma.len();
            at = start;
        } else {
            at += expression(rest).map_or_else(|| rest.chars().next().map_or(1, char::len_utf8), str::len);
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The whole expression that a text begins with.
pub(super) fn expression(text: &str) -> Option<&str> {
    text.strip_prefix("$<")?;
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' if text[..at].ends_with('$') => depth += 1,
            b'>' if depth == 1 => return Some(&text[..=at]),
            b'>' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The option that a part is, or the list of those that it puts commas between; nothing if commas may come out of it.
fn options_of(part: &str) -> Option<&str> {
    if let Some(inner) = part.strip_prefix("$<JOIN:").and_then(|rest| rest.strip_suffix('>'))
        && expression(part) == Some(part)
    {
        let list = split(inner);
        let (list, glue) = (*list.first()?, &inner[list.first()?.len()..]);
        return (matches!(glue, ",," | ",$<COMMA>") && !list.contains("$<")).then_some(list);
    }
    let mut rest = part;
    while let Some(at) = rest.find("$<") {
        let whole = expression(&rest[at..])?;
        if !is_without_commas(&whole[2..whole.len() - 1]) {
            return None;
        }
        rest = &rest[at + whole.len()..];
    }
    Some(part)
}

/// Whether what stands in an expression chooses between texts that have no commas, and none that come from elsewhere.
fn is_without_commas(inner: &str) -> bool {
    let is_plain = |text: &str| !text.contains([',', '$']);
    if let Some(choice) = inner.strip_prefix("IF:") {
        return matches!(split(choice).as_slice(), [_, then, otherwise] if is_plain(then) && is_plain(otherwise));
    }
    let condition = expression(inner).or_else(|| inner.get(..1).filter(|digit| matches!(*digit, "0" | "1")));
    let value = condition.and_then(|condition| inner[condition.len()..].strip_prefix(':'));
    value.is_some_and(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, expected: Option<&[&str]>) {
        let found: Option<Vec<&str>> = split(value).into_iter().map(options_of).collect();
        assert_eq!(found.as_deref(), expected, "{value}");
    }

    #[test]
    fn options_end_where_commas_are_that_no_expression_makes() {
        check("$<IF:$<CONFIG:Debug>,-Og,-O2>", Some(&["$<IF:$<CONFIG:Debug>,-Og,-O2>"]));
        check("-Wall$<COMMA>-O$<IF:$<AND:a,b>,1,2>,-g", Some(&["-Wall", "-O$<IF:$<AND:a,b>,1,2>", "-g"]));
        check("$<$<AND:$<A:x>,$<B:y>>:-Og>", Some(&["$<$<AND:$<A:x>,$<B:y>>:-Og>"]));
        check("$<JOIN:${W},$<COMMA>>", Some(&["${W}"]));
        check("-a,$<JOIN:${W},,>", Some(&["-a", "${W}"]));
        check("$<JOIN:${W},;>", None);
        check("$<$<CONFIG:Debug>:-Og,-g>", None);
        check("$<IF:$<CONFIG:Debug>,-Og$<COMMA>-g,-O2>", None);
        check("$<IF:$<CONFIG:Debug>,${A},-O2>", None);
        check("$<TARGET_PROPERTY:x,FLAGS>", None);
        check("$<IF:a,b", None);
    }
}
