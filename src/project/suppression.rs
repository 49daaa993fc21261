//! Comments that switch findings off, as editors write them.

use crate::build::BuildFile;
use crate::diagnostic::Diagnostic;
use crate::source::{TextRange, TextSize, range};
use crate::syntax::Document;

/// Where a comment goes that switches a rule off on the line of a finding, and the comment with a place for the reason.
/// Nothing where the line ends within a comment or literal, and in build files nothing where it goes on with the next one.
pub fn suppression(document: &Document, finding: &Diagnostic) -> Option<(TextSize, String)> {
    let start = finding.range.start();
    let line = document.line_text(start);
    let line_start = document.text()[..usize::from(start)].rfind('\n').map_or(0, |at| at + 1);
    let code = finding.rule.code;
    let continued = line.trim_end().strip_suffix('\\');
    let content = continued.unwrap_or(line).trim_end();
    let at = range(line_start + content.len(), line_start + content.len()).start();
    if let Some(build) = document.build() {
        let comment = format!(" # hipshift: ignore[{code}] reason");
        return is_comment_at(document, build, at, &comment).then_some((at, comment));
    }
    let splits = |other: TextRange| other.start() < at && at < other.end();
    let token = document.token_at(at).checked_sub(1).and_then(|before| document.token(before));
    if token.is_some_and(|token| splits(token.range())) || document.comments().iter().any(|comment| splits(*comment)) {
        return None;
    }
    // A comment up to the end of the line would take the rest of a macro with it.
    let text = match continued {
        Some(_) => format!(" /* hipshift: ignore[{code}] reason */"),
        None => format!(" // hipshift: ignore[{code}] reason"),
    };
    Some((at, text))
}

/// Whether a comment at a place of a build file would be read as one, and take nothing else with it.
fn is_comment_at(document: &Document, build: &BuildFile, at: TextSize, comment: &str) -> bool {
    let mut file = document.file().clone();
    file.text.insert_str(at.into(), comment);
    let comments = BuildFile::of(&file).map(|read| read.comments).unwrap_or_default();
    let added = range(usize::from(at) + 1, usize::from(at) + comment.len());
    build.kind.comments().contains(&"#") && comments.len() == build.comments.len() + 1 && comments.contains(&added)
}
