//! Comments that switch findings off: `// hipshift: allow(rule): reason`.
//!
//! On a line with code the comment speaks for that line, on a line of its own for the next line
//! with code. `allow-file(rule)` speaks for the whole file.

use crate::source::{TextRange, range};

/// What a suppression covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Findings that start in this range.
    Lines(TextRange),
    /// The whole file.
    File,
}

/// One rule switched off by one comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// The comment.
    pub comment: TextRange,
    /// Rule code or name, or `all`.
    pub rule: String,
    /// Where it holds.
    pub scope: Scope,
}

impl Suppression {
    /// Whether it covers a finding of the rule `code`, `name` at `found`.
    pub fn covers(&self, code: &str, name: &str, found: TextRange) -> bool {
        let rule = self.rule == "all" || self.rule == code || self.rule == name;
        rule && match self.scope {
            Scope::File => true,
            Scope::Lines(lines) => lines.contains(found.start()),
        }
    }
}

const MARKER: &str = "hipshift:";

/// The suppressions in the comments of `text`.
pub fn suppressions(text: &str, comments: &[TextRange]) -> Vec<Suppression> {
    let mut found = Vec::new();
    for &comment in comments {
        let Some((_, order)) = text[comment].split_once(MARKER) else { continue };
        let order = order.trim_start();
        let (file, rules) = match (order.strip_prefix("allow-file("), order.strip_prefix("allow(")) {
            (Some(rules), _) => (true, rules),
            (None, Some(rules)) => (false, rules),
            (None, None) => continue,
        };
        let Some((rules, _)) = rules.split_once(')') else { continue };
        let scope = if file { Scope::File } else { Scope::Lines(lines_of(text, comment)) };
        let names = rules.split(',').map(str::trim).filter(|rule| !rule.is_empty());
        found.extend(names.map(|rule| Suppression { comment, rule: rule.to_owned(), scope }));
    }
    found
}

/// The line that a comment speaks for.
fn lines_of(text: &str, comment: TextRange) -> TextRange {
    let start = usize::from(comment.start());
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = |from: usize| text[from..].find('\n').map_or(text.len(), |at| from + at + 1);
    let own_end = line_end(usize::from(comment.end()));
    let alone =
        text[line_start..start].trim().is_empty() && text[usize::from(comment.end())..own_end].trim().is_empty();
    if !alone {
        return range(line_start, own_end);
    }
    let mut next = own_end;
    while next < text.len() {
        let line = text[next..line_end(next)].trim();
        if !line.is_empty() && !line.starts_with("//") {
            break;
        }
        next = line_end(next);
    }
    range(next, if next < text.len() { line_end(next) } else { next })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::lex;

    #[track_caller]
    fn check_covered(text: &str, expected: &[(&str, &str)]) {
        let found = suppressions(text, &lex(text).comments);
        let seen: Vec<_> = found
            .iter()
            .map(|s| match s.scope {
                Scope::File => (s.rule.as_str(), "file"),
                Scope::Lines(lines) => (s.rule.as_str(), text[lines].trim()),
            })
            .collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_trailing_comment_covers_its_line() {
        check_covered("a();\nb(); // hipshift: allow(x): why\nc();\n", &[("x", "b(); // hipshift: allow(x): why")]);
    }

    #[test]
    fn a_comment_on_its_own_covers_the_next_code_line() {
        check_covered("/* hipshift: allow(x, Y1) */\n\n// more\nb();\nc();", &[("x", "b();"), ("Y1", "b();")]);
    }

    #[test]
    fn a_file_comment_covers_the_file() {
        check_covered("// hipshift: allow-file(x)\na();", &[("x", "file")]);
        check_covered("// hipshift: allow x\n// allow(x)\n", &[]);
    }
}
