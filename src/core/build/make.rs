//! Makefiles and scripts of a shell by logical lines: assignments, rules, recipes, directives, comments, with
//! continuations (GNU make manual, "What Makefiles Contain"; "Splitting Long Lines").

use crate::source::{TextRange, range};

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// Nothing but blanks and a comment.
    Blank,
    /// A variable gets a value: its name, and what stands between name and value.
    Assignment {
        /// The name of the variable.
        name: TextRange,
        /// `=`, `:=`, `::=`, `?=`, `+=` or `!=`.
        operator: TextRange,
    },
    /// Targets, a colon, and what they are made from; or a variable of single targets.
    Rule {
        /// The colon or colons.
        colon: TextRange,
    },
    /// A command.
    Recipe,
    /// `ifeq`, `include`, `define` and others.
    Directive,
    /// Something else.
    Other,
}

/// A line with those that continue it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// What it is.
    pub kind: LineKind,
    /// All of it, without the end of the line.
    pub range: TextRange,
    /// What says something: without indentation, comment, and, in an assignment, name and operator.
    pub code: TextRange,
    /// Its comment, from `#` on.
    pub comment: Option<TextRange>,
}

/// The lines of a makefile. Together with the ends of lines between them they are the text.
pub fn make_lines(text: &str) -> Vec<Line> {
    let mut reader = MakeReader::default();
    spans(text).map(|(start, end)| reader.line(text, start, end)).collect()
}

/// Knows what a tab begins: a command behind a rule, and anything elsewhere.
#[derive(Default)]
struct MakeReader {
    /// Whether commands for a rule may follow.
    is_behind_rule: bool,
    /// Whether the lines are those of `define`, which are read elsewhere.
    is_defining: bool,
    /// What `is_behind_rule` was in front of the conditions that are open.
    open: Vec<bool>,
}

impl MakeReader {
    fn line(&mut self, text: &str, start: usize, end: usize) -> Line {
        let is_indented = text[start..end].starts_with('\t');
        if is_indented && self.is_behind_rule {
            return recipe_line(text, start, end);
        }
        if is_indented && self.is_defining {
            return command_line(text, start, end);
        }
        let line = make_line(text, start, end);
        // What looks like a rule or a call belongs to a rule that something else has made.
        if is_indented && !matches!(line.kind, LineKind::Assignment { .. } | LineKind::Directive | LineKind::Blank) {
            return command_line(text, start, end);
        }
        self.go_on(text, &line);
        line
    }

    /// A rule takes commands until something else is said, which no condition and no blank line is (GNU make, `eval` in `read.c`).
    fn go_on(&mut self, text: &str, line: &Line) {
        let first = text[line.code].split_whitespace().next().unwrap_or_default();
        match line.kind {
            LineKind::Blank => {}
            LineKind::Directive if first.starts_with("if") => self.open.push(self.is_behind_rule),
            // What the other branch says is not read.
            LineKind::Directive if first == "else" => {
                self.is_behind_rule = self.open.last().copied().unwrap_or(self.is_behind_rule);
            }
            LineKind::Directive if first == "endif" => drop(self.open.pop()),
            LineKind::Directive => {
                self.is_defining = first == "define" || self.is_defining && first != "endef";
                self.is_behind_rule = false;
            }
            LineKind::Other if defines(&text[line.code]) => {
                (self.is_defining, self.is_behind_rule) = (true, false);
            }
            LineKind::Assignment { .. } => self.is_behind_rule = false,
            LineKind::Rule { .. } => self.is_behind_rule = target_variable(text, line).is_none(),
            LineKind::Other if PRINTING.iter().any(|call| first.starts_with(call)) => {}
            // A call may make a rule.
            LineKind::Recipe | LineKind::Other => self.is_behind_rule = first.starts_with('$'),
        }
    }
}

/// The lines of a script.
pub fn shell_lines(text: &str) -> Vec<Line> {
    spans(text).map(|(start, end)| command_line(text, start, end)).collect()
}

/// Where logical lines start and end, behind a byte order mark.
fn spans(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    std::iter::from_fn(move || {
        (start < text.len()).then(|| {
            let begin = start;
            let end = end_of_line(text.as_bytes(), start);
            start = end + 1;
            (begin, end - usize::from(end > begin && end < text.len() && text.as_bytes()[end - 1] == b'\r'))
        })
    })
}

/// The line end that no backslash takes away, or the end of the text.
fn end_of_line(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(found) = memchr::memchr(b'\n', &bytes[at..]) {
        let end = at + found;
        let line = bytes[start..end].strip_suffix(b"\r").unwrap_or(&bytes[start..end]);
        let backslashes = line.iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 0 {
            return end;
        }
        at = end + 1;
    }
    bytes.len()
}

