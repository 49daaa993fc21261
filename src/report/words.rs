//! Numbers with their nouns.

/// `1 finding`, `2 findings`, `2 launches`, `2 fixes`
pub(crate) fn plural(count: usize, noun: &str) -> String {
    let ending = if count == 1 {
        ""
    } else if noun.ends_with("ch") || noun.ends_with('x') {
        "es"
    } else {
        "s"
    };
    format!("{count} {noun}{ending}")
}
