//! How options are written where they stand, and which part of the text goes with one that is removed.

use super::planner::Plan;
use crate::build::{BuildKind, Word};
use crate::source::{Edit, TextRange, range};

/// How the words of a result are written, and how words go.
pub(super) trait Style {
    /// What stands between two options, by the place of the first.
    fn separator(&self, place: TextRange) -> &'static str;

    /// Words that belong together.
    fn joined(&self, place: TextRange, words: &[String]) -> String {
        words.join(self.separator(place))
    }

    /// Takes away what stands at a place.
    fn removed(&self, plan: &Plan<'_>, place: TextRange) -> Edit {
        Edit::delete(removal(plan, place))
    }

    /// Whether several words need quotes around them to take the place of one.
    fn needs_quotes(&self, _: TextRange) -> bool {
        false
    }

    /// Whether two words stay side by side where one stood.
    fn takes_pairs(&self, _: TextRange) -> bool {
        true
    }

    /// Whether it is not known what stands between two options.
    fn is_open(&self, _: TextRange) -> bool {
        false
    }

    /// Whether quotes around one option go, as several words may take its place.
    fn strips_quotes(&self) -> bool {
        false
    }
}

/// Lines of make and shells.
pub(super) struct LineStyle;

impl Style for LineStyle {
    fn separator(&self, _: TextRange) -> &'static str {
        " "
    }

    fn strips_quotes(&self) -> bool {
        true
    }
}

/// Words with the same text between all of them.
pub(super) struct Between(pub(super) &'static str);

impl Style for Between {
    fn separator(&self, _: TextRange) -> &'static str {
        self.0
    }

    fn joined(&self, _: TextRange, words: &[String]) -> String {
        let is_pair = self.0 == ";" && words.first().is_some_and(|word| word.starts_with("-Xarch"));
        if is_pair { format!("SHELL:{}", words.join(" ")) } else { words.join(self.0) }
    }
}

/// Signs around words, longest first.
const QUOTES: &[&str] = &["\\\"", "\\'", "\"", "'"];

/// The variable that a text is, `${NAME}`, if it is nothing else.
pub(super) fn variable(text: &str) -> Option<&str> {
    text.strip_prefix("${")?.strip_suffix('}')
}

/// The variable of make that a text is a reference to, `$(NAME)` or `${NAME}`, if it is nothing else.
pub(super) fn reference(text: &str) -> Option<&str> {
    text.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')')).or_else(|| variable(text))
}

/// The text without quotes around it.
pub(super) fn unquoted(text: &str) -> &str {
    let inside = |quote: &&str| text.strip_prefix(*quote)?.strip_suffix(*quote);
    QUOTES.iter().find_map(inside).unwrap_or(text)
}

/// A place with the quotes right around it.
fn quoted_alone(text: &str, place: TextRange) -> Option<TextRange> {
    let (start, end) = (usize::from(place.start()), usize::from(place.end()));
    let around = |quote: &&str| {
        let front = text[..start].strip_suffix(*quote)?;
        let is_plain = quote.len() > 1 || !front.ends_with('\\');
        (is_plain && text[end..].starts_with(*quote)).then(|| range(front.len(), end + quote.len()))
    };
    QUOTES.iter().find_map(around)
}

/// From the first to the last of some words, with the quotes that belong to them. Nothing if it holds only one side of
/// quotes or brackets.
pub(super) fn whole(text: &str, words: &[Word], strips_quotes: bool) -> Option<TextRange> {
    let (first, last) = words.first().zip(words.last())?;
    let mut place = TextRange::new(first.range.start(), last.range.end());
    if words.len() > 1 {
        let (first, last) = (quoted_alone(text, first.range), quoted_alone(text, last.range));
        let start = first.map_or(place.start(), TextRange::start);
        place = TextRange::new(start, last.map_or(place.end(), TextRange::end));
    }
    let is_free = |place: &TextRange| {
        let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ';' | '\\');
        let (front, behind) = (&text[..usize::from(place.start())], &text[usize::from(place.end())..]);
        (front.is_empty() || front.ends_with(ends)) && (behind.is_empty() || behind.starts_with(ends))
    };
    let place = quoted_alone(text, place).filter(|place| strips_quotes && is_free(place)).unwrap_or(place);
    is_balanced(&text[place]).then_some(place)
}

/// Whether a part of a text holds both sides of all its quotes and brackets.
fn is_balanced(part: &str) -> bool {
    let is_even = |escaped: &str| {
        let inner = part.matches(escaped).count();
        inner.is_multiple_of(2) && part.matches(&escaped[1..]).count().is_multiple_of(2)
    };
    let mut open = Vec::new();
    let closes = part.bytes().all(|byte| match byte {
        b'(' | b'{' | b'[' => {
            open.push(byte);
            true
        }
        b')' => open.pop() == Some(b'('),
        b'}' => open.pop() == Some(b'{'),
        b']' => open.pop() == Some(b'['),
        _ => true,
    });
    closes && open.is_empty() && is_even("\\\"") && is_even("\\'")
}

