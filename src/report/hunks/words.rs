//! Which words of two lines differ.

use similar::{Algorithm, DiffOp, capture_diff_slices, diff_ratio};

/// A part of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment<'t> {
    /// What stands there.
    pub(super) text: &'t str,
    /// Whether the other line has something else there.
    pub(super) differs: bool,
}

/// A part of two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word<'t> {
    /// In both.
    Same(&'t str),
    /// In the old text only.
    Removed(&'t str),
    /// In the new text only.
    Added(&'t str),
}

/// Lines that have less in common than this share of their words are simply different.
const ALIKE: f32 = 0.3;

/// Both texts, word by word; words are names, numbers, blanks, and single other characters.
pub(super) fn words<'t>(old: &'t str, new: &'t str) -> Vec<Word<'t>> {
    let (old_words, new_words) = (split(old), split(new));
    let ops = capture_diff_slices(Algorithm::Myers, &old_words, &new_words);
    if diff_ratio(&ops, old_words.len(), new_words.len()) < ALIKE {
        return [Word::Removed(old), Word::Added(new)].into();
    }
    let (old, new) = (Texts::of(old, &old_words), Texts::of(new, &new_words));
    let mut found = Vec::new();
    for op in ops {
        match op {
            DiffOp::Equal { old_index, len, .. } => found.push(Word::Same(old.of_words(old_index, len))),
            DiffOp::Delete { old_index, old_len, .. } => found.push(Word::Removed(old.of_words(old_index, old_len))),
            DiffOp::Insert { new_index, new_len, .. } => found.push(Word::Added(new.of_words(new_index, new_len))),
            DiffOp::Replace { old_index, old_len, new_index, new_len } => found.extend([
                Word::Removed(old.of_words(old_index, old_len)),
                Word::Added(new.of_words(new_index, new_len)),
            ]),
        }
    }
    found
}

/// The parts of the old line and of the new line.
pub(super) fn segments<'t>(old: &'t str, new: &'t str) -> [Vec<Segment<'t>>; 2] {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let words = words(old, new);
    // What differs all through needs no emphasis.
    let differs = words.iter().any(|word| matches!(word, Word::Same(_)));
    for word in words {
        match word {
            Word::Same(text) => {
                left.push(Segment { text, differs: false });
                right.push(Segment { text, differs: false });
            }
            Word::Removed(text) => left.push(Segment { text, differs }),
            Word::Added(text) => right.push(Segment { text, differs }),
        }
    }
    [left, right]
}

/// A text and where its words start.
struct Texts<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Texts<'t> {
    fn of(text: &'t str, words: &[&str]) -> Texts<'t> {
        let starts = words.iter().scan(0, |at, word| Some(std::mem::replace(at, *at + word.len())));
        Texts { text, starts: starts.chain([text.len()]).collect() }
    }

    fn of_words(&self, first: usize, count: usize) -> &'t str {
        let start = |word: usize| self.starts.get(word).copied().unwrap_or(self.text.len());
        &self.text[start(first)..start(first + count)]
    }
}

fn split(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_alike = |c: char| kind(c) == kind(first) && kind(first) != Kind::Other;
        let end = rest.char_indices().find(|&(at, c)| at > 0 && !is_alike(c)).map_or(rest.len(), |(at, _)| at);
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after;
    }
    words
}

#[derive(PartialEq, Eq)]
enum Kind {
    Name,
    Blank,
    Other,
}

fn kind(character: char) -> Kind {
    match character {
        '_' => Kind::Name,
        ' ' | '\t' => Kind::Blank,
        c if c.is_alphanumeric() => Kind::Name,
        _ => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_as_a_whole() {
        let [old, new] = segments("f(cudaMalloc(&p));", "f(hipMalloc(&p));");
        let shown = |segments: &[Segment]| -> Vec<String> {
            segments.iter().map(|s| format!("{}{}", if s.differs { "*" } else { "" }, s.text)).collect()
        };
        assert_eq!(shown(&old), ["f(", "*cudaMalloc", "(&p));"]);
        assert_eq!(shown(&new), ["f(", "*hipMalloc", "(&p));"]);
    }

    #[test]
    fn lines_with_little_in_common_are_different_all_through() {
        assert_eq!(words("a b", "c(d, e)"), [Word::Removed("a b"), Word::Added("c(d, e)")]);
        assert!(segments("a b", "c(d, e)").iter().flatten().all(|segment| !segment.differs));
    }
}
