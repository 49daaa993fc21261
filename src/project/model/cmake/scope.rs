//! Variables of CMake, and what references to them become ("cmake-language(7)", "Variable References").

use std::cell::Cell;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::build::{Argument, ArgumentKind};
use crate::mapping::{is_cuda_folder, library_of_variable};
use crate::project::model::lists::CUDA_FOLDER;

/// A longer text is cut off.
const LONGEST: usize = 1 << 20;

/// All texts together become no longer than this.
const MOST: usize = 1 << 26;

/// What a value of a list takes beside its text, and those who hold it.
const BYTES_OF_VALUE: usize = 64;

/// References within the names of others: nobody writes more.
const DEEPEST: usize = 60;

/// Variables by scope: those of a folder or function hide those further out.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    frames: Vec<BTreeMap<String, Option<String>>>,
    cache: BTreeMap<String, String>,
    /// The bytes of all texts that were made.
    made: Cell<usize>,
    /// How many references are within each other.
    depth: Cell<usize>,
}

impl Scopes {
    /// Opens a scope.
    pub(super) fn push(&mut self) {
        self.frames.push(BTreeMap::new());
    }

    /// Closes the innermost scope.
    pub(super) fn pop(&mut self) {
        self.frames.pop();
    }

    /// Gives a variable a value, or takes it away.
    pub(super) fn set(&mut self, name: &str, value: Option<String>) {
        // A list that grows is copied each time, which is faster than making it.
        let copied = value.as_ref().map_or(0, |value| value.len() / 4);
        self.made.set(self.made.get() + copied);
        if let Some(frame) = self.frames.last_mut() {
            frame.insert(name.to_owned(), value);
        }
    }

    /// The same one scope further out.
    pub(super) fn set_outside(&mut self, name: &str, value: Option<String>) {
        let at = self.frames.len().saturating_sub(2);
        if let Some(frame) = self.frames.get_mut(at) {
            frame.insert(name.to_owned(), value);
        }
    }

    /// Gives a variable of the cache a value, if it has none.
    pub(super) fn set_cached(&mut self, name: &str, value: String) {
        self.cache.entry(name.to_owned()).or_insert(value);
    }

    /// The value of a variable, if it is set.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let framed = self.frames.iter().rev().find_map(|frame| frame.get(name));
        match framed {
            Some(value) => value.clone(),
            None => self.cache.get(name).cloned().or_else(|| of_cuda(name)),
        }
    }

    /// The values of an argument: one if it stands in quotes, else those between `;`.
    pub(super) fn values(&self, text: &str, argument: &Argument) -> Vec<String> {
        let inner = &text[argument.inner];
        match argument.kind {
            ArgumentKind::Bracket => vec![inner.to_owned()],
            ArgumentKind::Quoted => vec![self.expand(inner)],
            ArgumentKind::Bare => {
                let list = self.expand(inner);
                // A value of one letter takes as much memory as a line.
                self.spend(memchr::memchr_iter(b';', list.as_bytes()).count().saturating_mul(BYTES_OF_VALUE));
                if self.is_exhausted() { Vec::new() } else { split(&list) }
            }
        }
    }

    /// Whether so much text was made that what is followed leads nowhere.
    pub(super) fn is_exhausted(&self) -> bool {
        self.made.get() > MOST
    }

    /// Counts what a command takes as if it were text.
    pub(super) fn spend(&self, bytes: usize) {
        self.made.set(self.made.get().saturating_add(bytes));
    }

    /// Has nothing more followed: a text would become too long.
    pub(super) fn exhaust(&self) {
        self.made.set(MOST + 1);
    }

    /// A text with its references expanded.
    pub(super) fn expand(&self, text: &str) -> String {
        let mut out = String::new();
        if self.is_exhausted() {
            return out;
        }
        if self.depth.get() == DEEPEST {
            self.exhaust();
            return out;
        }
        self.depth.set(self.depth.get() + 1);
        let closes = closes(text);
        let mut done = 0;
        while let Some(at) = text[done..].find(['$', '\\']).filter(|_| out.len() < LONGEST) {
            let at = done + at;
            out.push_str(&text[done..at]);
            let (value, len) = self.reference(&text[at..], |open| Some(closes.get(&(at + open))? - at));
            out.push_str(&value);
            done = at + len;
        }
        out.push_str(&text[done..]);
        self.depth.set(self.depth.get() - 1);
        self.made.set(self.made.get() + out.len());
        out
    }

    /// What stands at a `$` or `\`, and how many bytes it has; `close_of` gives the place of the brace that ends another one.
    fn reference(&self, rest: &str, close_of: impl Fn(usize) -> Option<usize>) -> (String, usize) {
        if let Some(escaped) = rest.strip_prefix('\\') {
            let Some(letter) = escaped.chars().next() else { return (String::new(), 1) };
            let value = match letter {
                'n' => "\n".to_owned(),
                't' => "\t".to_owned(),
                // It separates no values.
                ';' => "\\;".to_owned(),
                '\n' => String::new(),
                _ => letter.to_string(),
            };
            return (value, 1 + letter.len_utf8());
        }
        let kinds = ["${", "$ENV{", "$CACHE{"];
        let open = kinds.iter().find(|kind| rest.starts_with(**kind)).map(|kind| kind.len() - 1);
        let Some((open, close)) = open.and_then(|open| Some((open, close_of(open)?))) else {
            return ("$".to_owned(), 1);
        };
        let name = self.expand(&rest[open + 1..close]);
        let value = match &rest[1..open] {
            "ENV" => Some(CUDA_FOLDER.to_owned()).filter(|_| is_cuda_folder(&name)),
            _ => self.get(&name),
        };
        (value.unwrap_or_default(), close + 1)
    }
}

