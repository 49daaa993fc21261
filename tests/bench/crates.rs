//! Conversion beside a parse of whole files, crate by crate of the corpus, by turns in one run. Run with
//! `cargo bench --bench crates`; it fails if a crate takes more than half of its parse, or two threads gain too little.
//!
//! What is timed is all that `convert` does to a file but reading and writing it. Each figure is the least of some rounds, as
//! other work of the machine only ever adds to it.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints, and stops when what it needs is missing"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hipshift::analysis::ProjectFacts;
use hipshift::engine::{Input, convert};
use hipshift::mapping::Table;
use hipshift::settings::Settings;
use hipshift::source::SourceFile;
use hipshift::syntax::Document;
use rayon::prelude::*;

const ROUNDS: usize = 7;
/// The most of a parse's time that a conversion may take.
const MOST_OF_PARSE: f64 = 0.5;
/// How much two threads have to gain.
const LEAST_GAIN: f64 = 1.8;

fn main() -> ExitCode {
    let crates = crates();
    println!("| crate | files | KB | convert, MB/s | parse, MB/s | convert / parse |");
    println!("|---|---:|---:|---:|---:|---:|");
    let mut is_fast = true;
    for (name, files) in &crates {
        is_fast &= row(name, files) <= MOST_OF_PARSE;
    }
    let all: Vec<SourceFile> = crates.into_values().flatten().collect();
    is_fast &= row("all", &all) <= MOST_OF_PARSE;
    let gain = gain_of_two(&all);
    println!(
        "\ntwo threads are {gain:.2} times as fast as one (at least {LEAST_GAIN}); \
              convert / parse is to be at most {MOST_OF_PARSE}"
    );
    if is_fast && gain >= LEAST_GAIN { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The CUDA files of each crate, in memory.
fn crates() -> BTreeMap<String, Vec<SourceFile>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/corpus");
    assert!(corpus.is_dir(), "fetch the corpus first: cargo run -p xtask -- corpus fetch");
    let mut crates: BTreeMap<String, Vec<SourceFile>> = BTreeMap::new();
    for file in walkdir::WalkDir::new(&corpus).sort_by_file_name().into_iter().flatten() {
        let path = file.path();
        if !path.extension().is_some_and(|extension| extension == "cu" || extension == "cuh") {
            continue;
        }
        let first = path.strip_prefix(&corpus).ok().and_then(|path| path.components().next());
        let name = first.map(|part| part.as_os_str().to_string_lossy().into_owned()).unwrap_or_default();
        let bytes = std::fs::read(path).expect("the corpus can be read");
        let path = camino::Utf8Path::from_path(path).expect("names of the corpus are UTF-8");
        crates.entry(name).or_default().extend(SourceFile::decode(path, bytes).ok());
    }
    crates
}

/// Prints the row of a table; returns the part of the parse's time that conversion took.
fn row(name: &str, files: &[SourceFile]) -> f64 {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_cpp::LANGUAGE.into()).expect("the grammar loads");
    let (mut converting, mut parsing) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        converting = converting.min(timed(|| files.iter().for_each(convert_one)));
        parsing = parsing.min(timed(|| {
            for file in files {
                std::hint::black_box(parser.parse(&file.text, None));
            }
        }));
    }
    let bytes: usize = files.iter().map(|file| file.text.len()).sum();
    let rate = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
    let part = converting.as_secs_f64() / parsing.as_secs_f64();
    let (count, size) = (files.len(), bytes / 1000);
    println!("| {name} | {count} | {size} | {:.1} | {:.1} | {part:.2} |", rate(converting), rate(parsing));
    part
}

/// How many times as fast two threads are as one.
fn gain_of_two(files: &[SourceFile]) -> f64 {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
    let (one, two) = (pool(1), pool(2));
    let run = || files.par_iter().with_max_len(4).for_each(convert_one);
    let (mut alone, mut together) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        alone = alone.min(timed(|| one.install(run)));
        together = together.min(timed(|| two.install(run)));
    }
    alone.as_secs_f64() / together.as_secs_f64()
}

fn convert_one(file: &SourceFile) {
    let document = Document::new(file.clone());
    let (project, settings) = (ProjectFacts::default(), Settings::default());
    let table = Table::builtin().expect("the built-in tables read");
    let input = Input { document: &document, project: &project, table, settings: &settings };
    std::hint::black_box(convert(input).patch.apply(document.text()));
}

fn timed(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}
