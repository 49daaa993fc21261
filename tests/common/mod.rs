//! What the tests share: finding files, and converting one.

#![allow(dead_code, reason = "each test crate uses a part")]

pub(crate) mod folder;
pub(crate) mod history;
#[cfg(unix)]
pub(crate) mod terminal;
pub(crate) mod tree;

use std::fs;
use std::path::{Path, PathBuf};

use camino::Utf8PathBuf;
use hipshift::analysis::ProjectFacts;
use hipshift::diagnostic::{Applicability, Diagnostic};
use hipshift::engine::{Input, Outcome};
use hipshift::mapping::Table;
use hipshift::settings::Settings;
use hipshift::source::SourceFile;
use hipshift::syntax::Document;

/// The folder that holds `Cargo.toml`.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below `folder` (relative to the root) with one of `extensions`, sorted.
pub(crate) fn files_below(folder: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    // A folder of `target/` may be a link to one that several checkouts share.
    let Ok(start) = fs::canonicalize(root().join(folder)) else { return found };
    collect(&start, extensions, &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let is_link = fs::symlink_metadata(&path).unwrap().is_symlink();
        if is_link {
            continue;
        }
        if path.is_dir() {
            collect(&path, extensions, found);
        } else if path.extension().is_some_and(|e| extensions.iter().any(|wanted| e == *wanted)) {
            found.push(path);
        }
    }
}

/// The CUDA files of the corpus, or `None` with a note where it was not fetched.
pub(crate) fn corpus() -> Option<Vec<PathBuf>> {
    let files = files_below("target/corpus", &["cu", "cuh"]);
    if !files.is_empty() {
        return Some(files);
    }
    let how = "target/corpus is missing; fetch it with `cargo run -p xtask -- corpus fetch`";
    assert!(std::env::var_os("HIPSHIFT_REQUIRE_CORPUS").is_none(), "{how}");
    eprintln!("not tested: {how}");
    None
}

/// A path as messages show it.
pub(crate) fn shown(path: &Path) -> String {
    let corpus = fs::canonicalize(root().join("target/corpus")).unwrap_or_else(|_| root().join("target/corpus"));
    let inside = path.strip_prefix(root()).or_else(|_| path.strip_prefix(&corpus)).unwrap_or(path);
    inside.display().to_string()
}

/// Reads a file as the command does.
#[track_caller]
pub(crate) fn read(path: &Path) -> Document {
    decode(path, fs::read(path).unwrap())
}

/// A document from bytes.
#[track_caller]
pub(crate) fn decode(path: &Path, bytes: Vec<u8>) -> Document {
    let path = Utf8PathBuf::from_path_buf(path.to_owned()).unwrap();
    Document::new(SourceFile::decode(&path, bytes).unwrap())
}

/// A document from text.
pub(crate) fn document(text: &str) -> Document {
    Document::new(SourceFile::from_text("a.cu", text))
}

/// The built-in tables.
pub(crate) fn table() -> &'static Table {
    Table::builtin().unwrap()
}

/// Default settings that apply fixes from `applicability` on.
pub(crate) fn settings(applicability: Applicability) -> Settings {
    Settings { applicability, ..Settings::default() }
}

/// Converts a document that stands alone.
pub(crate) fn convert(document: &Document, settings: &Settings) -> Outcome {
    let project = ProjectFacts::default();
    hipshift::engine::convert(Input { document, project: &project, table: table(), settings })
}

/// The text after conversion with default settings.
pub(crate) fn converted(text: &str) -> String {
    let document = document(text);
    convert(&document, &Settings::default()).patch.apply(document.text())
}

/// All findings of an outcome, sorted by place.
pub(crate) fn findings(outcome: &Outcome) -> Vec<Diagnostic> {
    let mut all: Vec<_> = outcome.applied.iter().chain(outcome.remaining.iter().cloned()).collect();
    all.sort_by_key(|finding| (finding.range.start(), finding.range.end(), finding.rule.code));
    all
}

/// A program below `target/tools`, or `None` with a note where it was not fetched.
pub(crate) fn tool(path: &str) -> Option<PathBuf> {
    let program = root().join("target/tools").join(path);
    if program.is_file() {
        return Some(program);
    }
    let how = format!("target/tools/{path} is missing; fetch it with `cargo run -p xtask -- tools`");
    assert!(std::env::var_os("HIPSHIFT_REQUIRE_TOOLS").is_none(), "{how}");
    eprintln!("not tested: {how}");
    None
}