/// The place of the brace that ends each brace.
fn closes(text: &str) -> FxHashMap<usize, usize> {
    let (mut open, mut closes) = (Vec::new(), FxHashMap::default());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open.push(at),
            b'}' => closes.extend(open.pop().map(|open| (open, at))),
            _ => {}
        }
    }
    closes
}

/// What packages of CUDA's set: their libraries, and where its headers usually are.
fn of_cuda(name: &str) -> Option<String> {
    if is_cuda_folder(name) {
        return Some(CUDA_FOLDER.to_owned());
    }
    if name.starts_with("CUDA") && (name.ends_with("INCLUDE_DIRS") || name.ends_with("INCLUDE_DIRECTORIES")) {
        return Some(format!("{CUDA_FOLDER}/include"));
    }
    library_of_variable(name).map(|library| library.cuda.clone())
}

/// The values between `;`, without empty ones; a backslash keeps a `;`.
pub(super) fn split(list: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    let mut goes_on = false;
    for part in list.split(';') {
        let (text, is_kept) = part.strip_suffix('\\').map_or((part, false), |front| (front, true));
        match values.last_mut().filter(|_| goes_on) {
            Some(value) => value.push_str(text),
            None => values.push(text.to_owned()),
        }
        if let Some(value) = values.last_mut().filter(|_| is_kept) {
            value.push(';');
        }
        goes_on = is_kept;
    }
    // At the end there is nothing to keep.
    if let Some(value) = values.last_mut().filter(|_| goes_on) {
        value.pop();
        value.push('\\');
    }
    values.retain(|value| !value.is_empty());
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_expanded_from_the_inside() {
        let mut scopes = Scopes::default();
        scopes.push();
        scopes.set("A", Some("x;y".into()));
        scopes.set("N_x", Some("deep".into()));
        scopes.set("B", Some("x".into()));
        scopes.push();
        scopes.set("B", Some("z".into()));
        scopes.set_outside("C", Some("out".into()));
        scopes.set_cached("B", "cached".into());
        assert_eq!(scopes.expand("${A}-${B} \\${B} $<${C}> $ENV{HOME}${D}"), "x;y-z ${B} $<out> ");
        scopes.pop();
        assert_eq!(scopes.expand("${N_${B}} ${B"), "deep ${B");
        assert_eq!(scopes.get("CUDA_INCLUDE_DIRS").unwrap(), "/usr/local/cuda/include");
        assert_eq!(split("a;;b\\;c"), ["a", "b;c"]);
        assert_eq!(split("a\\;\\;b;c\\d;\\;e\\"), ["a;;b", "c\\d", ";e\\"]);
    }
}
