//! Commands of a shell as they would be started: variables, loops, folders; nothing is run
//! (POSIX, "Shell Command Language").

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::invocation::Invocation;
use super::lists::CUDA_FOLDER;
use super::steps::Step;
use super::tree::{Text, Tree};
use super::types::Place;
use crate::build::shell_lines;
use crate::mapping::is_cuda_folder;

/// A command with its words, and the folder that it is started in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShellCommand {
    pub(super) words: Vec<String>,
    pub(super) folder: Utf8PathBuf,
    /// The line of the text that it starts in, from 0 on.
    line: usize,
}

/// A command as it is written.
struct Simple {
    words: Vec<String>,
    line: usize,
}

/// A shell with its variables.
pub(super) struct Shell<'s> {
    tree: &'s Tree<'s>,
    folder: Utf8PathBuf,
    variables: BTreeMap<String, String>,
    /// How many commands may still be taken.
    left: usize,
    /// How many bytes of text may still be made.
    text_left: usize,
}

/// No longer texts are made, neither one nor all together.
const LONGEST: usize = 1 << 20;
const MOST_TEXT: usize = 1 << 25;
/// A system takes no longer name of a folder.
const LONGEST_FOLDER: usize = 4096;

/// More commands than these are no build that is read here.
const MOST: usize = 20_000;

/// The commands of a script.
pub(super) fn shell_steps(tree: &Tree<'_>, text: &Text) -> Vec<Step> {
    let folder = text.path.parent().unwrap_or(Utf8Path::new(""));
    let mut shell = Shell::new(tree, folder);
    let lines = shell_lines(&text.text);
    let mut code = String::new();
    // The place of each line of it.
    let mut places = Vec::new();
    for line in &lines {
        let joined = text.text[line.code].replace("\\\r\n", " ").replace("\\\n", " ");
        if !joined.is_empty() {
            let place = text.place(line.range.start());
            places.extend(std::iter::repeat_n(place, 1 + joined.matches('\n').count()));
            code.push_str(&joined);
            code.push('\n');
        }
    }
    let first = places.first().cloned().unwrap_or_else(|| Place { file: text.path.clone(), line: 1 });
    let commands = shell.run(&code, &first);
    let step = |command: ShellCommand| {
        let call = Invocation::read(&command.words, &command.folder, tree)?;
        Some(Step { call, place: places.get(command.line).unwrap_or(&first).clone() })
    };
    commands.into_iter().filter_map(step).collect()
}

/// A word as it is written, and whether it ends a command.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    /// With the line that it starts in.
    Word(String, usize),
    End,
}

