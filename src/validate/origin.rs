//! From a place in converted text back to the CUDA text that it came from.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use line_index::{LineCol, LineIndex, TextSize};

use super::message::{Cause, Message, Place};
use super::outcome::WaveFinding;
use super::program::is_unit;
use super::reach::{Body, bodies, reached};
use super::resources::Resources;
use crate::diagnostic::Diagnostic;
use crate::engine::Outcome;
use crate::source::{Encoding, Rendered, SourceFile, SourceText, TextRange};
use crate::syntax::Document;

/// The letter of rules about the width of waves.
const WAVE_RULES: char = 'W';
/// Other rules about what a kernel does on some targets only: values that lanes wait for, and images.
const TARGET_RULES: &[&str] = &["K004", "K025"];

/// Where the text of each file that is compiled came from.
#[derive(Debug, Default)]
pub struct Origins {
    files: Mutex<HashMap<Utf8PathBuf, Origin>>,
}

#[derive(Debug)]
struct Origin {
    source: Utf8PathBuf,
    /// Nothing if the file was taken as it is.
    converted: Option<ConvertedText>,
}

#[derive(Debug)]
struct ConvertedText {
    rendered: Rendered,
    output_lines: LineIndex,
    source_lines: LineIndex,
    encoding: Encoding,
    /// The parts of the source that rules changed or left to a person.
    causes: Vec<(TextRange, Cause)>,
}

impl Origins {
    /// Takes in a file that was converted: what it was, and where its result was written.
    pub fn insert(&self, output: &Utf8Path, source: &SourceText, outcome: &Outcome) {
        let rendered = outcome.patch.render(source.text());
        let converted = ConvertedText {
            output_lines: LineIndex::new(&rendered.text),
            source_lines: source.lines().clone(),
            encoding: source.file().encoding,
            causes: causes(outcome),
            rendered,
        };
        self.put(output, Origin { source: source.file().path.clone(), converted: Some(converted) });
    }

    /// Takes in a file that was copied as it is.
    pub fn insert_copy(&self, output: &Utf8Path, source: &Utf8Path) {
        self.put(output, Origin { source: source.to_owned(), converted: None });
    }

    fn put(&self, output: &Utf8Path, origin: Origin) {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).insert(output.to_owned(), origin);
    }

    /// The message at its place in the user's file, with the rule that has to do with it. One about a header of
    /// others is shown where the user's file uses that header; one that never comes to a file of ours stays as it is.
    ///
    /// For text that was put in, the place is the end of the user's text before it.
    pub fn explain(&self, message: &Message) -> Message {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let mut places = message.place.iter().chain(&message.notes);
        let found = places.find_map(|place| files.get(&place.file)?.find(place));
        found.map_or_else(|| message.clone(), |(place, rule)| Message { place: Some(place), rule, ..message.clone() })
    }

    /// A text with each `file:line` of a converted file led back to the user's.
    pub fn lead_back(&self, text: &str) -> String {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = text.to_owned();
        for (output, origin) in files.iter() {
            let name = format!("{output}:");
            let mut after = 0;
            while let Some(at) = text[after..].find(&name).map(|at| at + after) {
                let digits = at + name.len();
                let end = text[digits..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |end| digits + end);
                let line = text[digits..end].parse().ok();
                let place = line.and_then(|line| origin.find(&Place { file: output.clone(), line, column: 1 }));
                let place = place.map(|(place, _)| format!("{}:{}", place.file, place.line));
                let place = place.unwrap_or_else(|| text[at..end].to_owned());
                text.replace_range(at..end, &place);
                after = at + place.len();
            }
        }
        text
    }

    /// What was found about waves in the functions that `root` comes to, and outside of functions, in some files of the
    /// user and the headers beside them: what was left to a person first.
    pub(super) fn wave_findings(&self, sources: &[&Utf8Path], root: &str) -> Vec<WaveFinding> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let is_part = |origin: &&Origin| sources.contains(&origin.source.as_path()) || !is_unit(&origin.source);
        let parts: Vec<(&Origin, Vec<Body>)> =
            files.values().filter(is_part).map(|origin| (origin, origin.bodies())).collect();
        let called = reached(parts.iter().flat_map(|(_, bodies)| bodies), root);
        let is_called = |bodies: &[Body], place: TextSize| {
            let around = bodies.iter().find(|body| body.range.contains(place));
            around.zip(called.as_ref()).is_none_or(|(body, called)| called.contains(body.name.as_str()))
        };
        let found = parts.iter().flat_map(|(origin, bodies)| origin.wave_findings(|place| is_called(bodies, place)));
        let mut found: Vec<WaveFinding> = found.collect();
        let key = |f: &WaveFinding| (f.cause.wrote, f.place.file.clone(), f.place.line, f.place.column, f.cause.code);
        found.sort_by_key(key);
        found.dedup();
        found
    }

    /// What a kernel needs, with the kernel's place in the user's file.
    pub(super) fn place_kernel(&self, kernel: &Resources) -> Resources {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kernel.place.as_ref().and_then(|place| files.get(&place.file)?.find(place));
        let is_of_others = found.is_none();
        let place = found.map(|(place, _)| place).or_else(|| kernel.place.clone());
        Resources { place, is_of_others, ..kernel.clone() }
    }
}

