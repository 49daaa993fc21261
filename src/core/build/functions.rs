//! Functions of make and their arguments (GNU make manual, "Functions for Transforming Text").

use crate::source::{TextRange, range};

/// A call of a function of make, such as `$(addprefix -I,$(DIRS))`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// All of it.
    pub range: TextRange,
    /// Its name.
    pub name: TextRange,
    /// Its arguments; the first begins behind the blank that ends the name.
    pub arguments: Vec<TextRange>,
}

impl Function {
    /// Where the part of the call begins that `at` lies in: an argument, or the name.
    fn part(&self, at: usize) -> usize {
        let holds = |part: &&TextRange| (usize::from(part.start())..=part.end().into()).contains(&at);
        self.arguments.iter().find(holds).unwrap_or(&self.range).start().into()
    }
}

/// Names of functions, and how many arguments commas separate at most; further commas belong to the last.
const FUNCTIONS: &[(&str, usize)] = &[
    ("abspath", 1),
    ("addprefix", 2),
    ("addsuffix", 2),
    ("and", usize::MAX),
    ("basename", 1),
    ("call", usize::MAX),
    ("dir", 1),
    ("error", 1),
    ("eval", 1),
    ("filter", 2),
    ("filter-out", 2),
    ("findstring", 2),
    ("firstword", 1),
    ("foreach", 3),
    ("if", 3),
    ("info", 1),
    ("join", 2),
    ("lastword", 1),
    ("notdir", 1),
    ("or", usize::MAX),
    ("patsubst", 3),
    ("realpath", 1),
    ("shell", 1),
    ("sort", 1),
    ("strip", 1),
    ("subst", 3),
    ("suffix", 1),
    ("warning", 1),
    ("wildcard", 1),
    ("word", 2),
    ("wordlist", 3),
    ("words", 1),
];

/// The calls in a part of the text that are closed there, inner ones behind those around them.
pub fn functions(text: &str, within: TextRange) -> Vec<Function> {
    let (start, end) = (usize::from(within.start()), usize::from(within.end()));
    let begins = text[start..end].match_indices('$').map(|(at, _)| start + at);
    begins.filter_map(|at| function_at(&text[..end], at)).collect()
}

fn function_at(text: &str, at: usize) -> Option<Function> {
    let open = *text.as_bytes().get(at + 1).filter(|open| matches!(open, b'(' | b'{'))?;
    let close = if open == b'(' { b')' } else { b'}' };
    let rest = &text[at + 2..];
    let len = rest.find(|c: char| !c.is_ascii_lowercase() && c != '-')?;
    let (_, most) = FUNCTIONS.iter().find(|(name, _)| *name == &rest[..len])?;
    let name = range(at + 2, at + 2 + len);
    let mut start = at + 2 + len + 1;
    text.as_bytes().get(start - 1).filter(|blank| matches!(blank, b' ' | b'\t'))?;
    let (mut arguments, mut depth) = (Vec::new(), 0_usize);
    for (place, byte) in text.bytes().enumerate().skip(start) {
        if byte == open {
            depth += 1;
        } else if byte == close && depth == 0 {
            arguments.push(range(start, place));
            return Some(Function { range: range(at, place + 1), name, arguments });
        } else if byte == close {
            depth -= 1;
        } else if byte == b',' && depth == 0 && arguments.len() + 1 < *most {
            arguments.push(range(start, place));
            start = place + 1;
        }
    }
    None
}

/// Whether a comma at `at` separates arguments; nothing if it stands in no function.
pub(super) fn separates(functions: &[Function], at: usize) -> Option<bool> {
    let around = innermost(functions, at)?;
    Some(around.arguments.iter().any(|part| usize::from(part.end()) == at))
}

/// Where the part of the innermost function begins that `at` lies in; 0 outside of functions.
pub(super) fn part_of(functions: &[Function], at: usize) -> usize {
    innermost(functions, at).map_or(0, |around| around.part(at))
}

fn innermost(functions: &[Function], at: usize) -> Option<&Function> {
    functions.iter().rfind(|function| (usize::from(function.range.start())..function.range.end().into()).contains(&at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_separated_as_make_does() {
        let text = "$(foreach s,$(A),-a $(s),b) ${addprefix -X ,$(if a,(b,c),d)} $(CC) $(sort a,b) $(subst open";
        let seen: Vec<Vec<&str>> = functions(text, range(0, text.len()))
            .iter()
            .map(|found| found.arguments.iter().map(|part| &text[*part]).collect())
            .collect();
        let inner = "$(if a,(b,c),d)";
        assert_eq!(seen, [vec!["s", "$(A)", "-a $(s),b"], vec!["-X ", inner], vec!["a", "(b,c)", "d"], vec!["a,b"]]);
    }
}
