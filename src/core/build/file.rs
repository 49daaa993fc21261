//! A build file as it is read.

use super::cmake::{Command, Token, TokenKind, commands, tokens};
use super::here_document::{HereDocument, here_documents};
use super::kind::{BuildKind, build_kind_of};
use super::make::{Line, LineKind, make_lines, shell_lines};
use super::shell_commands::commands_of;
use crate::source::{SourceFile, TextRange, range};

/// A build file with what was understood of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildFile {
    /// What it is written for.
    pub kind: BuildKind,
    /// The commands of CMake.
    pub commands: Vec<Command>,
    /// The lines of makefiles and of files that are not read further, and the commands of scripts.
    pub lines: Vec<Line>,
    /// All comments.
    pub comments: Vec<TextRange>,
    /// Sources that a script writes, whose lines are not among those of the script.
    pub written: Vec<HereDocument>,
}

impl BuildFile {
    /// Reads a file, if its name or first line says that it is a build file.
    pub fn of(file: &SourceFile) -> Option<BuildFile> {
        let (kind, text) = (build_kind_of(&file.path, file.text.as_bytes())?, file.text.as_str());
        if kind == BuildKind::CMake {
            let tokens = tokens(text);
            let is_comment = |token: &&Token| token.kind == TokenKind::Comment;
            let comments = tokens.iter().filter(is_comment).map(|token| token.range).collect();
            return Some(BuildFile {
                kind,
                commands: commands(text, &tokens),
                lines: Vec::new(),
                comments,
                written: Vec::new(),
            });
        }
        let mut lines = if kind == BuildKind::Make { make_lines(text) } else { shell_lines(text) };
        if !kind.is_read() {
            for line in &mut lines {
                *line = without_slashes(text, *line, kind);
            }
        }
        let written = if kind == BuildKind::Shell { here_documents(text, &lines) } else { Vec::new() };
        lines.retain(|line| {
            let next = written.partition_point(|source| source.body.end() <= line.range.start());
            written.get(next).is_none_or(|source| !source.body.contains_range(line.range))
        });
        if kind == BuildKind::Shell {
            lines = lines.into_iter().flat_map(|line| commands_of(text, line)).collect();
        }
        let comments = lines.iter().filter_map(|line| line.comment).collect();
        Some(BuildFile { kind, commands: Vec::new(), lines, comments, written })
    }
}

/// A line of a language whose comments may begin otherwise, or that has none.
fn without_slashes(text: &str, line: Line, kind: BuildKind) -> Line {
    let marks = kind.comments();
    let shown = &text[line.range];
    let start = usize::from(line.range.start()) + (shown.len() - shown.trim_start().len());
    let whole = range(start, line.range.end().into());
    let small = text[whole].to_ascii_lowercase();
    if marks.iter().any(|mark| small.starts_with(mark)) {
        return Line { kind: LineKind::Blank, code: TextRange::empty(whole.start()), comment: Some(whole), ..line };
    }
    if marks.contains(&"#") { line } else { Line { code: whole, comment: None, ..line } }
}