/// Words that begin a directive of make.
const DIRECTIVES: &[&str] = &[
    "ifeq", "ifneq", "ifdef", "ifndef", "else", "endif", "include", "-include", "sinclude", "define", "endef",
    "undefine", "vpath", "unexport", "load",
];

/// Calls that make nothing.
const PRINTING: &[&str] = &["$(info", "$(warning", "$(error"];

/// Words that may stand in front of an assignment.
const MODIFIERS: &[&str] = &["export", "override", "private"];

/// Whether a line begins a variable of several lines: `override define NAME`.
fn defines(code: &str) -> bool {
    code.split_whitespace().find(|word| !MODIFIERS.contains(word)) == Some("define")
}

fn make_line(text: &str, start: usize, end: usize) -> Line {
    let hash = comment_start(text, start, end, |_| true);
    let code = trimmed(text, start, hash.unwrap_or(end));
    let line = Line { kind: LineKind::Other, range: range(start, end), code, comment: hash.map(|at| range(at, end)) };
    let words = &text[code];
    if words.is_empty() {
        return Line { kind: LineKind::Blank, ..line };
    }
    let first = words.split_whitespace().next().unwrap_or_default();
    if DIRECTIVES.contains(&first) {
        return Line { kind: LineKind::Directive, ..line };
    }
    let at = usize::from(code.start());
    match operator(words) {
        Some((from, to)) if words[from..to].ends_with('=') => {
            let name = without_modifiers(text, at, at + from);
            let kind = LineKind::Assignment { name, operator: range(at + from, at + to) };
            Line { kind, code: trimmed(text, at + to, code.end().into()), ..line }
        }
        Some((from, to)) => Line { kind: LineKind::Rule { colon: range(at + from, at + to) }, ..line },
        None => line,
    }
}

/// A command of a rule, behind `@`, `-` and `+`, which are for make (GNU make manual, "Recipe Echoing", "Errors in Recipes").
fn recipe_line(text: &str, start: usize, end: usize) -> Line {
    let line = command_line(text, start, end);
    let command = text[line.code].trim_start_matches(['@', '-', '+', ' ', '\t']);
    Line { code: range(usize::from(line.code.end()) - command.len(), line.code.end().into()), ..line }
}

fn command_line(text: &str, start: usize, end: usize) -> Line {
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b';');
    let hash = comment_start(text, start, end, |before| before.is_none_or(is_blank));
    let code = trimmed(text, start, hash.unwrap_or(end));
    let kind = if code.is_empty() { LineKind::Blank } else { LineKind::Recipe };
    Line { kind, range: range(start, end), code, comment: hash.map(|at| range(at, end)) }
}

/// The `#` that begins a comment; it is not escaped, and what stands before it is `allowed`.
fn comment_start(text: &str, start: usize, end: usize, allowed: impl Fn(Option<u8>) -> bool) -> Option<usize> {
    let bytes = &text.as_bytes()[start..end];
    let mut quote = None;
    for (at, byte) in bytes.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        match byte {
            b'#' if quote.is_none() && before != Some(b'\\') && allowed(before) => return Some(start + at),
            b'"' | b'\'' if quote == Some(*byte) => quote = None,
            // An apostrophe without a partner is none that quotes.
            b'"' | b'\'' if quote.is_none() && bytes[at + 1..].contains(byte) => quote = Some(*byte),
            _ => {}
        }
    }
    None
}

/// A part of a text without blanks around it.
pub(super) fn trimmed(text: &str, start: usize, end: usize) -> TextRange {
    let part = &text[start..end];
    let from = start + (part.len() - part.trim_start().len());
    range(from, from + part.trim().len())
}

/// The first assignment operator or colon of a line, outside of references: where it starts and ends.
fn operator(words: &str) -> Option<(usize, usize)> {
    let bytes = words.as_bytes();
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            b'=' => {
                let sign = at.checked_sub(1).filter(|sign| matches!(bytes[*sign], b'?' | b'+' | b'!'));
                return Some((sign.unwrap_or(at), at + 1));
            }
            b':' => {
                let colons = bytes[at..].iter().take_while(|byte| **byte == b':').count();
                let is_assignment = bytes.get(at + colons) == Some(&b'=');
                return Some((at, at + colons + usize::from(is_assignment)));
            }
            _ => {}
        }
    }
    None
}

