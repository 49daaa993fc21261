//! Variables, lists and names of files: `set`, `option`, `list`, `file`, `foreach`.

use camino::Utf8Path;

use super::run::{Call, Run};
use super::scope::split;
use crate::project::model::bounded::{LONGEST, joined};

/// Follows a command; whether it is one of these.
pub(super) fn run(run: &mut Run<'_>, call: &Call) -> bool {
    match call.name.as_str() {
        "set" => set(run, call),
        "unset" => run.scopes.set(call.at(0), None),
        "option" => {
            let value = Some(call.at(2)).filter(|value| !value.is_empty()).unwrap_or("OFF");
            run.scopes.set_cached(call.at(0), value.to_owned());
        }
        "list" => list(run, call),
        "file" => file(run, call),
        "aux_source_directory" => {
            let sources = ["*.c", "*.cc", "*.cpp", "*.cxx", "*.cu"];
            let found =
                sources.iter().flat_map(|name| run.tree.glob(run.folder(), &format!("{}/{name}", call.at(0)), false));
            let found: Vec<String> = found.map(|path| run.tree.root.join(path).into_string()).collect();
            run.scopes.set(call.at(1), Some(found.join(";")));
        }
        "get_filename_component" => component(run, call),
        _ => return false,
    }
    true
}

fn set(run: &mut Run<'_>, call: &Call) {
    let Some((name, values)) = call.arguments.split_first() else { return };
    if let Some(at) = values.iter().position(|value| value == "CACHE") {
        return run.scopes.set_cached(name, values[..at].join(";"));
    }
    let is_outside = values.last().is_some_and(|value| value == "PARENT_SCOPE");
    let values = &values[..values.len() - usize::from(is_outside)];
    let value = if values.is_empty() { None } else { Some(values.join(";")) };
    // `set(X "")` has one value, which is empty.
    if is_outside { run.scopes.set_outside(name, value) } else { run.scopes.set(name, value) }
}

/// The values of a loop: `IN LISTS a IN ITEMS x`, `RANGE n`, or as they stand there.
pub(super) fn loop_values(run: &Run<'_>, words: &[String]) -> Vec<String> {
    if words.first().is_some_and(|word| word == "RANGE") {
        return range(&words[1..]);
    }
    if words.first().is_none_or(|word| word != "IN") {
        return words.to_vec();
    }
    let (mut values, mut are_lists) = (Vec::new(), false);
    for word in &words[1..] {
        match word.as_str() {
            "IN" => {}
            "LISTS" => are_lists = true,
            "ITEMS" => are_lists = false,
            _ if are_lists => values.extend(split(&run.scopes.get(word).unwrap_or_default())),
            _ => values.push(word.clone()),
        }
    }
    values
}

/// More values than these are not taken.
const LONGEST_RANGE: i64 = 10_000;

fn range(words: &[String]) -> Vec<String> {
    let numbers: Vec<i64> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let (first, end, width) = match *numbers.as_slice() {
        [end] => (0, end, 1),
        [first, end] => (first, end, 1),
        [first, end, width] => (first, end, width.max(1)),
        _ => return Vec::new(),
    };
    let last = end.min(first.saturating_add(width.saturating_mul(LONGEST_RANGE)));
    (first..=last).step_by(usize::try_from(width).unwrap_or(1)).map(|number| number.to_string()).collect()
}

