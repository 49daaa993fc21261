//! Comments that switch findings off: `// hipshift: ignore[rule, …] reason`.
//!
//! `ignore` speaks for the lines that its comment stands on, `ignore-next-line` for the next line of
//! code, `ignore-start` up to `ignore-end`, and `ignore-file` for the whole file.

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
    /// Rule code or name, or `all`, where the comment names it.
    pub named: TextRange,
    /// Why, in the words of the comment; may be empty.
    pub reason: String,
    /// Where it holds.
    pub scope: Scope,
}

/// A comment that is meant for hipshift and cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misread {
    /// The comment.
    pub comment: TextRange,
    /// What is wrong with it.
    pub problem: &'static str,
}

/// What the comments of a file say to hipshift.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Suppressions {
    /// In the order of the text.
    pub suppressions: Vec<Suppression>,
    /// Comments without effect.
    pub misread: Vec<Misread>,
}

const MARKER: &str = "hipshift:";

const NO_ORDER: &str = "it is none of `ignore`, `ignore-next-line`, `ignore-start`, `ignore-end`, `ignore-file`";
const NO_LIST: &str = "rules stand in brackets: `ignore[rule] reason`";
const NO_START: &str = "no `ignore-start` is open for it";

/// Reads the comments of `text`.
pub fn suppressions(text: &str, comments: &[TextRange]) -> Suppressions {
    let mut found = Suppressions::default();
    // Blocks that are not closed yet: indices into the list.
    let mut open: Vec<usize> = Vec::new();
    for &comment in comments {
        if memchr::memmem::find(text[comment].as_bytes(), MARKER.as_bytes()).is_none() {
            continue;
        }
        match read(text, comment) {
            Some(Ok(order)) => carry_out(text, &order, &mut found, &mut open),
            Some(Err(problem)) => found.misread.push(Misread { comment, problem }),
            None => {}
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyword {
    Line,
    NextLine,
    Start,
    End,
    File,
}

const KEYWORDS: &[(&str, Keyword)] = &[
    ("ignore", Keyword::Line),
    ("ignore-next-line", Keyword::NextLine),
    ("ignore-start", Keyword::Start),
    ("ignore-end", Keyword::End),
    ("ignore-file", Keyword::File),
];

/// A comment that was understood.
struct Order<'t> {
    comment: TextRange,
    keyword: Keyword,
    rules: Vec<TextRange>,
    reason: &'t str,
}

/// What a comment orders; `None` if it only mentions hipshift.
fn read(text: &str, comment: TextRange) -> Option<Result<Order<'_>, &'static str>> {
    let words = &text[comment];
    let marker = words.find(MARKER)?;
    let is_addressed = words[..marker].bytes().all(|byte| matches!(byte, b'/' | b'*' | b'!' | b' ' | b'\t'));
    let after = words[marker + MARKER.len()..].trim_start();
    let at = words.len() - after.len();
    let keyword_len = after.find(|c: char| !(c.is_ascii_lowercase() || c == '-')).unwrap_or(after.len());
    let keyword = KEYWORDS.iter().find(|(word, _)| *word == &after[..keyword_len]);
    let Some(&(_, keyword)) = keyword else { return is_addressed.then_some(Err(NO_ORDER)) };
    let list = after[keyword_len..].strip_prefix('[').and_then(|list| list.split_once(']'));
    let Some((list, reason)) = list else { return is_addressed.then_some(Err(NO_LIST)) };
    let list_start = usize::from(comment.start()) + at + keyword_len + 1;
    let rules = rules_of(list, list_start);
    if rules.is_empty() {
        return Some(Err(NO_LIST));
    }
    let reason = reason.strip_suffix("*/").unwrap_or(reason).trim();
    Some(Ok(Order { comment, keyword, rules, reason }))
}

/// The places of the names in a list with commas that starts at byte `start`.
fn rules_of(list: &str, start: usize) -> Vec<TextRange> {
    let mut at = start;
    let mut rules = Vec::new();
    for part in list.split(',') {
        let name = part.trim();
        let name_start = at + (part.len() - part.trim_start().len());
        if !name.is_empty() {
            rules.push(range(name_start, name_start + name.len()));
        }
        at += part.len() + 1;
    }
    rules
}

fn carry_out(text: &str, order: &Order<'_>, found: &mut Suppressions, open: &mut Vec<usize>) {
    let comment = order.comment;
    if order.keyword == Keyword::End {
        let closed = order.rules.iter().filter(|&&rule| close(text, rule, comment, found, open)).count();
        if closed < order.rules.len() {
            found.misread.push(Misread { comment, problem: NO_START });
        }
        return;
    }
    let scope = match order.keyword {
        Keyword::File => Scope::File,
        Keyword::NextLine => Scope::Lines(next_code_line(text, comment)),
        Keyword::Start => Scope::Lines(range(usize::from(comment.end()), text.len())),
        Keyword::Line | Keyword::End => Scope::Lines(own_lines(text, comment)),
    };
    for &named in &order.rules {
        if order.keyword == Keyword::Start {
            open.push(found.suppressions.len());
        }
        found.suppressions.push(Suppression { comment, named, reason: order.reason.to_owned(), scope });
    }
}

/// Ends the innermost open block for `rule`; `false` if there is none.
fn close(text: &str, rule: TextRange, end: TextRange, found: &mut Suppressions, open: &mut Vec<usize>) -> bool {
    let is_same = |index: &usize| found.suppressions.get(*index).is_some_and(|start| text[start.named] == text[rule]);
    let Some(at) = open.iter().rposition(is_same) else { return false };
    if let Some(Scope::Lines(block)) = found.suppressions.get_mut(open.remove(at)).map(|start| &mut start.scope) {
        *block = TextRange::new(block.start(), end.start());
    }
    true
}

/// Where the line of byte `at` ends, behind its line end.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

/// The lines that a comment stands on.
fn own_lines(text: &str, comment: TextRange) -> TextRange {
    let start = text[..usize::from(comment.start())].rfind('\n').map_or(0, |at| at + 1);
    range(start, line_end(text, usize::from(comment.end())))
}

/// The first line behind a comment's that holds more than blanks or a comment.
fn next_code_line(text: &str, comment: TextRange) -> TextRange {
    let mut next = line_end(text, usize::from(comment.end()));
    while next < text.len() {
        let line = text[next..line_end(text, next)].trim();
        if !line.is_empty() && !line.starts_with("//") {
            break;
        }
        next = line_end(text, next);
    }
    range(next, if next < text.len() { line_end(text, next) } else { next })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::lex;

    #[track_caller]
    fn check_covered(text: &str, expected: &[(&str, &str)]) {
        let found = suppressions(text, &lex(text).comments);
        let seen: Vec<_> = found.suppressions.iter().map(|s| (&text[s.named], covered(text, s))).collect();
        assert_eq!(seen, expected);
        assert_eq!(found.misread, []);
    }

    fn covered<'t>(text: &'t str, suppression: &Suppression) -> &'t str {
        match suppression.scope {
            Scope::File => "file",
            Scope::Lines(lines) => text[lines].trim(),
        }
    }

    #[track_caller]
    fn check_misread(text: &str, problem: &str) {
        let found = suppressions(text, &lex(text).comments);
        assert_eq!(found.misread.iter().map(|misread| misread.problem).collect::<Vec<_>>(), [problem]);
        assert_eq!(found.suppressions, []);
    }

    #[test]
    fn a_comment_covers_its_own_lines() {
        check_covered("a();\nb(); // hipshift: ignore[x] why\nc();\n", &[("x", "b(); // hipshift: ignore[x] why")]);
        check_covered(
            "b(/* NOLINT hipshift: ignore[x]\n*/ 1);\nc();\n",
            &[("x", "b(/* NOLINT hipshift: ignore[x]\n*/ 1);")],
        );
    }

    #[test]
    fn a_comment_can_speak_for_the_next_line_of_code() {
        let text = "/* hipshift: ignore-next-line[x, Y1] why */\n\n// more\nb();\nc();";
        check_covered(text, &[("x", "b();"), ("Y1", "b();")]);
    }

    #[test]
    fn blocks_end_where_they_are_closed() {
        let text = "// hipshift: ignore-start[x,y] r\na();\n// hipshift: ignore-end[x]\nb();\n";
        check_covered(text, &[("x", "a();"), ("y", "a();\n// hipshift: ignore-end[x]\nb();")]);
    }

    #[test]
    fn a_file_comment_covers_the_file() {
        check_covered("// hipshift: ignore-file[x] why\na();", &[("x", "file")]);
    }

    #[test]
    fn reasons_are_kept_without_the_end_of_the_comment() {
        let text = "a(); /* hipshift: ignore[x]  one wave only */ b(); // hipshift: ignore[y]\n";
        let found = suppressions(text, &lex(text).comments).suppressions;
        assert_eq!(found.iter().map(|s| s.reason.as_str()).collect::<Vec<_>>(), ["one wave only", ""]);
    }

    #[test]
    fn what_cannot_be_understood_is_told() {
        check_misread("// hipshift: allow(x): why\n", NO_ORDER);
        check_misread("// hipshift: ignore x\n", NO_LIST);
        check_misread("// hipshift: ignore[] why\n", NO_LIST);
        check_misread("// hipshift: ignore-end[x]\n", NO_START);
    }

    #[test]
    fn a_comment_that_mentions_the_tool_is_no_order() {
        let text = "// see the manual of hipshift: it explains\nchar* a = \"// hipshift: ignore[x]\";\n";
        assert_eq!(suppressions(text, &lex(text).comments), Suppressions::default());
    }
}
