//! Compares what a program printed with what it should have printed, or with what it printed elsewhere: text exactly,
//! numbers within a tolerance, times and rates not at all.

use regex_lite::Regex;

use super::machine::without_machine;
use crate::mapping::Target;

/// What counts as equal.
#[derive(Debug, Clone, Default)]
pub struct Tolerance {
    /// Numbers may differ by this share of the expected one.
    pub relative: f64,
    /// Numbers may differ by this much.
    pub absolute: f64,
    /// Lines that match one of these are not compared.
    pub ignored: Vec<Regex>,
}

/// Units of time and of rates. A number with one of them behind it is measured, not computed, and differs each time.
const MEASURED: &[&str] = &[
    "ns",
    "us",
    "µs",
    "ms",
    "s",
    "nsec",
    "usec",
    "msec",
    "sec",
    "secs",
    "second",
    "seconds",
    "milliseconds",
    "microseconds",
    "nanoseconds",
    "cycles",
    "GFLOPS",
    "GFlops",
    "Gflops",
    "TFLOPS",
    "TFlops",
    "MFLOPS",
    "MFlops",
    "fps",
    "FPS",
    "MHz",
    "GHz",
];

/// What the units of rates end in.
const PER_TIME: &[&str] = &["/s", "/sec", "/second"];

/// The first line that is not as expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Line of the expected text, from 1, among those that are compared.
    pub line: usize,
    /// What was expected; nothing where the output should have ended.
    pub expected: Option<String>,
    /// What was printed; nothing where the output ended early.
    pub actual: Option<String>,
}

/// Compares two texts line by line; nothing if they are equal.
pub fn compare(expected: &str, actual: &str, tolerance: &Tolerance) -> Option<Difference> {
    first_difference([expected, actual], tolerance, |wanted, found| lines_equal(wanted, found, tolerance))
}

/// Compares what a program printed on two targets, but for what it says of the machine: its name, the size of its waves, and
/// times.
pub(super) fn compare_runs(runs: [(&Target, &str); 2], tolerance: &Tolerance) -> Option<Difference> {
    let [(first, _), (second, _)] = runs;
    first_difference(runs.map(|(_, text)| text), tolerance, |a, b| {
        lines_equal(&without_machine(a, first), &without_machine(b, second), tolerance)
    })
}

fn first_difference(
    texts: [&str; 2],
    tolerance: &Tolerance,
    is_same: impl Fn(&str, &str) -> bool,
) -> Option<Difference> {
    let is_compared = |line: &&str| !tolerance.ignored.iter().any(|pattern| pattern.is_match(line));
    let [mut expected, mut actual] = texts.map(|text| text.lines().filter(is_compared));
    let mut line = 0;
    loop {
        line += 1;
        let (wanted, found) = (expected.next(), actual.next());
        match (wanted, found) {
            (None, None) => return None,
            (Some(wanted), Some(found)) if is_same(wanted, found) => {}
            _ => {
                return Some(Difference {
                    line,
                    expected: wanted.map(str::to_owned),
                    actual: found.map(str::to_owned),
                });
            }
        }
    }
}

fn lines_equal(expected: &str, actual: &str, tolerance: &Tolerance) -> bool {
    if expected == actual {
        return true;
    }
    let (mut wanted, mut found) = (Pieces(expected), Pieces(actual));
    loop {
        match (wanted.next(), found.next()) {
            (None, None) => return true,
            (Some(wanted), Some(found)) if wanted.equals(&found, tolerance) => {}
            (Some(Piece::Number(..)), Some(Piece::Number(..))) if is_measured(wanted.0) && is_measured(found.0) => {}
            _ => return false,
        }
    }
}

/// Whether the text behind a number starts with a unit of time or of a rate.
fn is_measured(rest: &str) -> bool {
    let unit = rest.trim_start().split(|c: char| !(c.is_alphanumeric() || c == '/')).next();
    unit.is_some_and(|unit| MEASURED.contains(&unit) || PER_TIME.iter().any(|end| unit.ends_with(end)))
}

/// A part of a line.
#[derive(Debug, PartialEq)]
enum Piece<'t> {
    Number(f64, &'t str),
    Text(&'t str),
}

impl Piece<'_> {
    fn equals(&self, found: &Piece<'_>, tolerance: &Tolerance) -> bool {
        match (self, found) {
            (Piece::Text(wanted), Piece::Text(found)) => wanted == found,
            (Piece::Number(wanted, a), Piece::Number(found, b)) => {
                let near = (wanted - found).abs() <= tolerance.absolute.max(tolerance.relative * wanted.abs());
                // Infinities differ by no number; they are equal where their texts are.
                a == b || near || (wanted.is_nan() && found.is_nan())
            }
            _ => false,
        }
    }
}

