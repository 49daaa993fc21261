//! Conditions of `if`, `elseif` and `while` ("cmake-commands(7)", "if").

use super::run::Run;
use crate::build::{ArgumentKind, Command, TokenKind, tokens};

/// A word of a condition.
#[derive(Debug, Clone)]
enum Word {
    Open,
    Close,
    /// A text; operators and variables are written without quotes.
    Text {
        text: String,
        is_bare: bool,
    },
}

/// Whether a condition holds; nothing if that depends on what only CMake knows.
pub(super) fn holds(run: &Run<'_>, text: &str, command: &Command) -> Option<bool> {
    let mut arguments = command.arguments.iter();
    let inner = &text[command.range];
    let open = inner.find('(')?;
    let mut words = Vec::new();
    for token in tokens(&inner[open + 1..inner.len() - 1]) {
        match token.kind {
            TokenKind::Open => words.push(Word::Open),
            TokenKind::Close => words.push(Word::Close),
            TokenKind::Quoted | TokenKind::Bracket | TokenKind::Word => {
                let argument = arguments.next()?;
                let is_bare = argument.kind == ArgumentKind::Bare;
                let values = run.scopes.values(text, argument);
                // `if(${X})` without a value is `if()`.
                words.extend(values.into_iter().map(|text| Word::Text { text, is_bare }));
            }
            TokenKind::Blank | TokenKind::Newline | TokenKind::Comment => {}
        }
    }
    let mut reader = Reader { run, words: &words, at: 0, depth: 0 };
    let value = reader.either();
    // An empty condition is false.
    if words.is_empty() { Some(false) } else { value }
}

struct Reader<'r> {
    run: &'r Run<'r>,
    words: &'r [Word],
    at: usize,
    /// How many parentheses are open.
    depth: usize,
}

/// Nobody writes more parentheses within each other; what is in them is not known.
const DEEPEST: usize = 100;

impl Reader<'_> {
    fn either(&mut self) -> Option<bool> {
        let mut value = self.both();
        while self.takes("OR") {
            let other = self.both();
            value = match (value, other) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            };
        }
        value
    }

    fn both(&mut self) -> Option<bool> {
        let mut value = self.negated();
        while self.takes("AND") {
            let other = self.negated();
            value = match (value, other) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
        }
        value
    }

    fn negated(&mut self) -> Option<bool> {
        let mut is_negated = false;
        while self.takes("NOT") {
            is_negated = !is_negated;
        }
        self.primary().map(|value| value != is_negated)
    }

    fn primary(&mut self) -> Option<bool> {
        if matches!(self.words.get(self.at), Some(Word::Open)) {
            self.at += 1;
            if self.depth == DEEPEST {
                self.at = self.words.len();
                return None;
            }
            self.depth += 1;
            let value = self.either();
            self.depth -= 1;
            self.at += usize::from(matches!(self.words.get(self.at), Some(Word::Close)));
            return value;
        }
        for test in ["DEFINED", "TARGET", "EXISTS", "IS_DIRECTORY", "COMMAND", "POLICY", "TEST", "IS_ABSOLUTE"] {
            if self.takes(test) {
                let (name, _) = self.next()?;
                return self.unary(test, &name);
            }
        }
        let (left, is_bare) = self.next()?;
        let Some((operator, true)) = self.peek() else { return Some(self.is_true(&left, is_bare)) };
        if !is_operator(&operator) {
            return Some(self.is_true(&left, is_bare));
        }
        self.at += 1;
        let (right, right_bare) = self.next()?;
        if operator == "IN_LIST" {
            let list = self.run.scopes.get(&right).unwrap_or_default();
            return Some(super::scope::split(&list).contains(&left));
        }
        let (left, right) = (self.value(&left, is_bare), self.value(&right, right_bare));
        compare(&left, &operator, &right)
    }

    fn unary(&self, test: &str, name: &str) -> Option<bool> {
        let run = self.run;
        match test {
            "DEFINED" => Some(run.scopes.get(name).is_some()),
            "TARGET" => Some(run.is_target(name)),
            "EXISTS" | "IS_DIRECTORY" => {
                let path = run.tree.resolve(run.folder(), name);
                let is_known = !path.is_absolute() && !path.starts_with("build");
                is_known.then(|| run.tree.has(&path) || run.tree.has_folder(&path))
            }
            "COMMAND" => Some(run.is_command(name)),
            "POLICY" => Some(true),
            "IS_ABSOLUTE" => Some(name.starts_with('/')),
            _ => None,
        }
    }

    /// The value of a variable of this name, else the text itself.
    fn value(&self, text: &str, is_bare: bool) -> String {
        let variable = if is_bare { self.run.scopes.get(text) } else { None };
        variable.unwrap_or_else(|| text.to_owned())
    }

    fn is_true(&self, text: &str, is_bare: bool) -> bool {
        if let Some(value) = constant(text) {
            return value;
        }
        let value = if is_bare { self.run.scopes.get(text) } else { None };
        value.is_some_and(|value| constant(&value).unwrap_or(true))
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_it = self.peek().is_some_and(|(text, is_bare)| is_bare && text == word);
        self.at += usize::from(is_it);
        is_it
    }

    fn peek(&self) -> Option<(String, bool)> {
        match self.words.get(self.at)? {
            Word::Text { text, is_bare } => Some((text.clone(), *is_bare)),
            Word::Open | Word::Close => None,
        }
    }

    fn next(&mut self) -> Option<(String, bool)> {
        let next = self.peek();
        self.at += usize::from(next.is_some());
        next
    }
}

