//! A judge of names that shares no code with the converter: generated programs whose right answer is known by
//! construction, and real sources read by a lexer of its own.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test that cannot go on fails")]

mod corpus;
mod known;
mod lexer;
mod names;
mod programs;
mod run;
mod shrink;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use known::{KNOWN, SPOILERS};
use programs::{Generator, Program};
use run::Judged;
use shrink::{Failed, Shrunk};

const PROGRAMS_OF_A_RUN: usize = 100;

fn number(variable: &str, otherwise: u64) -> u64 {
    env::var(variable).ok().map_or(otherwise, |text| text.parse().unwrap())
}

/// A folder for one test, empty.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("names_judge-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// What went wrong, by kind of snippet, and how often each kind was tried.
#[derive(Default)]
struct Tally {
    runs: Vec<Vec<Program>>,
    tried: BTreeMap<String, usize>,
    failures: BTreeMap<String, Vec<Failed>>,
    told: BTreeMap<String, usize>,
    noise: BTreeMap<String, (usize, String)>,
}

impl Tally {
    fn add(&mut self, programs: Vec<Program>, judged: Vec<Judged>) {
        for one in judged {
            let kind = programs[one.program].snippets[one.snippet].kind.clone();
            *self.tried.entry(kind.clone()).or_default() += 1;
            if one.told > 0 {
                *self.told.entry(kind.clone()).or_default() += one.told;
            }
            if let Some(message) = one.noise {
                self.noise.entry(kind.clone()).or_insert((0, message)).0 += 1;
            }
            if let Some(failure) = one.failure {
                let failed = Failed { run: self.runs.len(), item: (one.program, one.snippet), failure };
                self.failures.entry(kind).or_default().push(failed);
            }
        }
        self.runs.push(programs);
    }
}

fn is_known(kind: &str) -> bool {
    KNOWN.iter().any(|(known, _)| *known == kind)
}

fn spoils(kind: &str) -> bool {
    SPOILERS.iter().any(|(known, _)| *known == kind)
}

/// Complaints about what was found, against what is known.
fn complaints(tally: &Tally, found: &Shrunk) -> String {
    let mut text = String::new();
    for (kind, failure) in found.alone.iter().filter(|(kind, _)| !is_known(kind)) {
        let (failed, tried) = (tally.failures[kind].len(), tally.tried[kind]);
        let _ = writeln!(text, "== {kind}: {failed} of {tried} wrong\n{failure}\n");
    }
    for (kinds, failure) in
        found.mixed.iter().filter(|(kinds, _)| !kinds.iter().any(|kind| is_known(kind) || spoils(kind)))
    {
        let _ = writeln!(text, "== {}: wrong together\n{failure}\n", kinds.join(" + "));
    }
    let right = |kind: &str| tally.tried.contains_key(kind) && !found.alone.contains_key(kind);
    for (kind, _) in KNOWN.iter().filter(|(kind, _)| right(kind)) {
        let _ = writeln!(text, "== {kind}: right now; take it out of the known ones\n");
    }
    text
}

/// For people: what was only told, and what was told of lines that hold nothing of CUDA's.
fn print_soft(tally: &Tally) {
    for (kind, count) in &tally.told {
        eprintln!("only told: {kind}: {count} names");
    }
    for (kind, (count, message)) in &tally.noise {
        eprintln!("needless: {kind}: {count} times: {message}");
    }
}

#[test]
fn generated_names_become_what_their_scopes_say() {
    let seed = number("HIPSHIFT_SEED", 17);
    let count = usize::try_from(number("HIPSHIFT_JUDGE", 2000)).unwrap();
    let folder = scratch("programs");
    let begun = Instant::now();
    let mut generator = Generator::new(seed);
    let mut tally = Tally::default();
    for first in (0..count).step_by(PROGRAMS_OF_A_RUN) {
        let programs = generator.programs(first, PROGRAMS_OF_A_RUN.min(count - first));
        let judged = run::judge(&programs, &folder.join("run"));
        tally.add(programs, judged);
    }
    let time = begun.elapsed();
    let found = shrink::shrink(&tally, &folder.join("one"));
    if env::var_os("HIPSHIFT_JUDGE_SHOW").is_some() {
        print_soft(&tally);
    }
    let text = complaints(&tally, &found);
    let kinds: BTreeSet<&str> = tally.tried.keys().map(String::as_str).collect();
    let summary = format!("{count} programs in {time:.0?}, {} kinds, {} kinds wrong", kinds.len(), found.alone.len());
    eprintln!("{summary}, seed {seed}");
    let _ = fs::remove_dir_all(folder);
    assert!(text.is_empty(), "{summary}, seed {seed} (HIPSHIFT_SEED={seed})\n{text}");
}

#[test]
fn every_known_kind_is_generated() {
    let kinds = programs::kinds();
    for (known, reason) in KNOWN.iter().chain(SPOILERS) {
        assert!(kinds.iter().any(|kind| kind.name == *known), "no kind is called `{known}` ({reason})");
    }
}

/// The folder of real sources, if it was fetched.
fn corpus_folder() -> Option<PathBuf> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/corpus");
    if !sources.is_dir() {
        assert!(env::var_os("HIPSHIFT_REQUIRE_CORPUS").is_none(), "the corpus is missing");
        eprintln!("the corpus is missing; this test did nothing");
        return None;
    }
    Some(fs::canonicalize(sources).unwrap())
}

#[test]
fn no_name_of_cuda_stays_in_real_sources_without_a_word() {
    let Some(sources) = corpus_folder() else { return };
    let folder = scratch("corpus");
    let left = corpus::silent(&sources, &folder);
    let _ = fs::remove_dir_all(folder);
    assert!(left.is_empty(), "{} names of CUDA left without a word:\n{}", left.len(), left.join("\n"));
}

#[test]
fn a_second_run_changes_nothing_in_real_sources() {
    let Some(sources) = corpus_folder() else { return };
    let folder = scratch("corpus-twice");
    let changed = corpus::changed_again(&sources, &folder);
    let _ = fs::remove_dir_all(folder);
    assert!(changed.is_empty(), "{} files change again:\n{}", changed.len(), changed.join("\n"));
}
