//! The converted form of a document beside it: as text that is never written, and as the file that a conversion wrote.

use camino::{Utf8Path, Utf8PathBuf};
use lsp_types::{Location, Position, Range};
use serde_json::{Value, json};

use super::checks::Analysis;
use super::convert::{convert, converted_path};
use super::locks::{lock, read};
use super::positions::{Encoding, LinedText};
use super::shared::Shared;
use super::uris::uri_of;
use crate::project::{Home, MANIFEST, Manifest, read as read_file, resolved};
use crate::settings::ExtensionStyle;
use crate::source::{SourceFile, TextSize};
use crate::syntax::Document;

/// What the client is told that the converted form of a document is not what it was.
pub(super) const CHANGED: &str = "hipshift/convertedChanged";

impl Shared {
    /// `hipshift/openConverted`
    pub(super) fn open_converted(&self, analysis: &Analysis) -> Value {
        let buffer = &analysis.buffer;
        lock(&self.previewed).insert(buffer.key());
        let outcome = convert(&analysis.document, &analysis.project, &analysis.view);
        let rendered = outcome.patch.render(buffer.text.text());
        let encoding = self.client.encoding;
        let kept: Vec<_> = rendered.kept().collect();
        let converted = LinedText::new(rendered.text);
        let map = kept.into_iter().map(|(source, target)| {
            json!({ "source": buffer.text.range(source, encoding), "converted": converted.range(target, encoding) })
        });
        let map: Vec<Value> = map.collect();
        let renamed = |path: &Utf8PathBuf| uri_of(&converted_path(path, analysis.project.settings.extension));
        let uri = buffer.path.as_ref().and_then(renamed).unwrap_or_else(|| buffer.uri.clone());
        json!({ "uri": uri, "languageId": "hip", "text": converted.text(), "map": map })
    }

    /// `hipshift/counterpart`
    pub(super) fn counterpart(&self, path: &Utf8Path, position: Position) -> Option<Location> {
        let (other, is_result) = counterpart_of(path, &read(&self.folders))?;
        let encoding = self.client.encoding;
        let (source, target) = if is_result { (path, other.as_path()) } else { (other.as_path(), path) };
        let (from, to) = (self.text_of(source)?, self.text_of(target)?);
        let project = self.project(source);
        let document = Document::new(SourceFile::from_text(project.shown(source), from.text()));
        let rendered = convert(&document, &project, &project.view()).patch.render(from.text());
        let converted = LinedText::new(rendered.text.clone());
        let start = if is_result {
            let at = rendered.to_output_nearest(offset(&from, position, encoding));
            on_line(&converted, usize::from(at), &to, encoding)
        } else {
            // What was edited since is found by its line.
            let line = same_line(&to, position.line, &converted);
            let at = converted.offset(Position { line, ..position }, encoding);
            from.position(usize::from(rendered.to_original(TextSize::new(u32::try_from(at).unwrap_or(0)))), encoding)
        };
        Some(Location { uri: uri_of(&other)?, range: Range { start, end: start } })
    }

    /// The text of a file as it is in the editor, else on disk.
    fn text_of(&self, path: &Utf8Path) -> Option<LinedText> {
        if let Some(buffer) = self.buffer(path.as_str()) {
            return Some(buffer.text.as_ref().clone());
        }
        Some(LinedText::new(SourceFile::decode(path, read_file(path).ok()?).ok()?.text))
    }
}

fn offset(text: &LinedText, position: Position, encoding: Encoding) -> TextSize {
    TextSize::new(u32::try_from(text.offset(position, encoding)).unwrap_or(u32::MAX))
}

/// The position in `file` that byte `at` of `converted` has, of which `file` is an edited form.
fn on_line(converted: &LinedText, at: usize, file: &LinedText, encoding: Encoding) -> Position {
    let position = converted.position(at, encoding);
    let line = same_line(converted, position.line, file);
    file.position(file.offset(Position { line, ..position }, encoding), encoding)
}

/// The line of `other` that reads as line `line` of `text` and is nearest to it; the same number if there is none.
fn same_line(text: &LinedText, line: u32, other: &LinedText) -> u32 {
    let Some(wanted) = text.text().lines().nth(line as usize).map(str::trim).filter(|wanted| !wanted.is_empty()) else {
        return line;
    };
    let equal = (0_u32..).zip(other.text().lines()).filter(|(_, found)| found.trim() == wanted);
    equal.map(|(number, _)| number).min_by_key(|number| number.abs_diff(line)).unwrap_or(line)
}

/// The file that was made from `path`, or that `path` was made from, and whether it is the former.
fn counterpart_of(path: &Utf8Path, folders: &[Utf8PathBuf]) -> Option<(Utf8PathBuf, bool)> {
    let path = resolved(path).ok()?;
    let noted = homes(&path, folders).into_iter().find_map(|home| noted(&home, &path));
    noted.or_else(|| beside(&path))
}

/// Where a manifest may note a file: above it, or beside a directory above it, as results go beside their sources. Nobody
/// looks above the open folder.
fn homes(path: &Utf8Path, folders: &[Utf8PathBuf]) -> Vec<Home> {
    let mut homes: Vec<Home> = Home::keeping(path, MANIFEST).ok().flatten().into_iter().collect();
    let is_open = |directory: &&Utf8Path| {
        let is_in = |folder: &Utf8PathBuf| resolved(folder).is_ok_and(|folder| directory.starts_with(folder));
        folders.iter().any(is_in)
    };
    for directory in path.ancestors().skip(1).take_while(is_open) {
        let beside = directory.read_dir_utf8().into_iter().flatten().flatten();
        let found =
            beside.filter_map(|entry| Home::at(entry.path()).ok()).filter(|home| home.state(MANIFEST).is_file());
        homes.extend(found);
    }
    homes
}

/// As a manifest notes it.
fn noted(home: &Home, path: &Utf8Path) -> Option<(Utf8PathBuf, bool)> {
    let manifest = Manifest::read(home).ok()??;
    // Paths are noted from the home on, and may lead out of it.
    let whole = |path: &Utf8Path| resolved(&home.root().join(path)).ok();
    let roots: Vec<Option<Utf8PathBuf>> = manifest.roots.iter().map(|root| whole(&root.input)).collect();
    let pairs = manifest.files.iter().filter_map(|(result, base)| {
        let root = roots.get(base.root)?.as_ref()?;
        // The input of a single file is the file itself.
        let input = if base.input.as_str().is_empty() { root.clone() } else { root.join(&base.input) };
        Some((input, home.root().join(result)))
    });
    let pairs = pairs.filter(|(input, result)| input != result);
    let found = pairs.filter_map(|(input, result)| match () {
        () if input == path => Some((result, true)),
        () if result == path => Some((input, false)),
        () => None,
    });
    found.into_iter().find(|(other, _)| other.is_file())
}

/// Under another name in the same directory.
fn beside(path: &Utf8Path) -> Option<(Utf8PathBuf, bool)> {
    const STYLES: [ExtensionStyle; 2] = [ExtensionStyle::Hip, ExtensionStyle::HipCpp];
    let name = path.file_name()?;
    let results = STYLES.iter().filter_map(|style| style.rename(name)).map(|new| (path.with_file_name(new), true));
    let stem = name.split('.').next()?;
    let sources = ["cu", "cuh"].map(|extension| format!("{stem}.{extension}"));
    let is_from = |source: &String| STYLES.iter().any(|style| style.rename(source).as_deref() == Some(name));
    let sources = sources.into_iter().filter(is_from).map(|source| (path.with_file_name(source), false));
    results.chain(sources).find(|(other, _)| other.is_file())
}
