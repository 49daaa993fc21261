//! In-process timings over the corpus: conversion and linting beside whole-file parsing, lexing, and the
//! skipping of files without CUDA. Run with `cargo bench --bench convert`.
//!
//! Without the corpus (`cargo run -p xtask -- corpus fetch`) the fixtures are used.

#![expect(clippy::expect_used, reason = "a benchmark stops when what it needs is missing")]

use std::path::{Path, PathBuf};

use divan::Bencher;
use divan::counter::BytesCount;
use hipshift::analysis::ProjectFacts;
use hipshift::engine::{Input, convert, may_hold_cuda};
use hipshift::mapping::Table;
use hipshift::project::{LintRun, lint_text};
use hipshift::settings::Settings;
use hipshift::source::SourceFile;
use hipshift::syntax::{Document, lex};

fn main() {
    divan::main();
}

/// All CUDA files of the corpus, in memory.
fn corpus() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = root.join("target/corpus");
    let folder = if corpus.is_dir() { corpus } else { root.join("fixtures") };
    let is_cuda = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "cu" || extension == "cuh");
    let files = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().flatten();
    let paths = files.map(walkdir::DirEntry::into_path).filter(is_cuda);
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).ok()?;
        SourceFile::decode(camino::Utf8Path::from_path(&path)?, bytes).ok()
    };
    paths.filter_map(read).collect()
}

fn bytes(files: &[SourceFile]) -> BytesCount {
    BytesCount::new(files.iter().map(|file| file.text.len()).sum::<usize>())
}

fn table() -> &'static Table {
    Table::builtin().expect("the built-in tables read")
}

/// Everything that `convert` does to a file but reading and writing it.
#[divan::bench(sample_count = 10)]
fn convert_corpus(bencher: Bencher<'_, '_>) {
    let files = corpus();
    let (settings, project) = (Settings::default(), ProjectFacts::default());
    bencher.counter(bytes(&files)).bench(|| {
        for file in &files {
            let document = Document::new(file.clone());
            let input = Input { document: &document, project: &project, table: table(), settings: &settings };
            divan::black_box(convert(input).patch.apply(document.text()));
        }
    });
}

/// Everything that `lint` does to a file but reading it: findings, their lines, and what their fixes would make.
#[divan::bench(sample_count = 10)]
fn lint_corpus(bencher: Bencher<'_, '_>) {
    let files = corpus();
    let settings = Settings::default();
    let run = LintRun {
        table: table(),
        settings: &settings,
        baseline: None,
        decisions: None,
        changes: None,
        fix: false,
        root: None,
        share: None,
        helpers: None,
    };
    bencher.counter(bytes(&files)).bench(|| {
        for file in &files {
            divan::black_box(lint_text(file.clone(), run));
        }
    });
}

/// What a tool that parses whole files pays before it has done anything.
#[divan::bench(sample_count = 10)]
fn parse_corpus_whole(bencher: Bencher<'_, '_>) {
    let files = corpus();
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_cpp::LANGUAGE.into()).expect("the grammar loads");
    bencher.counter(bytes(&files)).bench_local(|| {
        for file in &files {
            divan::black_box(parser.parse(&file.text, None));
        }
    });
}

#[divan::bench(sample_count = 10)]
fn lex_corpus(bencher: Bencher<'_, '_>) {
    let files = corpus();
    bencher.counter(bytes(&files)).bench(|| {
        for file in &files {
            divan::black_box(lex(&file.text));
        }
    });
}

/// C++ text without CUDA, as the prefilter sees it.
#[divan::bench(sample_count = 10)]
fn skip_text_without_cuda(bencher: Bencher<'_, '_>) {
    let mut text = String::new();
    for line in 0..100_000 {
        text.push_str("    const auto current = document.find_convex_hull(points, ");
        text.push_str(&line.to_string());
        text.push_str("); // no environment needed\n");
    }
    assert!(!may_hold_cuda(text.as_bytes(), table()));
    bencher.counter(BytesCount::new(text.len())).bench(|| may_hold_cuda(divan::black_box(text.as_bytes()), table()));
}
