//! What programs say of their own results: many print `FAIL` and end with code 0.

use std::sync::LazyLock;

use regex_lite::Regex;

/// Words that say that something went wrong.
const FAILURE: &str = r"(?i)\b(?:fail|fails|failed|failure|mismatch|mismatches|mismatched|incorrect|incorrectly)\b|\bdo(?:es)? not match\b|(?-i:\bERROR:)|\b(?:CUDA|HIP)[ _]error\b|\b(?:wrong|invalid|bad) (?:result|results|answer|answers|value|values|output)\b";

/// What stands before or behind such a word where nothing did: `0 failed`, `no mismatches`, `failures: 0`.
const NOTHING: [&str; 2] = [
    r"(?i)(?:\b(?:0|no|none|never|without|zero|not|if|or)|PASS(?:ED)?\s*/)(?:\s+(?:tests?|of|any|results?|values?|have|has|elements?|were|was))*\s*$",
    r"(?i)^(?:s|es)?(?:\s+(?:tests?|count|cases?))?\s*[:=]?\s*(?:0\b(?:[^.0-9]|$)|none\b|no\b)",
];

static PATTERNS: LazyLock<Option<[Regex; 3]>> = LazyLock::new(|| {
    let [before, behind] = NOTHING;
    Some([Regex::new(FAILURE).ok()?, Regex::new(before).ok()?, Regex::new(behind).ok()?])
});

/// The first line of what a program printed that says that it failed.
pub(super) fn failure_line(text: &str) -> Option<&str> {
    let [failure, before, behind] = PATTERNS.as_ref()?;
    text.lines().find(|line| {
        failure
            .find_iter(line)
            .any(|word| !before.is_match(&line[..word.start()]) && !behind.is_match(&line[word.end()..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_say_that_something_failed_are_found() {
        for line in [
            "FAIL",
            "Test FAILED!",
            "verification failed at 5",
            "3 failed, 2 passed",
            "results do not match",
            "Result: mismatch at index 7",
            "ERROR: wrong sum",
            "CUDA error: invalid argument",
            "incorrect result",
            "10 mismatches",
            "failed: 3",
        ] {
            assert_eq!(failure_line(&format!("begin\n{line}\nend\n")), Some(line));
        }
    }

    #[test]
    fn lines_that_say_that_nothing_failed_are_none() {
        for line in [
            "PASS",
            "0 failed",
            "no mismatches",
            "failures: 0",
            "failed = 0",
            "max error: 0.001",
            "error 5.1e-7",
            "Failed tests: none",
            "0 tests failed",
            "prints PASS/FAIL",
            "without failure",
            "failsafe mode",
            "test has not failed",
        ] {
            assert_eq!(failure_line(line), None, "{line}");
        }
    }
}