/// Splits a line into numbers and what stands between them.
struct Pieces<'t>(&'t str);

impl<'t> Iterator for Pieces<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Piece<'t>> {
        if self.0.is_empty() {
            return None;
        }
        if let Some((value, length)) = number_at_start(self.0) {
            let (text, rest) = self.0.split_at(length);
            self.0 = rest;
            return Some(Piece::Number(value, text));
        }
        // A word is skipped whole, so that the digits of a name are no number.
        let mut end = 0;
        let mut in_word = false;
        for (at, character) in self.0.char_indices() {
            if at > 0 && !in_word && number_at_start(&self.0[at..]).is_some() {
                break;
            }
            in_word = character.is_alphanumeric() || character == '_';
            end = at + character.len_utf8();
        }
        let (text, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(Piece::Text(text))
    }
}

/// The number that a text starts with, and its length in bytes.
fn number_at_start(text: &str) -> Option<(f64, usize)> {
    for word in ["-nan", "nan", "-inf", "inf"] {
        if text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric())) {
            return word.parse().ok().map(|value| (value, word.len()));
        }
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let is_part = |(at, c): (usize, char)| {
        let after_exponent = || text[..at].ends_with(['e', 'E']);
        c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E') || (matches!(c, '-' | '+') && (at == 0 || after_exponent()))
    };
    let mut length = text.char_indices().take_while(|part| is_part(*part)).count();
    // A point or an "e" behind a number belongs to the text.
    while length > 0 {
        if let Ok(value) = text[..length].parse() {
            return Some((value, length));
        }
        length -= 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(expected: &str, actual: &str, relative: f64) -> bool {
        compare(expected, actual, &Tolerance { relative, ..Tolerance::default() }).is_none()
    }

    #[test]
    fn text_is_compared_exactly_and_numbers_within_the_tolerance() {
        assert!(equal("sum 1.0000\n", "sum 1.0\n", 0.0));
        assert!(equal("sum 1.00001 of 5", "sum 1.00002 of 5", 1e-4));
        assert!(!equal("sum 1.00001", "sum 1.00002", 1e-6));
        assert!(!equal("gfx90a 1", "gfx90b 1", 1.0));
        assert!(!equal("PASS", "FAIL", 1.0));
        assert!(equal("err nan", "err nan", 0.0));
        assert!(equal("x=-1.5e-3.", "x=-1.5001e-3.", 1e-3));
        assert!(!equal("x=1 y=2", "x=1 y=3", 1e-3));
        assert!(!equal("v2 fast", "v3 fast", 1.0));
        assert!(equal("took 9.648 ms, sum 3", "took 30.1 ms, sum 3", 0.0));
        assert!(equal("12.5GB/s", "7.1GB/s", 0.0));
        assert!(equal("12.5 Melem/s of 3", "7.1 Melem/s of 3", 0.0));
        assert!(!equal("9 sheep", "8 sheep", 0.0));
        assert!(!equal("took 1 ms, sum 3", "took 2 ms, sum 4", 0.0));
    }

    #[test]
    fn the_first_difference_is_told() {
        let found = compare("a\nb\nc\n", "a\nB\n", &Tolerance::default()).unwrap();
        assert_eq!((found.line, found.expected.as_deref(), found.actual.as_deref()), (2, Some("b"), Some("B")));
        let found = compare("a\n", "a\nb\n", &Tolerance::default()).unwrap();
        assert_eq!((found.line, found.expected.as_deref(), found.actual.as_deref()), (2, None, Some("b")));
    }

    #[test]
    fn what_two_machines_say_of_themselves_is_no_difference() {
        let [wide, narrow] = ["gfx90a", "gfx1100"].map(|name| Target::find(name).unwrap());
        let compare = |a, b| compare_runs([(wide, a), (narrow, b)], &Tolerance::default());
        assert_eq!(compare("on gfx90a: sum 5\n", "on gfx1100: sum 5\n"), None);
        assert_eq!(compare("Warp size: 64\ntime 5.1\n", "Warp size: 32\ntime 7.2\n"), None);
        let found = compare("on gfx90a: sum 5\n", "on gfx1100: sum 6\n").unwrap();
        assert_eq!(found.actual.as_deref(), Some("on gfx1100: sum 6"));
        assert!(compare("sum 64\n", "sum 32\n").is_some());
        assert!(compare("warp size 63\n", "warp size 32\n").is_some());
    }

    #[test]
    fn ignored_lines_may_be_anywhere() {
        let tolerance = Tolerance { ignored: vec![Regex::new("ms$").unwrap()], ..Tolerance::default() };
        assert_eq!(compare("took 5 ms\nPASS\n", "PASS\ntook 7 ms\n", &tolerance), None);
    }
}