impl<'s> Shell<'s> {
    /// A shell in `folder`.
    pub(super) fn new(tree: &'s Tree<'s>, folder: &Utf8Path) -> Shell<'s> {
        Shell { tree, folder: folder.to_owned(), variables: BTreeMap::new(), left: MOST, text_left: MOST_TEXT }
    }

    /// The commands that a text comes to.
    pub(super) fn run(&mut self, text: &str, place: &Place) -> Vec<ShellCommand> {
        let pieces = pieces(text);
        let simple: Vec<Simple> = pieces.split(|piece| *piece == Piece::End).filter_map(simple_command).collect();
        let mut commands = Vec::new();
        self.list(&simple, place, &mut commands);
        commands
    }

    fn list(&mut self, simple: &[Simple], place: &Place, out: &mut Vec<ShellCommand>) {
        let mut at = 0;
        while let Some(Simple { words, line }) = simple.get(at) {
            at += 1;
            let Some(left) = self.left.checked_sub(1).filter(|_| self.text_left > 0) else {
                let message = "there are too many commands of a shell, or too long texts, to follow";
                return self.tree.note(Some(place.clone()), message);
            };
            self.left = left;
            let words = without_keywords(words);
            match words.first().map(String::as_str) {
                Some("for") => {
                    let len = body_len(&simple[at..]);
                    self.repeat(words, &simple[at..at + len], (place, out));
                    at += len;
                }
                Some("while" | "until" | "case" | "select") => {
                    self.tree.note(Some(place.clone()), format!("`{}` of a shell is not followed", words[0]));
                }
                Some(_) => self.simple((words, *line), out),
                None => {}
            }
        }
    }

    fn repeat(&mut self, head: &[String], body: &[Simple], (place, out): (&Place, &mut Vec<ShellCommand>)) {
        let Some(name) = head.get(1) else { return };
        let values: Vec<String> = head.iter().skip(3).flat_map(|word| self.words(word)).collect();
        for value in values {
            self.variables.insert(name.clone(), value);
            self.list(body, place, out);
        }
    }

    fn simple(&mut self, (words, line): (&[String], usize), out: &mut Vec<ShellCommand>) {
        let values = words.iter().take_while(|word| variable(word).is_some()).count();
        let is_export = words.first().is_some_and(|word| matches!(word.as_str(), "export" | "local" | "readonly"));
        if values == words.len() || is_export {
            for (name, value) in words.iter().filter_map(|word| variable(word)) {
                let value = self.expand(value);
                self.variables.insert(name.to_owned(), value);
            }
            return;
        }
        let expanded: Vec<String> = words[values..].iter().flat_map(|word| self.words(word)).collect();
        match expanded.first().map(String::as_str) {
            Some("cd" | "pushd") => {
                let inside = expanded.get(1).map_or("", String::as_str);
                self.folder = self.tree.resolve(&self.folder, inside);
                if self.folder.as_str().len() > LONGEST_FOLDER {
                    self.text_left = 0;
                }
            }
            Some(_) => out.push(ShellCommand { words: expanded, folder: self.folder.clone(), line }),
            None => {}
        }
    }

    /// The words that a word becomes: references are expanded, patterns find files.
    fn words(&mut self, word: &str) -> Vec<String> {
        let is_quoted = word.contains(['"', '\'']);
        let expanded = self.expand(word);
        let parts: Vec<&str> = if is_quoted { vec![expanded.as_str()] } else { expanded.split_whitespace().collect() };
        let mut words = Vec::new();
        for part in parts {
            let looks = !is_quoted && part.contains(['*', '?']) && self.text_left > 0;
            let found = if looks { self.tree.glob(&self.folder, part, false) } else { Vec::new() };
            if found.is_empty() {
                words.push(part.to_owned());
            }
            let found = found.into_iter().map(|path| self.tree.root.join(path).into_string());
            let before = words.len();
            words.extend(found);
            let made: usize = words[before..].iter().map(String::len).sum();
            self.text_left = self.text_left.saturating_sub(made);
        }
        words
    }

    /// A word without quotes, with its references expanded.
    fn expand(&mut self, word: &str) -> String {
        let (mut out, mut rest, mut quote) = (String::new(), word, None);
        while let Some(letter) = rest.chars().next().filter(|_| self.text_left > 0) {
            rest = &rest[letter.len_utf8()..];
            match letter {
                '"' | '\'' if quote == Some(letter) => quote = None,
                '"' | '\'' if quote.is_none() => quote = Some(letter),
                '\\' if quote != Some('\'') => {
                    out.extend(rest.chars().next());
                    rest = rest.get(rest.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
                }
                '$' if quote != Some('\'') => {
                    let (value, len) = self.reference(rest);
                    out.push_str(&value);
                    rest = &rest[len..];
                    if out.len() > LONGEST {
                        self.text_left = 0;
                    }
                }
                _ => out.push(letter),
            }
        }
        self.text_left = self.text_left.saturating_sub(out.len());
        out
    }

    /// What a reference behind `$` is, and how many bytes it has.
    fn reference(&mut self, rest: &str) -> (String, usize) {
        let name_len =
            |text: &str| text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        if let Some(inside) = rest.strip_prefix('{').and_then(|inside| Some(&inside[..inside.find('}')?])) {
            let name = &inside[..name_len(inside)];
            return (self.with_default(name, &inside[name.len()..]), inside.len() + 2);
        }
        if rest.starts_with('(') {
            let end = rest.rfind(')').map_or(rest.len(), |end| end + 1);
            self.tree.note(None, format!("`${}` of a shell is not run: taken for nothing", &rest[..end]));
            return (String::new(), end);
        }
        let len = name_len(rest);
        (self.value(&rest[..len]), len)
    }

    /// `${NAME:-default}`, `${NAME:=default}`, `${NAME%.cu}`, `${NAME##*/}`
    fn with_default(&mut self, name: &str, operation: &str) -> String {
        let value = self.value(name);
        let is_set = self.variables.contains_key(name);
        let (sign, word) = operation.split_at(operation.bytes().take_while(|byte| b":-=+%#".contains(byte)).count());
        match sign {
            ":-" | "-" | ":=" | "=" if !is_set => {
                let word = self.expand(word);
                if sign.ends_with('=') {
                    self.variables.insert(name.to_owned(), word.clone());
                }
                word
            }
            "%" | "%%" => {
                let cut = word.strip_prefix('*').unwrap_or(word);
                match word.strip_suffix('*') {
                    Some(mark) => value.rfind(mark).map_or(value.clone(), |at| value[..at].to_owned()),
                    None => value.strip_suffix(cut).unwrap_or(&value).to_owned(),
                }
            }
            "#" | "##" => match word.strip_prefix('*') {
                Some(mark) => value.rfind(mark).map_or(value.clone(), |at| value[at + mark.len()..].to_owned()),
                None => value.strip_prefix(word).unwrap_or(&value).to_owned(),
            },
            _ => value,
        }
    }

    fn value(&self, name: &str) -> String {
        match self.variables.get(name) {
            Some(value) => value.clone(),
            None if is_cuda_folder(name) => CUDA_FOLDER.to_owned(),
            None => String::new(),
        }
    }
}

