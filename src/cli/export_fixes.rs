//! `hipshift convert --export-fixes`: the edits for `clang-apply-replacements`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::output::note;
use crate::engine::build_kind_of;
use crate::project::{Converted, Doors, Source, Spool, Spooled, Staging, fix_groups};
use crate::report::{fixes_of_file, write_fixes};
use crate::settings::{ExtensionStyle, Settings};

/// Fixes of the files of a run, which come from any thread.
pub(super) struct Export<'a> {
    target: &'a Utf8Path,
    inputs: &'a [Utf8PathBuf],
    spool: Spool,
    files: Mutex<BTreeMap<Utf8PathBuf, anyhow::Result<Spooled>>>,
    /// Files that the tool would change further, and where.
    left_out: Mutex<BTreeMap<Utf8PathBuf, usize>>,
}

impl<'a> Export<'a> {
    /// An export to `target`; `-` is standard output. Refuses what replacements cannot say.
    pub(super) fn new(
        target: &'a Utf8Path,
        (inputs, settings): (&'a [Utf8PathBuf], &Settings),
    ) -> anyhow::Result<Export<'a>> {
        if settings.extension != ExtensionStyle::Keep {
            bail!("`--export-fixes` cannot give files other names; add `--ext keep`");
        }
        let (files, left_out) = (Mutex::default(), Mutex::default());
        Ok(Export { target, inputs, spool: Spool::default(), files, left_out })
    }

    /// Keeps the fixes of a file.
    pub(super) fn add(&self, source: &Source, converted: Converted<'_>) {
        let Some((text, outcome)) = converted.conversion else { return };
        if outcome.patch.is_empty() {
            return;
        }
        let is_build = build_kind_of(&source.path, text.text().as_bytes()).is_some();
        if let Some(line) = cleaned_line(&outcome.patch.apply(text.text()), is_build) {
            self.left_out.lock().unwrap_or_else(PoisonError::into_inner).insert(source.path.clone(), line);
            return;
        }
        // The tool may be started anywhere, and a link stays a link.
        let path = source.path.canonicalize_utf8().unwrap_or_else(|_| source.path.clone());
        let part = fix_groups(text, outcome).with_context(|| source.path.to_string()).and_then(|groups| {
            let part = fixes_of_file(&path, &groups)?;
            self.spool.push(&part).context("writing a temporary file")
        });
        self.files.lock().unwrap_or_else(PoisonError::into_inner).insert(path, part);
    }

    /// Writes the fixes of all files. Gives what is left out, each with the reason.
    pub(super) fn write(&self) -> anyhow::Result<Vec<String>> {
        let left_out = std::mem::take(&mut *self.left_out.lock().unwrap_or_else(PoisonError::into_inner));
        let reason =
            |(path, line)| format!("{path}: `clang-apply-replacements` would delete a sign of line {line} as well");
        let left_out = left_out.into_iter().map(reason).collect();
        let files = std::mem::take(&mut *self.files.lock().unwrap_or_else(PoisonError::into_inner));
        let files = files.into_iter().map(|(path, part)| Ok((path, part?))).collect::<anyhow::Result<Vec<_>>>()?;
        let write = |out: &mut dyn Write| {
            let parts = files.iter().map(|(_, part)| self.spool.read(*part));
            write_fixes(out, files.first().map(|(path, _)| path.as_path()), parts)
        };
        if self.target == "-" {
            // As it is: what looks like a colour in a source file belongs to it.
            let mut out = io::BufWriter::new(io::stdout().lock());
            write(&mut out)?;
            out.flush()?;
            return Ok(left_out);
        }
        let mut bytes = Vec::new();
        write(&mut bytes)?;
        let staging = Staging::to(Doors::output(self.target, self.inputs)?);
        staging.write(self.target, &bytes, self.target)?;
        staging.commit()?;
        if self.target.extension() != Some("yaml") {
            note("`clang-apply-replacements` reads only files whose name ends with `.yaml`");
        }
        Ok(left_out)
    }
}

/// The line, from 1, in which the tool takes for needless what stands before or behind another sign, and deletes it: it does so after
/// each replacement, as far as it takes the text for one line of C++ (Clang's `cleanupAroundReplacements`). Text of build files is no C++, and
/// colons stand there before brackets, too.
fn cleaned_line(text: &str, is_build: bool) -> Option<usize> {
    let deletes = |one: char, other: char| match (one, other) {
        (',', ',' | ')') | ('(', ',') => true,
        (',' | ':', '{') | (':', ',') => is_build,
        _ => false,
    };
    let empty = if is_build { None } else { empty_namespace(text) };
    let (mut line, mut before) = (1, ' ');
    for (at, sign) in text.char_indices() {
        if empty == Some(at) {
            return Some(line);
        }
        if deletes(before, sign) {
            return Some(line);
        }
        line += usize::from(sign == '\n');
        if !sign.is_whitespace() && sign != '\\' {
            before = sign;
        }
    }
    None
}

/// Where a namespace begins that holds nothing, which the tool deletes as well.
fn empty_namespace(text: &str) -> Option<usize> {
    let is_head = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':' || c.is_whitespace();
    let mut empty = text.match_indices('{').filter(|(open, _)| text[open + 1..].trim_start().starts_with('}'));
    empty.find_map(|(open, _)| {
        let start = text[..open].trim_end_matches(is_head).len();
        text[start..open].find("namespace").map(|at| start + at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_that_the_tool_deletes_are_found() {
        let lines = |is_build| {
            ["f(a, b);", "\n\nM(a,\\\n )", "M(, b)", "{a,, b}", "case 1: {", "{1, {2}}", "ifeq ($(A),)"]
                .map(|text| cleaned_line(text, is_build))
        };
        assert_eq!(lines(false), [None, Some(4), Some(1), Some(1), None, None, Some(1)]);
        let namespaces = ["\nnamespace {\n\n}", "namespace a::b{}", "namespace a { int b; }", "using namespace a;"];
        assert_eq!(namespaces.map(|text| cleaned_line(text, false)), [Some(2), Some(1), None, None]);
        assert_eq!(lines(true), [None, Some(4), Some(1), Some(1), Some(1), Some(1), Some(1)]);
    }
}
