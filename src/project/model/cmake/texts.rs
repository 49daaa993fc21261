//! Texts and arguments: `string`, `cmake_parse_arguments`.

use super::run::{Call, Run};
use super::scope::split;
use crate::project::model::bounded::{LONGEST, joined, replaced};

/// Follows a command; whether it is one of these.
pub(super) fn run(run: &mut Run<'_>, call: &Call) -> bool {
    match call.name.as_str() {
        "string" => string(run, call),
        "cmake_parse_arguments" => parse_arguments(run, call),
        _ => return false,
    }
    true
}

fn string(run: &mut Run<'_>, call: &Call) {
    let rest = |from: usize| call.arguments.get(from..).unwrap_or_default().concat();
    let (name, value) = match call.at(0) {
        "TOUPPER" => (call.at(2), call.at(1).to_uppercase()),
        "TOLOWER" => (call.at(2), call.at(1).to_lowercase()),
        "STRIP" => (call.at(2), call.at(1).trim().to_owned()),
        "LENGTH" => (call.at(2), call.at(1).len().to_string()),
        "REPLACE" => match replaced(&rest(4), call.at(1), call.at(2)) {
            Some(text) => (call.at(3), text),
            None => return run.scopes.exhaust(),
        },
        "CONCAT" => (call.at(1), rest(2)),
        "APPEND" => (call.at(1), run.scopes.get(call.at(1)).unwrap_or_default() + &rest(2)),
        "JOIN" => match joined(call.arguments.get(3..).unwrap_or_default(), call.at(1)) {
            Some(text) => (call.at(2), text),
            None => return run.scopes.exhaust(),
        },
        "REGEX" if call.at(1) == "REPLACE" => {
            let Ok(pattern) = regex_lite::Regex::new(call.at(2)) else { return };
            run.scopes.spend(rest(5).len().saturating_mul(rest(5).len()) / 64);
            match replaced_by_pattern(&rest(5), &pattern, call.at(3)) {
                Some(text) => (call.at(4), text),
                None => return run.scopes.exhaust(),
            }
        }
        other => {
            return run.tree.note(Some(call.place.clone()), format!("`string({other} …)` is not followed"));
        }
    };
    run.scopes.set(name, Some(value));
}

/// No longer text is searched for a pattern.
const LONGEST_SEARCHED: usize = 1 << 14;

/// `text` with `new` for what a pattern finds, where `\\1` and `\\2` are its groups; `None` if that may be too long.
fn replaced_by_pattern(text: &str, pattern: &regex_lite::Regex, new: &str) -> Option<String> {
    // Looking for all that a pattern finds may take as many steps as the square of the text.
    if text.len() > LONGEST_SEARCHED {
        return None;
    }
    let groups = new.matches('\\').count();
    // What is found does not overlap, so that a group is in all of it no longer than the text.
    let added =
        pattern.find_iter(text).count().saturating_mul(new.len()).saturating_add(groups.saturating_mul(text.len()));
    if text.len().saturating_add(added) > LONGEST {
        return None;
    }
    let new = new.replace('$', "$$").replace("\\1", "${1}").replace("\\2", "${2}");
    Some(pattern.replace_all(text, new.as_str()).into_owned())
}

/// `cmake_parse_arguments(prefix options one-value multi-value arguments…)`; in a function also with `PARSE_ARGV n` first.
///
/// Lists among the arguments were split, so the names are looked for in the call of the function instead.
fn parse_arguments(run: &mut Run<'_>, call: &Call) {
    let is_argv = call.at(0) == "PARSE_ARGV";
    let from = if is_argv { 2 } else { 0 };
    let prefix = call.at(from).to_owned();
    let given = if is_argv {
        let all = split(&run.scopes.get("ARGV").unwrap_or_default());
        all.into_iter().skip(call.at(1).parse().unwrap_or(0)).collect()
    } else {
        split(&run.scopes.get("ARGN").unwrap_or_default())
    };
    // Names are written in capitals; what they are given begins with the first argument that is no name.
    let (mut found, mut key): (Vec<(String, Vec<String>)>, Option<usize>) = (Vec::new(), None);
    let names: Vec<&String> = call.arguments.iter().skip(from + 1).filter(|word| is_name(word)).collect();
    for value in given {
        if names.contains(&&value) {
            found.push((value, Vec::new()));
            key = Some(found.len() - 1);
        } else if let Some(key) = key {
            found[key].1.push(value);
        }
    }
    for name in names {
        run.scopes.set(&format!("{prefix}_{name}"), None);
    }
    for (name, values) in found {
        let value = if values.is_empty() { "TRUE".to_owned() } else { values.join(";") };
        run.scopes.set(&format!("{prefix}_{name}"), Some(value));
    }
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}