impl Origin {
    /// The functions of the file, with their places in the user's text.
    fn bodies(&self) -> Vec<Body> {
        let Some(converted) = &self.converted else { return Vec::new() };
        let rendered = &converted.rendered;
        let document = Document::new(SourceFile::from_text(self.source.clone(), rendered.text.clone()));
        let back = |offset| rendered.to_original(offset);
        let place = |mut body: Body| {
            body.range = TextRange::new(back(body.range.start()), back(body.range.end()));
            body
        };
        bodies(&document).into_iter().map(place).collect()
    }

    fn wave_findings(&self, is_wanted: impl Fn(TextSize) -> bool) -> Vec<WaveFinding> {
        let Some(converted) = &self.converted else { return Vec::new() };
        let is_about_waves = |code: &str| code.starts_with(WAVE_RULES) || TARGET_RULES.contains(&code);
        let about_waves = converted.causes.iter().filter(|(_, cause)| is_about_waves(cause.code));
        let about_waves = about_waves.filter(|(range, _)| is_wanted(range.start()));
        let found = about_waves.map(|(range, cause)| {
            let position = converted.source_lines.line_col(range.start());
            let place = Place { file: self.source.clone(), line: position.line + 1, column: position.col + 1 };
            WaveFinding { place, cause: cause.clone() }
        });
        found.collect()
    }

    fn find(&self, place: &Place) -> Option<(Place, Option<Cause>)> {
        let Some(converted) = &self.converted else {
            return Some((Place { file: self.source.clone(), ..place.clone() }, None));
        };
        let offset = converted.rendered.to_original(converted.offset(place)?);
        let position = converted.source_lines.line_col(offset);
        let place = Place { file: self.source.clone(), line: position.line + 1, column: position.col + 1 };
        Some((place, converted.cause(offset)))
    }
}

impl ConvertedText {
    /// Where a place of the file that was compiled lies in its text. Columns count bytes, and a byte that is not UTF-8 has become a
    /// character of more.
    fn offset(&self, place: &Place) -> Option<TextSize> {
        let start = self.output_lines.offset(LineCol { line: place.line.checked_sub(1)?, col: 0 })?;
        let bytes = usize::try_from(place.column.checked_sub(1)?).ok()?;
        let behind = self.rendered.text.get(usize::from(start)..)?;
        let within = match self.encoding {
            Encoding::Utf8 => (0..=bytes.min(behind.len())).rev().find(|&at| behind.is_char_boundary(at))?,
            Encoding::Latin1 => behind.char_indices().nth(bytes).map_or(behind.len(), |(at, _)| at),
        };
        Some(start + TextSize::try_from(within).ok()?)
    }

    /// The rule that the smallest text around a place has to do with; of two, the one that left it to a person.
    fn cause(&self, offset: TextSize) -> Option<Cause> {
        let around = self.causes.iter().filter(|(range, _)| range.contains_inclusive(offset));
        around.min_by_key(|(range, cause)| (range.len(), cause.wrote)).map(|(_, cause)| cause.clone())
    }
}

