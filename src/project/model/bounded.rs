//! Texts that build files have made, which a few lines can have grow without end: they are made only if they are short enough, and
//! it is known before how long they get.

/// No longer text is made.
pub(super) const LONGEST: usize = 1 << 22;

/// `text` with `new` in place of each `old`; `None` if that is too long.
pub(super) fn replaced(text: &str, old: &str, new: &str) -> Option<String> {
    let count = text.matches(old).count();
    let len = text.len().saturating_add(count.saturating_mul(new.len()));
    (len <= LONGEST).then(|| text.replace(old, new))
}

/// `parts` with `sign` between them; `None` if that is too long.
pub(super) fn joined<S: AsRef<str>>(parts: &[S], sign: &str) -> Option<String> {
    let own: usize = parts.iter().map(|part| part.as_ref().len()).sum();
    let len = own.saturating_add(parts.len().saturating_mul(sign.len()));
    (len <= LONGEST).then(|| parts.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(sign))
}

/// Each of `words` as `shape` makes it, which adds at most `added` bytes to one, with blanks between them; `None` if that is too long.
pub(super) fn shaped(words: &str, added: usize, shape: impl Fn(&str) -> String) -> Option<String> {
    let count = words.split_whitespace().count();
    let len = words.len().saturating_add(count.saturating_mul(added + 1));
    (len <= LONGEST).then(|| words.split_whitespace().map(shape).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_made_as_long_as_they_are_short() {
        assert_eq!(replaced("abab", "a", "xy").as_deref(), Some("xybxyb"));
        assert_eq!(replaced("ab", "", "-").as_deref(), Some("-a-b-"));
        let long = "a".repeat(1 << 12);
        assert_eq!(replaced(&long, "a", &long), None);
        assert_eq!(replaced(&long, "", &long), None);
        assert_eq!(joined(&["a", "b"], "; ").as_deref(), Some("a; b"));
        assert_eq!(joined(&vec!["a"; 1 << 12], &long), None);
        assert_eq!(shaped("a  b", 1, |word| format!("-{word}")).as_deref(), Some("-a -b"));
        assert_eq!(shaped(&"a ".repeat(1 << 12), 1 << 12, str::to_owned), None);
    }
}
