//! Numbers with their nouns.

/// `1 finding`, `2 findings`, `2 launches`, `2 fixes`
pub(crate) fn plural(count: usize, noun: &str) -> String {
    match (count, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "fix") => format!("{count} fixes"),
        (_, "launch") => format!("{count} launches"),
        _ => format!("{count} {noun}s"),
    }
}
