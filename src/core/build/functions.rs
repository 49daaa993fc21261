//! Functions of make and their arguments (GNU make manual, "Functions for Transforming Text").

use std::collections::BTreeSet;

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
    let (mut at, end) = (usize::from(within.start()), usize::from(within.end()));
    let text = &text[..end];
    // Brackets of one kind mean nothing to what others are open around them.
    let mut open = [(b'(', b')'), (b'{', b'}')].map(|(open, close)| Brackets { open, close, around: Vec::new() });
    let mut found = Vec::new();
    while at < end {
        let byte = text.as_bytes()[at];
        if byte == b'$'
            && let Some(opened) = opened(text, at)
        {
            let bracket = text.as_bytes()[at + 1];
            at = opened.start;
            if let Some(kind) = open.iter_mut().find(|kind| kind.open == bracket) {
                kind.around.push(Some(opened));
            }
            continue;
        }
        found.extend(open.iter_mut().filter_map(|kind| kind.read(byte, at)));
        at += 1;
    }
    found.sort_by_key(|function| function.range.start());
    found
}

/// Brackets of one kind.
struct Brackets {
    open: u8,
    close: u8,
    /// Those that are open: of calls, and others.
    around: Vec<Option<Opened>>,
}

/// A call that is not closed yet.
struct Opened {
    at: usize,
    name: TextRange,
    arguments: Vec<TextRange>,
    /// Where the last argument begins.
    start: usize,
    /// How many arguments commas separate.
    most: usize,
}

impl Brackets {
    /// Reads a byte, which may close a call.
    fn read(&mut self, byte: u8, at: usize) -> Option<Function> {
        if byte == self.open {
            self.around.push(None);
        } else if byte == self.close {
            let Opened { at: from, name, mut arguments, start, .. } = self.around.pop()??;
            arguments.push(range(start, at));
            return Some(Function { range: range(from, at + 1), name, arguments });
        } else if byte == b','
            && let Some(Some(call)) = self.around.last_mut()
            && call.arguments.len() + 1 < call.most
        {
            call.arguments.push(range(call.start, at));
            call.start = at + 1;
        }
        None
    }
}

/// The call that begins with the `$` at a place.
fn opened(text: &str, at: usize) -> Option<Opened> {
    text.as_bytes().get(at + 1).filter(|open| matches!(open, b'(' | b'{'))?;
    let rest = &text[at + 2..];
    let len = rest.find(|c: char| !c.is_ascii_lowercase() && c != '-')?;
    let &(_, most) = FUNCTIONS.iter().find(|(name, _)| *name == &rest[..len])?;
    let start = at + 2 + len + 1;
    text.as_bytes().get(start - 1).filter(|blank| matches!(blank, b' ' | b'\t'))?;
    Some(Opened { at, name: range(at + 2, at + 2 + len), arguments: Vec::new(), start, most })
}

/// The calls in a part of a text, and which of them is the innermost around a place.
pub(super) struct Calls {
    functions: Vec<Function>,
    /// From each place on, the number of the innermost call.
    innermost: Vec<(usize, Option<usize>)>,
}

impl Calls {
    /// Finds the calls that are closed in a part of the text.
    pub(super) fn of(text: &str, within: TextRange) -> Calls {
        let functions = functions(text, within);
        let mut borders: Vec<(usize, usize, bool)> = Vec::with_capacity(2 * functions.len());
        for (number, function) in functions.iter().enumerate() {
            borders.push((function.range.start().into(), number, true));
            borders.push((function.range.end().into(), number, false));
        }
        borders.sort_unstable();
        let mut open = BTreeSet::new();
        let innermost = borders.into_iter().map(|(place, number, begins)| {
            if begins {
                open.insert(number);
            } else {
                open.remove(&number);
            }
            (place, open.last().copied())
        });
        Calls { innermost: innermost.collect(), functions }
    }

    /// Whether a comma at `at` separates arguments; nothing if it stands in no call.
    pub(super) fn separates(&self, at: usize) -> Option<bool> {
        let arguments = &self.around(at)?.arguments;
        let found = arguments.binary_search_by_key(&at, |part| part.end().into());
        Some(found.is_ok())
    }

    /// Where the part of the innermost call begins that `at` lies in; 0 outside of calls.
    pub(super) fn part_of(&self, at: usize) -> usize {
        self.around(at).map_or(0, |around| around.part(at))
    }

    fn around(&self, at: usize) -> Option<&Function> {
        let behind = self.innermost.partition_point(|(place, _)| *place <= at);
        let (_, number) = self.innermost.get(behind.checked_sub(1)?)?;
        self.functions.get((*number)?)
    }
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
