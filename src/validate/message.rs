//! What a compiler says, read from its output.

use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};

use super::trap::{Explanation, explanation};

/// How grave a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gravity {
    /// The program can be compiled.
    Warning,
    /// It cannot.
    Error,
}

impl Gravity {
    /// The word that compilers and reports have for it.
    pub fn word(self) -> &'static str {
        match self {
            Gravity::Warning => "warning",
            Gravity::Error => "error",
        }
    }
}

/// One message of the compiler or linker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// How grave it is.
    pub gravity: Gravity,
    /// Where it is about; a linker names no place.
    pub place: Option<Place>,
    /// What it says.
    pub text: String,
    /// The places of its notes: what was instantiated or included from where, nearest first.
    pub notes: Vec<Place>,
    /// What its notes say.
    pub details: Vec<String>,
    /// The trap that it gives away, if it is a known one.
    pub explanation: Option<Explanation>,
    /// The rule of hipshift that has to do with it, if there is one.
    pub rule: Option<Cause>,
    /// How often it was said: of how many sources, or by a linker of how many uses.
    pub count: usize,
}

impl Message {
    /// A message that says nothing but this.
    pub fn new(gravity: Gravity, text: impl Into<String>) -> Message {
        let (notes, details) = (Vec::new(), Vec::new());
        Message { gravity, place: None, text: text.into(), notes, details, explanation: None, rule: None, count: 1 }
    }

    fn says_the_same(&self, other: &Message) -> bool {
        (self.gravity, &self.place, &self.text) == (other.gravity, &other.place, &other.text)
    }
}

/// A rule that explains a message, or that wrote the text it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// Code of the rule.
    pub code: &'static str,
    /// What the rule says there.
    pub message: String,
    /// Whether the rule wrote the text; otherwise it left the text to a person.
    pub wrote: bool,
}

/// A place in a file, as compilers write it: lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: Utf8PathBuf,
    /// Line.
    pub line: u32,
    /// Column in bytes.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// How the compiler begins to say that a kernel has fewer waves than its launch bounds ask for.
pub(super) const MISSED_OCCUPANCY: &str = "failed to meet occupancy target";

/// How linkers begin to say that nobody defines something.
const UNDEFINED: &str = "undefined ";
const UNDEFINED_REFERENCE: &str = "undefined reference to ";

/// Reads the messages of a compiler. Each is given once, though it is repeated for the host and for every target.
pub(super) fn messages(output: &str) -> Vec<Message> {
    let mut found: Vec<Message> = Vec::new();
    for line in output.lines().filter(|line| !is_of_driver(line)) {
        match split(line) {
            Some((before, Word::Note, text)) => {
                if let Some(message) = found.last_mut() {
                    message.notes.extend(place(before));
                    message.details.push(text.to_owned());
                }
            }
            Some((before, Word::Message(gravity), text)) => found.extend(message(before, gravity, text)),
            // Linkers of GNU do not call it an error.
            None => {
                let of_linker = [UNDEFINED_REFERENCE, "cannot find -l"].iter().find_map(|words| line.find(words));
                found.extend(of_linker.and_then(|at| message("", Gravity::Error, &line[at..])));
            }
        }
    }
    let mut once: Vec<Message> = Vec::new();
    for message in found {
        // It comes for each target, and not always with its notes.
        match once.iter_mut().find(|known| known.says_the_same(&message)) {
            // A linker says it of each use.
            Some(known) if known.text.starts_with(UNDEFINED) => known.count += 1,
            Some(known) if known.details.is_empty() => *known = message,
            Some(_) => {}
            None => once.push(message),
        }
    }
    for message in &mut once {
        message.explanation = explanation(message);
    }
    once
}

/// Equal messages about several sources, each once, with how often it was said.
pub(super) fn once(messages: impl Iterator<Item = Message>) -> Vec<Message> {
    let mut once: Vec<Message> = Vec::new();
    for message in messages {
        match once.iter_mut().find(|known| known.says_the_same(&message)) {
            Some(known) => known.count += message.count,
            None => once.push(message),
        }
    }
    once
}

/// Which libraries a linker did not find, if that is all that it says.
pub(super) fn missing_libraries(messages: &[Message]) -> Option<String> {
    let errors = messages.iter().filter(|message| message.gravity == Gravity::Error);
    let missing = |message: &Message| {
        let text = &message.text;
        let rest = ["unable to find library ", "cannot find "].iter().find_map(|words| text.strip_prefix(words))?;
        let name = rest.split([':', ' ']).next().filter(|name| name.starts_with("-l"))?;
        Some(format!("`{name}`"))
    };
    let names = errors.map(missing).collect::<Option<Vec<_>>>().filter(|names| !names.is_empty())?;
    Some(format!("the linker finds no {}", names.join(", ")))
}

/// What a line of a compiler calls itself.
#[derive(Debug, Clone, Copy)]
enum Word {
    Note,
    Message(Gravity),
}

const WORDS: [(&str, Word); 4] = [
    (" note: ", Word::Note),
    (" fatal error: ", Word::Message(Gravity::Error)),
    (" error: ", Word::Message(Gravity::Error)),
    (" warning: ", Word::Message(Gravity::Warning)),
];

