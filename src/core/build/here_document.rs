//! Here documents of a shell: files that a script writes (POSIX, Shell Command Language, 2.7.4).

use std::collections::HashMap;

use super::make::Line;
use crate::source::{TextRange, range};

/// The text of a source file that a script writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HereDocument {
    /// The name of the file that it is written to.
    pub file: TextRange,
    /// Its lines, with the end of the last one.
    pub body: TextRange,
    /// Whether the shell replaces `$`, backquotes and backslashes in it.
    pub expands: bool,
}

/// Extensions of sources that a compiler reads.
const SOURCES: &[&str] = &["c", "cc", "cpp", "cu", "cuh", "cxx", "h", "hpp"];

/// The sources that the lines of a script write.
pub(super) fn here_documents(text: &str, lines: &[Line]) -> Vec<HereDocument> {
    let mut found: Vec<HereDocument> = Vec::new();
    let mut ends = None;
    for line in lines {
        let is_within = found.last().is_some_and(|last| last.body.contains_range(line.range));
        if let Some(opened) = if is_within { None } else { opened(text, line) } {
            found.extend(opened.closed(ends.get_or_insert_with(|| Ends::of(text))));
        }
    }
    found
}

/// A here document whose end is not known.
struct Opened<'t> {
    file: TextRange,
    start: usize,
    strips_tabs: bool,
    /// The word that ends it, as it is written.
    word: &'t str,
}

impl Opened<'_> {
    /// The document, if something closes it: `1 << n` looks like one that nothing does.
    fn closed(self, ends: &Ends) -> Option<HereDocument> {
        let bare = self.word.trim_matches(['"', '\'']).trim_start_matches('\\');
        let places = ends.0.get(&(self.strips_tabs, bare))?;
        let end = *places.get(places.partition_point(|place| *place < self.start))?;
        Some(HereDocument { file: self.file, body: range(self.start, end), expands: bare == self.word })
    }
}

/// Where lines of each text begin: as they are (`false`), and without tabs in front (`true`). Looked up, as documents that nothing closes
/// would each be read to the end.
struct Ends<'t>(HashMap<(bool, &'t str), Vec<usize>>);

impl<'t> Ends<'t> {
    fn of(text: &'t str) -> Ends<'t> {
        let mut places: HashMap<_, Vec<usize>> = HashMap::new();
        let mut at = 0;
        for row in text.split_inclusive('\n') {
            let shown = row.trim_end_matches(['\n', '\r']);
            for key in [(false, shown), (true, shown.trim_start_matches('\t'))] {
                places.entry(key).or_default().push(at);
            }
            at += row.len();
        }
        Ends(places)
    }
}

fn opened<'t>(text: &'t str, line: &Line) -> Option<Opened<'t>> {
    let code = &text[line.code];
    let file = written_file(code).filter(|file| {
        let extension = file.rsplit_once('.').map(|(_, extension)| extension);
        extension.is_some_and(|extension| SOURCES.contains(&extension))
    })?;
    let (strips_tabs, word) = delimiter(code)?;
    let start = usize::from(line.range.end()) + text[line.range.end().into()..].find('\n')? + 1;
    let at = usize::from(line.code.start()) + (file.as_ptr().addr() - code.as_ptr().addr());
    Some(Opened { file: range(at, at + file.len()), start, strips_tabs, word })
}

/// The word that ends the document, as it is written, and whether tabs in front of lines go.
fn delimiter(code: &str) -> Option<(bool, &str)> {
    let (front, behind) = code.split_once("<<")?;
    if behind.starts_with('<') || front.ends_with('<') || front.matches('\'').count() % 2 == 1 {
        return None;
    }
    let rest = behind.strip_prefix('-').unwrap_or(behind);
    let word = rest.trim_start_matches([' ', '\t']);
    let len = word.find(|c: char| c.is_whitespace() || ";|&<>)".contains(c)).unwrap_or(word.len());
    (len > 0).then(|| (rest.len() < behind.len(), &word[..len]))
}

/// The file that the output of a command goes to.
fn written_file(code: &str) -> Option<&str> {
    let (_, behind) = code.split_once('>')?;
    let word = behind.trim_start_matches(['>', '|']).trim_start_matches([' ', '\t', '"', '\'']);
    let len = word.find(|c: char| c.is_whitespace() || "\"';|&<>)".contains(c)).unwrap_or(word.len());
    Some(&word[..len])
}

#[cfg(test)]
mod tests {
    use super::super::make::shell_lines;
    use super::*;

    fn seen(text: &str) -> Vec<(&str, &str, bool)> {
        let found = here_documents(text, &shell_lines(text));
        found.iter().map(|one| (&text[one.file], &text[one.body], one.expands)).collect()
    }

    #[test]
    fn sources_that_a_script_writes_are_found() {
        let text = "cat >$t.cu <<EOF\nint a; \\\n$b\nEOF\ncat << 'END' > \"x.cpp\" || exit\r\nint c;\r\nEND\r\ncat <<-E >> y.h;\n\tint d;\n\tE\n";
        let expected =
            [("$t.cu", "int a; \\\n$b\n", true), ("x.cpp", "int c;\r\n", false), ("y.h", "\tint d;\n", true)];
        assert_eq!(seen(text), expected);
    }

    #[test]
    fn other_documents_are_none() {
        for text in
            ["cat > x.txt <<EOF\na\nEOF\n", "cat > x.cu <<EOF\na\n", "cat > x.cu <<< a\n", "echo '<<EOF' > x.cu\nEOF\n"]
        {
            assert_eq!(seen(text), [], "{text}");
        }
    }
}
