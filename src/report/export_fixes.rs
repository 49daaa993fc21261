//! Fixes in the form of clang-tidy's `--export-fixes`, which `clang-apply-replacements` applies.
//!
//! What is written is JSON, which is YAML, too: clang-tidy names the file so.

use std::io::{self, Write};

use camino::Utf8Path;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter};

use crate::diagnostic::{Diagnostic, Severity};
use crate::project::FixGroup;

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Finding<'f> {
    #[serde(rename = "DiagnosticName")]
    name: &'static str,
    #[serde(rename = "DiagnosticMessage")]
    message: Message<'f>,
    level: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Message<'f>>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Message<'f> {
    #[serde(rename = "Message")]
    text: &'f str,
    file_path: &'f Utf8Path,
    file_offset: usize,
    replacements: Vec<Replacement<'f>>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Replacement<'f> {
    file_path: &'f Utf8Path,
    offset: usize,
    length: usize,
    #[serde(rename = "ReplacementText")]
    text: &'f str,
}

/// Writes the document: the fixes of all files, each as [`fixes_of_file`] made them. `main` is the first
/// file that has any.
pub fn write_fixes(
    out: &mut dyn Write,
    main: Option<&Utf8Path>,
    parts: impl Iterator<Item = io::Result<Vec<u8>>>,
) -> io::Result<()> {
    write!(out, "---\n{{\"MainSourceFile\":")?;
    to_yaml(&mut *out, main.unwrap_or("".into()))?;
    write!(out, ",\"Diagnostics\":[")?;
    let mut separator: &[u8] = b"\n";
    for part in parts {
        out.write_all(separator)?;
        out.write_all(&part?)?;
        separator = b",\n";
    }
    writeln!(out, "\n]}}")
}

/// The fixes of a file, one on a line each, with commas in between; `path` is absolute.
pub fn fixes_of_file(path: &Utf8Path, groups: &[FixGroup]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for group in groups {
        let Some(finding) = Finding::of(path, group) else { continue };
        if !bytes.is_empty() {
            bytes.extend_from_slice(b",\n");
        }
        to_yaml(&mut bytes, &finding)?;
    }
    Ok(bytes)
}

impl<'f> Finding<'f> {
    /// The first finding of a group speaks for all; the others are its notes.
    fn of(path: &'f Utf8Path, group: &'f FixGroup) -> Option<Finding<'f>> {
        let ((first, offset), others) = group.findings.split_first()?;
        let replacement = |replacement: &'f crate::project::ByteReplacement| Replacement {
            file_path: path,
            offset: replacement.offset,
            length: replacement.length,
            text: &replacement.text,
        };
        let message = |finding: &'f Diagnostic, offset: usize, replacements| Message {
            text: &finding.message,
            file_path: path,
            file_offset: offset,
            replacements,
        };
        let replacements = group.replacements.iter().map(replacement).collect();
        Some(Finding {
            name: first.rule.name,
            message: message(first, *offset, replacements),
            level: level(first.severity),
            notes: others.iter().map(|(finding, offset)| message(finding, *offset, Vec::new())).collect(),
        })
    }
}

/// The nearest of the words that clang has.
fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Hint | Severity::Info => "Remark",
        Severity::Warning => "Warning",
        Severity::Error => "Error",
    }
}

fn to_yaml(out: &mut (impl Write + ?Sized), value: &(impl Serialize + ?Sized)) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, YamlStrings(CompactFormatter));
    Ok(value.serialize(&mut serializer)?)
}

/// Writes characters as numbers that JSON allows in a string and YAML does not, or takes for line ends.
struct YamlStrings(CompactFormatter);

impl Formatter for YamlStrings {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        let is_special =
            |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
        for part in fragment.split_inclusive(is_special) {
            let plain = part.trim_end_matches(is_special);
            self.0.write_string_fragment(out, plain)?;
            for c in part[plain.len()..].chars() {
                write!(out, "\\u{:04x}", u32::from(c))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_hold_what_yaml_reads() {
        let mut out = Vec::new();
        to_yaml(&mut out, "a\"\\\u{7}\u{7f}\u{85}\u{2028}\u{feff}é\u{1f600}\r\n").unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), r#""a\"\\\u0007\u007f\u0085\u2028\ufeffé😀\r\n""#);
    }
}