fn is_operator(word: &str) -> bool {
    let rest = word.strip_prefix("STR").or_else(|| word.strip_prefix("VERSION_")).unwrap_or(word);
    matches!(rest, "EQUAL" | "LESS" | "GREATER" | "LESS_EQUAL" | "GREATER_EQUAL" | "MATCHES" | "IN_LIST")
}

/// What CMake takes for true and false by itself.
fn constant(text: &str) -> Option<bool> {
    let upper = text.to_ascii_uppercase();
    match upper.as_str() {
        "1" | "ON" | "YES" | "TRUE" | "Y" => Some(true),
        "" | "0" | "OFF" | "NO" | "FALSE" | "N" | "IGNORE" | "NOTFOUND" => Some(false),
        _ if upper.ends_with("-NOTFOUND") => Some(false),
        _ => text.parse::<f64>().ok().map(|number| number != 0.0),
    }
}

fn compare(left: &str, operator: &str, right: &str) -> Option<bool> {
    use std::cmp::Ordering;
    if operator == "MATCHES" {
        return regex_lite::Regex::new(right).ok().map(|pattern| pattern.is_match(left));
    }
    let (order, kind) = if let Some(kind) = operator.strip_prefix("VERSION_") {
        (version(left).cmp(&version(right)), kind)
    } else if let Some(kind) = operator.strip_prefix("STR") {
        (left.cmp(right), kind)
    } else {
        let numbers = (left.trim().parse::<f64>().ok(), right.trim().parse::<f64>().ok());
        let (Some(left), Some(right)) = numbers else { return Some(false) };
        (left.partial_cmp(&right).unwrap_or(Ordering::Equal), operator)
    };
    Some(match kind {
        "EQUAL" => order == Ordering::Equal,
        "LESS" => order == Ordering::Less,
        "GREATER" => order == Ordering::Greater,
        "LESS_EQUAL" => order != Ordering::Greater,
        _ => order != Ordering::Less,
    })
}

fn version(text: &str) -> Vec<u64> {
    let mut parts: Vec<u64> = text.split('.').map_while(|part| part.parse().ok()).collect();
    while parts.last() == Some(&0) {
        parts.pop();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_and_comparisons_are_those_of_cmake() {
        assert_eq!(
            ["ON", "off", "", "2", "X-NOTFOUND", "abc"].map(constant).map(|value| value.map(u8::from)),
            [Some(1), Some(0), Some(0), Some(1), Some(0), None]
        );
        for (left, operator, right, expected) in [
            ("3.10", "VERSION_GREATER_EQUAL", "3.9", true),
            ("12.0", "VERSION_EQUAL", "12", true),
            ("a", "STREQUAL", "a", true),
            ("GNU", "MATCHES", "Clang|GNU", true),
            ("3", "LESS", "20", true),
            ("x", "EQUAL", "x", false),
        ] {
            assert_eq!(compare(left, operator, right), Some(expected), "{left} {operator} {right}");
        }
    }
}
