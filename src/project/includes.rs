//! What the files of a project include, as far as the text of `#include` tells.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use memchr::{memchr, memchr_iter};
use rustc_hash::FxHashSet;

use crate::mapping::{Kind, Table};
use crate::source::SourceFile;
use crate::syntax::{Document, TokenKind};

/// No system opens a file whose path has more bytes.
const LONGEST: usize = 4096;

/// What a file includes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileIncludes {
    pub(super) file: Utf8PathBuf,
    /// In the order of the text.
    pub(super) includes: Vec<Included>,
    /// Whether a macro names one.
    pub(super) names_macro: bool,
}

/// One include of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Included {
    /// As it is written, without `./` and `../`.
    pub(super) path: Box<str>,
    /// The conditions around it, outermost first: the number of each in the file, and that of its branch. An include guard is none.
    pub(super) branches: Box<[(u32, u32)]>,
    /// Whether the tables know it as a header of CUDA's.
    pub(super) is_of_cuda: bool,
    /// Whether it stands within braces or parentheses.
    pub(super) is_enclosed: bool,
}

impl FileIncludes {
    /// The includes of a file. What is in a comment or in a branch that is left out counts: rather too many than too few.
    pub(super) fn of(file: &Utf8Path, bytes: &[u8], table: &Table) -> FileIncludes {
        let mut reader = Reader {
            found: FileIncludes { file: file.to_owned(), ..FileIncludes::default() },
            conditions: Conditions::default(),
            table,
        };
        let mut end = 0;
        for at in memchr_iter(b'#', bytes) {
            end = if end > at { end } else { memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length) };
            reader.read(&bytes[at + 1..end]);
        }
        let mut found = reader.found;
        found.find_enclosed(bytes);
        found
    }

    /// Notes which includes stand within brackets. Few files have any behind a brace, and only these are read for it.
    fn find_enclosed(&mut self, bytes: &[u8]) {
        let first = memchr::memchr2(b'{', b'(', bytes).unwrap_or(bytes.len());
        let is_behind = !self.includes.is_empty() && has_include(&bytes[first..]);
        if let Some(file) = is_behind.then(|| SourceFile::decode(&self.file, bytes.to_vec()).ok()).flatten() {
            let paths = enclosed(&Document::new(file));
            for include in &mut self.includes {
                include.is_enclosed = paths.contains(&include.path);
            }
        }
    }
}

fn has_include(bytes: &[u8]) -> bool {
    memchr_iter(b'#', bytes).any(|at| bytes[at + 1..].trim_ascii_start().starts_with(b"include"))
}

/// The paths that a file includes within brackets.
fn enclosed(document: &Document) -> FxHashSet<Box<str>> {
    let mut found = FxHashSet::default();
    let (mut idx, mut end) = (0, 0);
    for include in document.includes() {
        let start = include.directive.tokens.start;
        while idx < start {
            let opens = matches!(document.kind(idx), Some(TokenKind::Punct(b'{' | b'(')))
                && document.directive_of(idx).is_none();
            let close = if opens { document.partner(idx) } else { None };
            end = end.max(close.unwrap_or_default());
            idx += 1;
        }
        if start < end {
            found.insert(plain(Utf8Path::new(include.path)).as_str().into());
        }
    }
    found
}

/// Reads the directives of a file.
struct Reader<'t> {
    found: FileIncludes,
    conditions: Conditions<'t>,
    table: &'t Table,
}

impl<'t> Reader<'t> {
    /// Reads what stands behind a `#`, up to the end of its line.
    fn read(&mut self, line: &'t [u8]) {
        let line = line.trim_ascii_start();
        let length = line.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (word, rest) = line.split_at(length);
        match word {
            b"include" => self.add(rest.trim_ascii()),
            _ => self.conditions.read(word, rest.trim_ascii()),
        }
    }

