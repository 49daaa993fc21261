//! Numbers with their nouns.

/// `1 finding`, `2 findings`, `2 launches`
pub(crate) fn plural(count: usize, noun: &str) -> String {
    match (count, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "launch") => format!("{count} launches"),
        _ => format!("{count} {noun}s"),
    }
}