/// A command of pieces between two ends; nothing if there are none.
fn simple_command(pieces: &[Piece]) -> Option<Simple> {
    let words = || {
        pieces.iter().filter_map(|piece| if let Piece::Word(word, line) = piece { Some((word, *line)) } else { None })
    };
    let (_, line) = words().next()?;
    Some(Simple { words: words().map(|(word, _)| word.clone()).collect(), line })
}

/// `NAME=value`
fn variable(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some((name, value))
}

/// A command without what only says when it is run.
fn without_keywords(words: &[String]) -> &[String] {
    let is_keyword = |word: &&String| {
        matches!(word.as_str(), "do" | "then" | "else" | "done" | "fi" | "if" | "elif" | "!" | "{" | "}" | "(" | ")")
    };
    &words[words.iter().take_while(is_keyword).count()..]
}

/// How many commands the body of a loop has, with its `done`.
fn body_len(rest: &[Simple]) -> usize {
    let mut depth = 1_usize;
    for (at, Simple { words, .. }) in rest.iter().enumerate() {
        let first = words.first().map_or("", String::as_str);
        let second = words.get(1).map_or("", String::as_str);
        if first == "for" || first == "while" || (first == "do" && matches!(second, "for" | "while")) {
            depth += 1;
        } else if first == "done" {
            depth -= 1;
            if depth == 0 {
                return at + 1;
            }
        }
    }
    rest.len()
}

/// Words and the ends of commands; quotes and references stay in words.
fn pieces(text: &str) -> Vec<Piece> {
    let (mut out, mut word, mut quote, mut depth) = (Vec::new(), String::new(), None, 0_usize);
    let (mut line, mut start) = (0, 0);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_plain = quote.is_none() && depth == 0;
        if word.is_empty() {
            start = line;
        }
        line += usize::from(letter == '\n');
        match letter {
            '\\' => {
                word.push(letter);
                let escaped = letters.next();
                line += usize::from(escaped == Some('\n'));
                word.extend(escaped);
                continue;
            }
            '"' | '\'' if quote == Some(letter) => quote = None,
            '"' | '\'' if quote.is_none() => quote = Some(letter),
            '$' if matches!(letters.peek(), Some('(' | '{')) => {
                word.push(letter);
                word.extend(letters.next());
                depth += 1;
                continue;
            }
            ')' | '}' if depth > 0 => depth -= 1,
            _ => {}
        }
        let is_end = matches!(letter, ';' | '\n' | '&' | '|');
        if is_plain && (is_end || matches!(letter, ' ' | '\t' | '\r' | '(' | ')')) {
            if !word.is_empty() {
                out.push(Piece::Word(std::mem::take(&mut word), start));
            }
            if is_end {
                out.push(Piece::End);
            }
        } else {
            word.push(letter);
        }
    }
    if !word.is_empty() {
        out.push(Piece::Word(word, start));
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let files: BTreeSet<Utf8PathBuf> = ["src/a.cu", "src/b.cu"].map(Into::into).into_iter().collect();
        let tree = Tree::new("/p".into(), files);
        let place = Place { file: "build.sh".into(), line: 1 };
        let commands = Shell::new(&tree, "".into()).run(text, &place);
        let shown: Vec<String> =
            commands.iter().map(|command| format!("{}> {}", command.folder, command.words.join(" "))).collect();
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn commands_are_as_a_shell_starts_them() {
        check("A=x; echo $A ${B:-y z} '$A' \"$A b\"", &["> echo x y z $A x b"]);
        check("cd src && nvcc a.cu -o a | tee log", &["src> nvcc a.cu -o a", "src> tee log"]);
        check(": \"${N:=4}\"\nexport M=$N\nnvcc -DN=$M src/*.cu", &["> : 4", "> nvcc -DN=4 /p/src/a.cu /p/src/b.cu"]);
        check("for f in a b; do nvcc $f.cu -o ${f}.o; done; ls", &["> nvcc a.cu -o a.o", "> nvcc b.cu -o b.o", "> ls"]);
        check("f=src/a.cu; echo ${f%.cu} ${f##*/}", &["> echo src/a a.cu"]);
        check("if true; then nvcc x.cu; fi", &["> true", "> nvcc x.cu"]);
    }
}