/// The parts of a source that rules changed or left to a person.
fn causes(outcome: &Outcome) -> Vec<(TextRange, Cause)> {
    let cause =
        |finding: &Diagnostic, wrote: bool| Cause { code: finding.rule.code, message: finding.message.clone(), wrote };
    let edits = |finding: &Diagnostic| -> Vec<TextRange> {
        finding.fix.iter().flat_map(|fix| &fix.edits).map(|edit| edit.range).collect()
    };
    let wrote = outcome.applied.iter().flat_map(|finding| {
        let cause = cause(&finding, true);
        edits(&finding).into_iter().map(move |range| (range, cause.clone())).collect::<Vec<_>>()
    });
    let left = outcome.remaining.iter().map(|finding| (finding.range, cause(finding, false)));
    wrote.chain(left).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Gravity;
    use crate::analysis::ProjectFacts;
    use crate::engine::{Input, convert};
    use crate::mapping::Table;
    use crate::source::SourceFile;
    use crate::syntax::Document;
    use hipshift_core::settings::Settings;

    #[test]
    fn messages_lead_back_through_lines_that_were_put_in() {
        let text = "int a;\nvoid f() { cudaMalloc(&p, n); }\nvoid g() { cudaNever(); }\n";
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let (project, settings, table) = (ProjectFacts::default(), Settings::default(), Table::builtin().unwrap());
        let outcome = convert(Input { document: &document, project: &project, table, settings: &settings });
        let origins = Origins::default();
        origins.insert("out/a.cu".into(), document.source(), &outcome);
        let output = outcome.patch.apply(text);
        let place = |word: &str| {
            let before = &output[..output.find(word).unwrap()];
            let line = u32::try_from(before.matches('\n').count()).unwrap() + 1;
            let column = u32::try_from(before.len() - before.rfind('\n').map_or(0, |at| at + 1)).unwrap() + 1;
            Place { file: "out/a.cu".into(), line, column }
        };
        let line = place("g()").line;
        assert_eq!(origins.lead_back("out/a.cu:x"), "out/a.cu:x");
        assert_eq!(
            origins.lead_back(&format!("at out/a.cu:{line}, b.h:2, out/a.cu:{line} and out/a.cu:9999")),
            "at a.cu:3, b.h:2, a.cu:3 and out/a.cu:9999"
        );
        let explain = |place: Place, notes: Vec<Place>| {
            let message = Message { place: Some(place), notes, ..Message::new(Gravity::Error, "x") };
            let found = origins.explain(&message);
            let place = found.place.unwrap();
            (place.file.to_string(), place.line, place.column, found.rule.map(|rule| (rule.code, rule.wrote)))
        };
        assert_ne!(output.lines().count(), text.lines().count());
        let renamed = ("a.cu".to_owned(), 2, 12, Some(("A001", true)));
        assert_eq!(explain(place("hipMalloc"), Vec::new()), renamed);
        let unknown = ("a.cu".to_owned(), 3, 12, Some(("A005", false)));
        assert_eq!(explain(place("cudaNever"), Vec::new()), unknown);
        origins.insert_copy("out/b.h".into(), "b.h".into());
        assert_eq!(
            explain(Place { file: "out/b.h".into(), line: 7, column: 3 }, Vec::new()),
            ("b.h".to_owned(), 7, 3, None)
        );
        assert_eq!(origins.lead_back("at out/b.h:7"), "at b.h:7");
        let header = Place { file: "/usr/include/x.h".into(), line: 1, column: 1 };
        assert_eq!(explain(header.clone(), vec![header.clone(), place("hipMalloc")]), renamed);
        assert_eq!(explain(header, Vec::new()), ("/usr/include/x.h".to_owned(), 1, 1, None));
    }

    /// The place of `cudaNever`, as a compiler tells it of the converted file, and as it is told of the user's.
    #[track_caller]
    fn check_column(bytes: &[u8], converted: u32, expected: u32) {
        let document = Document::new(SourceFile::decode("a.cu".into(), bytes.to_vec()).unwrap());
        let (project, settings, table) = (ProjectFacts::default(), Settings::default(), Table::builtin().unwrap());
        let outcome = convert(Input { document: &document, project: &project, table, settings: &settings });
        let origins = Origins::default();
        origins.insert("out/a.cu".into(), document.source(), &outcome);
        let place = Place { file: "out/a.cu".into(), line: 2, column: converted };
        let found = origins.explain(&Message { place: Some(place), ..Message::new(Gravity::Error, "x") });
        let place = found.place.unwrap();
        assert_eq!((place.line, place.column, found.rule.map(|rule| rule.code)), (2, expected, Some("A005")));
    }

    #[test]
    fn columns_count_bytes_of_the_file() {
        check_column(b"\n/* caf\xc3\xa9 */ cudaNever(p);", 14, 14);
        check_column(b"\xef\xbb\xbf\n/* caf\xe9\xe9 */ cudaNever(p);", 14, 16);
    }
}
