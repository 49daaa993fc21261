//! Explains messages of the compiler that give away a well-known trap.

use regex_lite::Regex;

use super::message::{Message, Place};
use crate::mapping::{CompilerTrap, compiler_traps};
use crate::regular_file::{LONGEST, read_regular};

/// What is behind a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Code of the rule that says more.
    pub code: &'static str,
    /// What is behind it.
    pub text: &'static str,
}

/// The explanation of a message, while the file that it names is as it was compiled.
pub(super) fn explanation(message: &Message) -> Option<Explanation> {
    let traps = compiler_traps().ok()?;
    let trap = traps.iter().find(|trap| fits(trap, message))?;
    Some(Explanation { code: &trap.rule, text: &trap.text })
}

fn fits(trap: &CompilerTrap, message: &Message) -> bool {
    let has_note = |note: &Regex| message.details.iter().any(|text| note.is_match(text));
    let has_line = |line: &Regex| message.place.as_ref().is_some_and(|place| place_matches(place, line));
    trap.message.is_match(&message.text)
        && trap.note.as_ref().is_none_or(has_note)
        && trap.line.as_ref().is_none_or(has_line)
}

/// Whether the text from a place to the end of its statement matches, or a line that assigns to the name there.
fn place_matches(place: &Place, pattern: &Regex) -> bool {
    // A `#line` of the source may name anything.
    let Ok(bytes) = read_regular(place.file.as_std_path(), LONGEST) else { return false };
    let Ok(text) = String::from_utf8(bytes) else { return false };
    text_matches(&text, place, pattern)
}

fn text_matches(text: &str, place: &Place, pattern: &Regex) -> bool {
    let at = |number: u32| usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1);
    let Some(line) = text.lines().nth(at(place.line)) else { return false };
    let Some(rest) = line.get(at(place.column).min(line.len())..) else { return false };
    let statement = rest.split(';').next().unwrap_or(rest);
    let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    pattern.is_match(statement)
        || is_statement(line, pattern)
        || (!name.is_empty() && is_assigned(text, &name, pattern))
}

/// Whether a line is one statement that matches: the place may be behind the word that matters.
fn is_statement(line: &str, pattern: &Regex) -> bool {
    line.matches(';').count() <= 1 && pattern.is_match(line)
}

/// Whether a variable of this name gets a value that matches.
fn is_assigned(text: &str, name: &str, pattern: &Regex) -> bool {
    let Ok(assigned) = Regex::new(&format!(r"\b{name}\s*[|&^]?=([^=;][^;]*)")) else { return false };
    assigned.captures_iter(text).any(|found| found.get(1).is_some_and(|value| pattern.is_match(value.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(text: &str, line: u32, column: u32) -> bool {
        let place = Place { file: "a.hip".into(), line, column };
        text_matches(text, &place, &Regex::new(r"\b__ballot\b").unwrap())
    }

    #[test]
    fn a_name_is_followed_to_what_it_is_given() {
        let text = "unsigned long long all = __ballot(1);\nunsigned m = all;\nunsigned n = size;\nsize = 3;\n";
        assert!(matches(text, 1, 26));
        assert!(matches(text, 2, 14));
        assert!(!matches(text, 3, 14));
        assert!(!matches(text, 9, 1));
    }

    #[test]
    fn another_statement_of_the_line_does_not_count() {
        assert!(!matches("long a = __ballot(1); int b = c;", 1, 31));
        assert!(matches("int f(long s) { return s; }\nint m = f(__ballot(1)) + x;", 2, 9));
    }
}