    /// Adds what stands behind the word `include`.
    fn add(&mut self, line: &[u8]) {
        let closing = match line.first() {
            Some(b'"') => b'"',
            Some(b'<') => b'>',
            Some(byte) if byte.is_ascii_alphabetic() || *byte == b'_' => {
                self.found.names_macro = true;
                return;
            }
            _ => return,
        };
        let path = &line[1..line.len().min(LONGEST)];
        let path = path.split(|&byte| byte == closing).next().unwrap_or_default();
        if let Ok(path) = str::from_utf8(path) {
            let is_of_cuda = self.table.get(path).iter().any(|entry| entry.kind == Kind::Header);
            let path = plain(Utf8Path::new(path)).as_str().into();
            let branches = self.conditions.around();
            self.found.includes.push(Included { path, branches, is_of_cuda, is_enclosed: false });
        }
    }
}

/// The conditions that are open at a place.
#[derive(Debug, Default)]
struct Conditions<'t> {
    open: Vec<Condition<'t>>,
    /// How many there were.
    count: u32,
}

#[derive(Debug)]
struct Condition<'t> {
    number: u32,
    branch: u32,
    /// What `#ifndef` asks for, until the next directive has told whether this is an include guard.
    asked: Option<&'t [u8]>,
    is_guard: bool,
}

impl<'t> Conditions<'t> {
    /// Follows a directive other than an include.
    fn read(&mut self, word: &[u8], rest: &'t [u8]) {
        match word {
            b"if" | b"ifdef" | b"ifndef" => {
                let asked = (word == b"ifndef").then_some(rest);
                self.open.push(Condition { number: self.count, branch: 0, asked, is_guard: false });
                self.count += 1;
            }
            b"elif" | b"else" | b"elifdef" | b"elifndef" => {
                if let Some(innermost) = self.open.last_mut() {
                    (innermost.branch, innermost.asked) = (innermost.branch + 1, None);
                }
            }
            b"endif" => drop(self.open.pop()),
            b"define" => self.define(rest),
            _ => {}
        }
    }

    fn define(&mut self, rest: &[u8]) {
        if let Some(innermost) = self.open.last_mut()
            && let Some(asked) = innermost.asked.take()
        {
            innermost.is_guard = asked == rest;
        }
    }

    fn around(&self) -> Box<[(u32, u32)]> {
        let conditions = self.open.iter().filter(|condition| !condition.is_guard);
        conditions.map(|condition| (condition.number, condition.branch)).collect()
    }
}

/// A path without `.` and `..`.
fn plain(path: &Utf8Path) -> Utf8PathBuf {
    path.components().filter(|part| matches!(part, Utf8Component::Normal(_))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, usize, bool)]) {
        let table = Table::builtin().unwrap();
        let found = FileIncludes::of(Utf8Path::new("a.cu"), text.as_bytes(), table);
        let found: Vec<_> = found.includes.iter().map(|it| (&*it.path, it.branches.len(), it.is_enclosed)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn an_include_has_conditions_but_for_that_of_the_guard() {
        check(
            "#include \"a.h\"\n#ifdef A\n# include <b.h>\n#else\n#include \"c.h\"\n#endif\n#include \"d.h\"\n",
            &[("a.h", 0, false), ("b.h", 1, false), ("c.h", 1, false), ("d.h", 0, false)],
        );
        check("#ifndef A_H\n#define A_H\n#include \"a.h\"\n#endif\n", &[("a.h", 0, false)]);
        check("#ifndef A\n#define B\n#include \"a.h\"\n#endif\n", &[("a.h", 1, false)]);
    }

    #[test]
    fn an_include_may_stand_in_brackets() {
        check(
            "#include \"a.h\"\nnamespace n {\n#include \"b.inl\"\n}\n#include \"c.h\"\n",
            &[("a.h", 0, false), ("b.inl", 0, true), ("c.h", 0, false)],
        );
        check("#define A(x) {\n#include \"a.h\"\n", &[("a.h", 0, false)]);
    }
}
