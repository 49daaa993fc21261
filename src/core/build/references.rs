//! Variables of makefiles and scripts that a text refers to.

use std::collections::{BTreeMap, BTreeSet};

/// The variables that a text refers to.
pub fn references(text: &str) -> Vec<&str> {
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    // In brackets, make takes almost anything for a part of the name.
    let is_bracket_end = |c: char| is_end(c) && c != '.' && c != '-';
    let names = text.split('$').skip(1).filter_map(|rest| match rest.strip_prefix(['(', '{']) {
        Some(rest) => rest.split(is_bracket_end).next(),
        None => rest.split(is_end).next(),
    });
    names.filter(|name| !name.is_empty()).collect()
}
/// Some variables, and those whose values refer to one of them, by themselves or by way of others. `given` are names with values.
pub fn users<'t>(given: impl Iterator<Item = (&'t str, &'t str)>, mut open: Vec<&'t str>) -> BTreeSet<&'t str> {
    let mut users: BTreeMap<&str, Vec<&'t str>> = BTreeMap::new();
    for (name, value) in given {
        for used in references(value) {
            users.entry(used).or_default().push(name);
        }
    }
    let mut all = BTreeSet::new();
    while let Some(name) = open.pop() {
        if all.insert(name) {
            open.extend(users.get(name).into_iter().flatten());
        }
    }
    all
}
