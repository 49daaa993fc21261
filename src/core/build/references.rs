//! Variables of makefiles and scripts that a text refers to.

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
