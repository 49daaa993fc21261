//! What a fix is known by when its file has changed: its rule and the text that it is about.

use rustc_hash::FxHashMap;

use super::finding::RuleInfo;
use crate::source::{TextRange, single_blanks};

/// What a fix is known by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FixKey {
    /// The line that its finding starts on, with single blanks.
    pub line: String,
    /// The text that its finding is about, as far as it is on that line.
    pub at: String,
    /// Which of the places of this text, on lines of this text, from 1.
    pub number: usize,
    /// The name of its rule.
    pub rule: &'static str,
}

/// Makes the keys of the fixes of one file.
#[derive(Debug)]
pub struct FixKeys<'t> {
    text: &'t str,
    /// Where each line starts.
    starts: Vec<usize>,
    /// How many lines above each have the same text.
    ranks: Vec<usize>,
}

impl<'t> FixKeys<'t> {
    /// Reads the lines of `text`.
    pub fn of(text: &'t str) -> FixKeys<'t> {
        let (mut starts, mut ranks) = (Vec::new(), Vec::new());
        let mut seen: FxHashMap<String, usize> = FxHashMap::default();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let count = seen.entry(single_blanks(line)).or_default();
            starts.push(at);
            ranks.push(*count);
            *count += 1;
            at += line.len();
        }
        FixKeys { text, starts, ranks }
    }

    /// The key of a fix whose finding of `rule` is about `range`.
    pub fn key(&self, rule: &'static RuleInfo, range: TextRange) -> FixKey {
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        let line = self.starts.partition_point(|first| *first <= start).saturating_sub(1);
        let first = self.starts.get(line).copied().unwrap_or(0);
        let last = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let (whole, at) = (&self.text[first..last], &self.text[start..end.min(last).max(start)]);
        let above = self.ranks.get(line).copied().unwrap_or(0);
        let (before, each) = match at {
            "" => (0, 1),
            at => (whole[..start - first].matches(at).count(), whole.matches(at).count().max(1)),
        };
        FixKey { line: single_blanks(whole), at: single_blanks(at), number: above * each + before + 1, rule: rule.name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{FixAvailability, Severity};
    use crate::source::range;

    static RULE: RuleInfo = RuleInfo {
        code: "X001",
        name: "some-rule",
        severity: Severity::Hint,
        fix: FixAvailability::Always,
        since: "0.1.0",
        docs: "",
    };

    /// The keys of all places of `part` in `text`.
    fn keys(text: &str, part: &str) -> Vec<(String, String, usize)> {
        let keys = FixKeys::of(text);
        let places = text.match_indices(part).map(|(at, _)| keys.key(&RULE, range(at, at + part.len())));
        places.map(|key| (key.line, key.at, key.number)).collect()
    }

    #[track_caller]
    fn check(text: &str, part: &str, expected: &[(&str, &str, usize)]) {
        let expected: Vec<_> =
            expected.iter().map(|(line, at, n)| ((*line).to_owned(), (*at).to_owned(), *n)).collect();
        assert_eq!(keys(text, part), expected);
    }

    #[test]
    fn places_on_equal_lines_are_counted_through() {
        let lines = ("f(x, x);", "x");
        check(
            "f(x, x);\ng(x);\n  f(x,\tx);\r\n",
            "x",
            &[
                (lines.0, lines.1, 1),
                (lines.0, lines.1, 2),
                ("g(x);", "x", 1),
                (lines.0, lines.1, 3),
                (lines.0, lines.1, 4),
            ],
        );
    }

    #[test]
    fn moving_a_line_leaves_its_key() {
        assert_eq!(keys("a(b);", "b"), keys("\n\n    a(b);  // no\n".replace("  // no", "").as_str(), "b"));
    }

    #[test]
    fn text_of_several_lines_is_known_by_its_first() {
        check("k<<<1,\n2>>>();\n", "k<<<1,\n2>>>()", &[("k<<<1,", "k<<<1,", 1)]);
        check("", "", &[("", "", 1)]);
    }
}