/// The variable that a rule gives a value for its targets only: `FLAGS` of `debug: FLAGS += -G` (GNU make manual,
/// "Target-specific Variable Values").
pub fn target_variable(text: &str, line: &Line) -> Option<TextRange> {
    let LineKind::Rule { colon } = line.kind else { return None };
    let (start, end) = (usize::from(colon.end()), usize::from(line.code.end()));
    let (from, to) = operator(&text[start..end])?;
    let name = without_modifiers(text, start, start + from);
    let is_name = |name: &str| !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "$;|\"'".contains(c));
    (text[start + from..start + to].ends_with('=') && is_name(&text[name])).then_some(name)
}

/// The name of a variable, without `export` and the like in front of it.
fn without_modifiers(text: &str, start: usize, end: usize) -> TextRange {
    let mut name = trimmed(text, start, end);
    while let Some((first, _)) =
        text[name].split_once(char::is_whitespace).filter(|(first, _)| MODIFIERS.contains(first))
    {
        name = trimmed(text, usize::from(name.start()) + first.len(), end);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<String> {
        let shown = |line: &Line| {
            let code = text[line.code].to_owned();
            match line.kind {
                LineKind::Assignment { name, operator } => format!("{}<{}>{code}", &text[name], &text[operator]),
                LineKind::Rule { colon } => format!("rule{}{code}", &text[colon]),
                kind => format!("{kind:?} {code}"),
            }
        };
        make_lines(text).iter().map(shown).collect()
    }

    #[test]
    fn lines_are_told_apart() {
        let text = "export A ?= x # c\nB:=$(C:.cu=.o) \\\n  y\napp: a.o | $(D)\n\t@nvcc \"#\" $< # c\nifeq ($(A),x)\n\n$(eval x)\nt: F += -g\n";
        let expected = [
            "A<?=>x",
            "B<:=>$(C:.cu=.o) \\\n  y",
            "rule:app: a.o | $(D)",
            "Recipe nvcc \"#\" $<",
            "Directive ifeq ($(A),x)",
            "Blank ",
            "Other $(eval x)",
            "rule:t: F += -g",
        ];
        assert_eq!(seen(text), expected);
    }

    #[test]
    fn a_tab_begins_a_command_behind_a_rule_alone() {
        let text = "ifdef A\n\tB := $(A)\n\t# c\nendif\na: b\n\tX=1 c\n\nifdef D\n\tY=1 c\nendif\nE = f\n\tG += h\n\
                    a: F = g\n\tH = i\ndefine r\n\tZ=1 c\nendef\n\tinclude j\n$(eval $(call k))\n\tK=l m\n\
                    L = m\nifdef N\no: p\nelse\n\tQ = r\nendif\noverride define s\n\tT=1 c\nendef\n";
        let expected = [
            "Directive ifdef A",
            "B<:=>$(A)",
            "Blank ",
            "Directive endif",
            "rule:a: b",
            "Recipe X=1 c",
            "Blank ",
            "Directive ifdef D",
            "Recipe Y=1 c",
            "Directive endif",
            "E<=>f",
            "G<+=>h",
            "rule:a: F = g",
            "H<=>i",
            "Directive define r",
            "Recipe Z=1 c",
            "Directive endef",
            "Directive include j",
            "Other $(eval $(call k))",
            "Recipe K=l m",
            "L<=>m",
            "Directive ifdef N",
            "rule:o: p",
            "Directive else",
            "Q<=>r",
            "Directive endif",
            "Other override define s",
            "Recipe T=1 c",
            "Directive endef",
        ];
        assert_eq!(seen(text), expected);
    }

    #[test]
    fn variables_of_single_targets_are_named() {
        let name = |text: &str| {
            let lines = make_lines(text);
            target_variable(text, &lines[0]).map(|name| text[name].to_owned())
        };
        assert_eq!(name("debug: FLAGS += -G"), Some("FLAGS".to_owned()));
        assert_eq!(name("a.o b.o: private override my-flags := -G=1 # x"), Some("my-flags".to_owned()));
        for text in ["a: b", "a: b c = d", "a: $(X) = d", "a: b; X=1 c", "FLAGS = -G"] {
            assert_eq!(name(text), None, "{text}");
        }
    }

    #[test]
    fn scripts_have_commands_and_comments() {
        let text = "#!/bin/sh\r\nnvcc a.cu#1 \\\r\n -o a # it's\r\n";
        let lines = shell_lines(text);
        let seen: Vec<&str> = lines.iter().map(|line| &text[line.code]).collect();
        assert_eq!(seen, ["", "nvcc a.cu#1 \\\r\n -o a"]);
        assert_eq!(&text[lines[1].comment.unwrap()], "# it's");
    }
}