/// What goes with words that are removed: blanks or a separator in front, quotes around, a line of their own.
pub(super) fn removal(plan: &Plan<'_>, place: TextRange) -> TextRange {
    // In scripts and makefiles `;` ends a command.
    removal_in(plan.text, place, plan.build.kind == BuildKind::CMake)
}

/// The same, where `;` parts the values of a list or does not.
fn removal_in(text: &str, place: TextRange, has_lists: bool) -> TextRange {
    let lone = quoted_alone(text, place).filter(|quoted| {
        let front = &text[..usize::from(quoted.start())];
        front.ends_with([' ', '\t', '(', '\n'])
    });
    let place = lone.unwrap_or(place);
    let (mut start, mut end) = (usize::from(place.start()), usize::from(place.end()));
    let before = text[..start].trim_end_matches([' ', '\t']);
    let after = text[end..].trim_start_matches([' ', '\t']);
    if let Some(place) = continuation(text, before, (end, after)) {
        return place;
    }
    if has_lists && before.ends_with(';') {
        start = before.len() - 1;
    } else if has_lists && after.starts_with(';') {
        end = text.len() - after.len() + 1;
    } else if before.is_empty() || before.ends_with('\n') {
        let is_alone = after.starts_with('\n') || after.starts_with("\r\n");
        let rest = if is_alone { &after[after.find('\n').map_or(0, |at| at + 1)..] } else { after };
        start = if is_alone { before.len() } else { start };
        end = text.len() - rest.len();
    } else if before.ends_with('=') && before.len() == start {
        // `-DFLAGS=-b ..`: another word is none of the value.
        end = usize::from(place.end());
    } else if before.ends_with(['(', '"', '\'', '=', ':', ',']) || begins_function(before) {
        end = text.len() - after.len();
    } else {
        start = before.len();
    }
    range(start, end)
}

/// Words alone on a line that continues another one go with the backslash that made it so: else the next line would be
/// taken for a part of this one.
fn continuation(text: &str, before: &str, (end, after): (usize, &str)) -> Option<TextRange> {
    let front = before.strip_suffix('\n')?;
    let front = front.strip_suffix('\r').unwrap_or(front).strip_suffix('\\').filter(|front| !front.ends_with('\\'))?;
    let starts = |ends: &[&str]| ends.iter().any(|end| after.starts_with(end));
    let is_last = after.is_empty() || starts(&["\n", "\r\n"]);
    let is_alone = is_last || starts(&["\\\n", "\\\r\n"]);
    let end = if is_last { text.len() - after.len() } else { end };
    is_alone.then(|| range(front.trim_end_matches([' ', '\t']).len(), end))
}

/// Whether the text ends with the name of a function of make, or of a command in `$(…)`: a blank has to stay behind it.
fn begins_function(before: &str) -> bool {
    let front = before.trim_end_matches(|c: char| c.is_ascii_lowercase() || c == '-');
    front.len() < before.len() && (front.ends_with("$(") || front.ends_with("${"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let (front, rest) = text.split_once('<').unwrap();
        let (words, behind) = rest.split_once('>').unwrap();
        let text = [front, words, behind].concat();
        let gone = removal_in(&text, range(front.len(), front.len() + words.len()), true);
        assert_eq!([&text[..gone.start().into()], &text[gone.end().into()..]].concat(), expected);
    }

    #[test]
    fn a_continuation_goes_with_the_words_alone_on_its_line() {
        check("A = -a \\\n  <-b>\nX = 1\n", "A = -a\nX = 1\n");
        check("A = -a \\\r\n\t<-b> \r\nX = 1\r\n", "A = -a\r\nX = 1\r\n");
        check("A = -a \\\n  <-b>", "A = -a");
        check("A = -a \\\n  <-b> \\\n  -c\n", "A = -a \\\n  -c\n");
        check("A = -a \\\n  <-b> -c\n", "A = -a \\\n  -c\n");
    }

    #[test]
    fn functions_and_quotes_stay_whole() {
        check("$(addprefix <-b>,$(X))", "$(addprefix ,$(X))");
        check("$(if x,<-b>,y) z", "$(if x,,y) z");
        check("a '<-b>' c", "a c");
        check("a=\"<-b>\" c", "a=\"\" c");
        check("-Da=<-b> c", "-Da= c");
    }

    #[test]
    fn one_side_of_a_quote_is_never_taken() {
        let seen = |text: &str, words: &[&str]| {
            let places = words.iter().map(|word| text.find(word).map(|at| range(at, at + word.len())).unwrap());
            whole(text, &places.map(Word::new).collect::<Vec<_>>(), true).map(|place| text[place].to_owned())
        };
        assert_eq!(seen("x \"-a\" '-b' y", &["-a", "-b"]).as_deref(), Some("\"-a\" '-b'"));
        assert_eq!(seen("x \"-a -b\" y", &["-a", "-b"]).as_deref(), Some("\"-a -b\""));
        assert_eq!(seen("x=\"-a -b\" y", &["-a", "-b"]).as_deref(), Some("-a -b"));
        assert_eq!(seen("x -a \"-b c\" y", &["-a", "-b"]), None);
    }
}