fn list(run: &mut Run<'_>, call: &Call) {
    let name = call.at(1);
    let mut values = split(&run.scopes.get(name).unwrap_or_default());
    let more = call.arguments.get(2..).unwrap_or_default();
    match call.at(0) {
        "APPEND" => values.extend_from_slice(more),
        "PREPEND" => drop(values.splice(0..0, more.iter().cloned())),
        "INSERT" => {
            let at = call.at(2).parse::<usize>().unwrap_or(0).min(values.len());
            values.splice(at..at, more.iter().skip(1).cloned());
        }
        "REMOVE_ITEM" => values.retain(|value| !more.contains(value)),
        "REMOVE_DUPLICATES" => {
            let mut once: Vec<String> = Vec::new();
            values.retain(|value| {
                let is_new = !once.contains(value);
                once.push(value.clone());
                is_new
            });
        }
        "SORT" => values.sort(),
        "REVERSE" => values.reverse(),
        "FILTER" => {
            let Ok(pattern) = regex_lite::Regex::new(call.at(4)) else { return };
            values.retain(|value| pattern.is_match(value) == (call.at(2) == "INCLUDE"));
        }
        "TRANSFORM" if matches!(call.at(2), "PREPEND" | "APPEND") => {
            if values.len().saturating_mul(call.at(3).len()) > LONGEST {
                return run.scopes.exhaust();
            }
            let at = |value: &str| if call.at(2) == "PREPEND" { 0 } else { value.len() };
            for value in &mut values {
                value.insert_str(at(value), call.at(3));
            }
        }
        "LENGTH" => return run.scopes.set(call.at(2), Some(values.len().to_string())),
        "GET" => {
            let found = call.at(2).parse::<usize>().ok().and_then(|at| values.get(at).cloned());
            return run.scopes.set(call.at(3), found);
        }
        "FIND" => {
            let at = values.iter().position(|value| value == call.at(2));
            let number = at.map_or("-1".to_owned(), |at| at.to_string());
            return run.scopes.set(call.at(3), Some(number));
        }
        "JOIN" => {
            return match joined(&values, call.at(2)) {
                Some(text) => run.scopes.set(call.at(3), Some(text)),
                None => run.scopes.exhaust(),
            };
        }
        other => {
            return run.tree.note(Some(call.place.clone()), format!("`list({other} …)` is not followed"));
        }
    }
    run.scopes.set(name, Some(values.join(";")));
}

fn file(run: &mut Run<'_>, call: &Call) {
    let is_deep = call.at(0) == "GLOB_RECURSE";
    if !is_deep && call.at(0) != "GLOB" {
        if matches!(call.at(0), "READ" | "STRINGS" | "DOWNLOAD") {
            run.tree.note(Some(call.place.clone()), format!("`file({} …)` is not followed", call.at(0)));
        }
        return;
    }
    let mut words = call.arguments.iter().skip(2);
    let (mut found, mut base) = (Vec::new(), None);
    while let Some(word) = words.next() {
        match word.as_str() {
            "RELATIVE" => base = words.next().map(|folder| run.tree.resolve(run.folder(), folder)),
            "LIST_DIRECTORIES" => drop(words.next()),
            "CONFIGURE_DEPENDS" | "FOLLOW_SYMLINKS" => {}
            pattern => found.extend(run.tree.glob(run.folder(), pattern, is_deep)),
        }
    }
    found.sort();
    found.dedup();
    let shown = |path: &Utf8Path| match base.as_deref().and_then(|base| path.strip_prefix(base).ok()) {
        Some(inside) => inside.to_string(),
        None => run.tree.root.join(path).into_string(),
    };
    let value: Vec<String> = found.iter().map(|path| shown(path)).collect();
    run.scopes.set(call.at(1), Some(value.join(";")));
}

fn component(run: &mut Run<'_>, call: &Call) {
    let path = Utf8Path::new(call.at(1));
    let name = path.file_name().unwrap_or_default();
    let first_dot = name.find('.').unwrap_or(name.len());
    let value = match call.at(2) {
        "NAME" => name.to_owned(),
        "NAME_WE" => name[..first_dot].to_owned(),
        "NAME_WLE" => path.file_stem().unwrap_or_default().to_owned(),
        "EXT" => name[first_dot..].to_owned(),
        "DIRECTORY" | "PATH" => path.parent().map(Utf8Path::to_string).unwrap_or_default(),
        _ => run.tree.root.join(run.tree.resolve(run.folder(), call.at(1))).into_string(),
    };
    run.scopes.set(call.at(0), Some(value));
}