/// What stands before the word by which a line calls itself, the word, and the text. Names of files and texts of the user's may hold such
/// words as well: the first one behind a place counts, and the first of all where none is.
fn split(line: &str) -> Option<(&str, Word, &str)> {
    let all = WORDS.iter().flat_map(|(word, meaning)| line.match_indices(word).map(|(at, word)| (at, word, *meaning)));
    let mut all: Vec<(usize, &str, Word)> = all.collect();
    all.sort_by_key(|(at, word, _)| (*at, std::cmp::Reverse(word.len())));
    let first = all.iter().find(|(at, ..)| place(&line[..*at]).is_some()).or(all.first());
    first.map(|(at, word, meaning)| (&line[..*at], *meaning, &line[at + word.len()..]))
}

/// Whether a line is one of a driver that shows its commands, or names a file that is read.
fn is_of_driver(line: &str) -> bool {
    line.starts_with(" \"") || line.trim_start_matches('.').starts_with(' ') && line.starts_with('.')
}

fn message(before: &str, gravity: Gravity, text: &str) -> Option<Message> {
    // It comes with what the kernel needs, for each target.
    let is_of_kernel = gravity == Gravity::Warning && text.starts_with(MISSED_OCCUPANCY);
    (!is_of_kernel).then(|| Message { place: place(before), ..Message::new(gravity, text.trim()) })
}

/// Reads `file:line:column:`, or `file(line):` of nvcc. The name of a linker in that place is none.
pub(super) fn place(text: &str) -> Option<Place> {
    let text = text.strip_suffix(':')?;
    if let Some((file, line)) = text.strip_suffix(')').and_then(|text| text.rsplit_once('(')) {
        return Some(Place { file: Utf8Path::new(file).to_owned(), line: line.parse().ok()?, column: 1 });
    }
    let (rest, column) = text.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some(Place { file: Utf8Path::new(file).to_owned(), line: line.parse().ok()?, column: column.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_nvcc_name_a_line() {
        let found =
            messages("a b/x.hip(7): error: identifier \"hipFoo\" is undefined\n1 error detected in the compilation.\n");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, Some(Place { file: "a b/x.hip".into(), line: 7, column: 1 }));
    }

    /// Names and texts of the user's hold the words by which messages call themselves.
    #[test]
    fn words_in_names_and_texts_mean_nothing() {
        let output = " \"/usr/bin/clang\" \"-cc1\" \"a error: c.cu\"\n\
                      .. /tmp/a error: b.h\n\
                      /tmp/x.hip:3:1: error: static assertion failed: x note: hidden error\n\
                      /tmp/q note: r.cu:1:1: error: unknown type name 'foo'\n\
                      /tmp/a error: c.hip:2:5: warning: unused variable 'i'\n\
                      /tmp/x.hip:9:2: error: failed to meet occupancy target\n\
                      /tmp/x.hip:9:2: fatal error: 'a note: b.h' file not found\n\
                      /tmp/x.hip:1:1: note: see an error: here\n";
        let found: Vec<_> = messages(output);
        let said: Vec<_> = found.iter().map(|message| (message.gravity, message.text.as_str())).collect();
        assert_eq!(
            said,
            [
                (Gravity::Error, "static assertion failed: x note: hidden error"),
                (Gravity::Error, "unknown type name 'foo'"),
                (Gravity::Warning, "unused variable 'i'"),
                (Gravity::Error, "failed to meet occupancy target"),
                (Gravity::Error, "'a note: b.h' file not found"),
            ]
        );
        let files: Vec<_> = found.iter().map(|message| message.place.as_ref().unwrap().file.as_str()).collect();
        assert_eq!(files[1..3], ["/tmp/q note: r.cu", "/tmp/a error: c.hip"]);
        assert_eq!(found[4].details, ["see an error: here"]);
    }

    #[test]
    fn places_and_texts_are_read_once() {
        let output = "a b/x.hip:3:12: error: use of undeclared identifier 'cudaFoo'\n\
                      x.hip:1:2: note: candidate\n\
                      a b/x.hip:3:12: error: use of undeclared identifier 'cudaFoo'\n\
                      x.hip:1:2: note: candidate\n\
                      x.hip:9:1: warning: unused variable 'i' [-Wunused-variable]\n\
                      ld.lld: error: undefined symbol: f()\n1 error generated.\n\
                      a.cpp:(.text+0x1): undefined reference to `hipFoo'\n";
        let found = messages(output);
        assert_eq!(found.len(), 4);
        let place = found[0].place.clone().unwrap();
        assert_eq!((place.file.as_str(), place.line, place.column), ("a b/x.hip", 3, 12));
        assert_eq!(found[0].text, "use of undeclared identifier 'cudaFoo'");
        assert_eq!(found[0].notes, [Place { file: "x.hip".into(), line: 1, column: 2 }]);
        assert_eq!(found[1].gravity, Gravity::Warning);
        assert_eq!((found[2].gravity, found[2].place.clone()), (Gravity::Error, None));
        assert_eq!(found[3].text, "undefined reference to `hipFoo'");
        let found =
            messages("x.hip:9:1: warning: a\nx.hip:9:1: warning: a\nx.hip:1:2: note: b\nx.hip:9:1: warning: a\n");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].details, ["b"]);
    }
}
