//! Generated histories: sources are converted, results edited by hand, sources changed, and then updated.
//! Nothing is lost, and each file is what `git merge-file` makes of the same three texts.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::common::folder::{Folder, hipshift};
use crate::common::history::{History, git_merge};
use crate::common::tree::tree;
use hipshift::source::{MergeLabels, merge};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{RngSeed, TestRunner};

/// A change of one line: what, and where.
#[derive(Debug, Clone)]
enum Change {
    Replace(usize),
    Insert(usize),
    Delete(usize),
}

/// What happens to a source as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stays,
    Renamed,
    Moved,
    Removed,
}

/// A text and two that come from it, all of them of a few words, so that there are many ways to compare them.
fn texts() -> impl Strategy<Value = [String; 3]> {
    let edits = || prop::collection::vec((0..3_usize, 0..30_usize, 0..4_usize), 0..5);
    (prop::collection::vec(0..4_usize, 0..20), edits(), edits()).prop_map(|(base, ours, theirs)| {
        let edited = |edits: &[(usize, usize, usize)]| {
            let mut words = base.clone();
            for &(kind, at, word) in edits {
                let at = at % (words.len() + 1);
                match kind {
                    0 => words.insert(at, word),
                    _ if at == words.len() => {}
                    1 => words[at] = word,
                    _ => drop(words.remove(at)),
                }
            }
            words
        };
        let text = |words: &[usize]| words.iter().flat_map(|word| [word.to_string(), "\n".to_owned()]).collect();
        [text(&base), text(&edited(&ours)), text(&edited(&theirs))]
    })
}

/// One file over time.
#[derive(Debug, Clone)]
struct File {
    /// Kinds of its lines at the start.
    lines: Vec<usize>,
    dos: bool,
    ends_with_line_end: bool,
    by_hand: Vec<Change>,
    upstream: Vec<Change>,
    fate: Fate,
}

/// Lines that are the same in many places, so that there is more than one way to compare.
const COMMON: &[&str] = &["}", "", "    cudaDeviceSynchronize();", "    return;"];

fn change() -> impl Strategy<Value = Change> {
    (0..3_usize, 0..40_usize).prop_map(|(kind, at)| match kind {
        0 => Change::Replace(at),
        1 => Change::Insert(at),
        _ => Change::Delete(at),
    })
}

fn file() -> impl Strategy<Value = File> {
    let fate =
        prop_oneof![6 => Just(Fate::Stays), 1 => Just(Fate::Renamed), 1 => Just(Fate::Moved), 1 => Just(Fate::Removed)];
    let changes = || prop::collection::vec(change(), 0..5);
    let lines = prop::collection::vec(0..COMMON.len() * 2, 4..24);
    (lines, any::<bool>(), any::<bool>(), changes(), changes(), fate).prop_map(
        |(lines, dos, ends_with_line_end, by_hand, upstream, fate)| File {
            lines,
            dos,
            ends_with_line_end,
            by_hand,
            upstream,
            fate,
        },
    )
}

impl File {
    fn first_text(&self, number: usize) -> String {
        let line = |(at, kind): (usize, &usize)| match COMMON.get(*kind) {
            Some(common) => (*common).to_owned(),
            None => format!("    cudaFree(p{number}_{at});"),
        };
        let mut lines = vec!["#include <cuda_runtime.h>".to_owned()];
        lines.extend(self.lines.iter().enumerate().map(line));
        let end = if self.dos { "\r\n" } else { "\n" };
        lines.join(end) + if self.ends_with_line_end { end } else { "" }
    }

    fn new_path(&self, number: usize) -> Option<String> {
        match self.fate {
            Fate::Stays => Some(format!("f{number}.cu")),
            Fate::Renamed => Some(format!("renamed{number}.cu")),
            Fate::Moved => Some(format!("sub/f{number}.cu")),
            Fate::Removed => None,
        }
    }
}

/// `text` with changes; `fresh` makes the text of a line that nobody else has.
fn changed(text: &str, changes: &[Change], fresh: impl Fn(usize) -> String) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for (number, change) in changes.iter().enumerate() {
        // The first line stays: the header is the tool's business.
        let place = |at: usize, all: usize| 1 + at % (all - 1).max(1);
        match *change {
            Change::Replace(at) if lines.len() > 1 => {
                let at = place(at, lines.len());
                let own_end = if lines[at].ends_with('\n') { end } else { "" };
                lines[at] = fresh(number) + own_end;
            }
            Change::Delete(at) if lines.len() > 2 => drop(lines.remove(place(at, lines.len()))),
            Change::Insert(at) if lines.len() > 1 => lines.insert(place(at, lines.len()), fresh(number) + end),
            _ => {}
        }
    }
    lines.concat()
}

/// The texts of all results together.
fn all_text(folder: &Folder) -> String {
    folder.names("hip").iter().map(|name| folder.read(&format!("hip/{name}")) + "\n").collect()
}

/// Lines that only this side wrote.
fn tagged<'t>(text: &'t str, tag: &'t str) -> impl Iterator<Item = &'t str> {
    text.lines().filter(move |line| line.contains(tag))
}

#[track_caller]
fn replay(files: &[File]) {
    let first: Vec<(String, String)> =
        files.iter().enumerate().map(|(number, file)| (format!("f{number}.cu"), file.first_text(number))).collect();
    let named: Vec<(&str, &str)> = first.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let history = History::new(&named, &[]);
    let folder = &history.folder;
    let bases: Vec<String> = (0..files.len()).map(|number| folder.read(&format!("hip/f{number}.cu"))).collect();
    let mut ours = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let edited = changed(&bases[number], &file.by_hand, |change| format!("    int by_hand_{number}_{change};"));
        folder.write(&format!("hip/f{number}.cu"), edited.as_bytes());
        ours.push(edited);
        let upstream =
            changed(&first[number].1, &file.upstream, |change| format!("    cudaFree(new_{number}_{change});"));
        std::fs::remove_file(folder.path(&format!("cuda/f{number}.cu"))).unwrap();
        if let Some(path) = file.new_path(number) {
            folder.write(&format!("cuda/{path}"), upstream.as_bytes());
        }
    }
    folder.write("cuda/keep.cu", b"int keep;\n");
    history.convert("theirs", &["--no-manifest"]);
    let before = tree(&folder.path("hip"));

    let output = hipshift(folder, &["update", "-o", "hip", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let open = json["open"].as_u64().unwrap();
    let conflicts = json["conflicts"].as_u64().unwrap();
    assert_eq!(output.status.code(), Some(i32::from(conflicts + open > 0)), "{output:?}");
    let told: BTreeMap<&str, &serde_json::Value> =
        json["files"].as_array().unwrap().iter().map(|file| (file["path"].as_str().unwrap(), file)).collect();
    check_listed_conflicts(folder, &told);

    let all = all_text(folder);
    for line in ours.iter().flat_map(|text| tagged(text, "by_hand_")) {
        assert!(all.lines().any(|found| found == line), "{line} is lost in {all}");
    }
    for (number, file) in files.iter().enumerate() {
        let Some(path) = file.new_path(number) else { continue };
        let theirs = folder.read(&format!("theirs/{path}"));
        for line in tagged(&theirs, "new_") {
            assert!(all.lines().any(|found| found == line), "{line} is lost in {all}");
        }
        let is_one_history =
            file.fate == Fate::Stays || told[format!("hip/{path}").as_str()]["was"] == format!("hip/f{number}.cu");
        let found = folder.read(&format!("hip/{path}"));
        if is_one_history {
            let expected = git_merge(&path, [&ours[number], &bases[number], &theirs]);
            assert_eq!(found, expected.text);
            let lines = told[format!("hip/{path}").as_str()]["lines"].as_array().map_or(0, Vec::len);
            assert_eq!(lines, expected.conflicts);
        } else if told[format!("hip/{path}").as_str()]["was"].is_null() {
            assert_eq!(found, theirs);
        }
    }
    let after = tree(&folder.path("hip"));
    let undone = hipshift(folder, &["undo", "hip"]);
    assert_eq!(undone.status.code(), Some(0), "{undone:?}");
    assert_eq!(tree(&folder.path("hip")), before);
    hipshift(folder, &["update", "-o", "hip"]);
    assert_eq!(tree(&folder.path("hip")), after);
}

/// Every conflict that is listed is there, and every one that is there is listed.
#[track_caller]
fn check_listed_conflicts(folder: &Folder, told: &BTreeMap<&str, &serde_json::Value>) {
    for name in folder.names("hip") {
        let path = format!("hip/{name}");
        let text = folder.read(&path);
        let marked: Vec<usize> =
            text.lines().zip(1..).filter(|(line, _)| line.starts_with("<<<<<<< ")).map(|(_, number)| number).collect();
        let listed = told.get(path.as_str()).and_then(|file| file["lines"].as_array());
        let listed: Vec<usize> =
            listed.into_iter().flatten().map(|line| usize::try_from(line.as_u64().unwrap()).unwrap()).collect();
        assert_eq!(marked, listed, "{path}: {text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_and_files_are_merged_as_git_does(files in prop::collection::vec(file(), 1..5)) {
        replay(&files);
    }
}

/// Where lines repeat this much there are many ways to compare, and git's own choice is one of them.
#[test]
fn texts_of_few_words_are_mostly_merged_as_git_does() {
    let config = ProptestConfig { rng_seed: RngSeed::Fixed(5), ..ProptestConfig::default() };
    let mut runner = TestRunner::new(config);
    let (mut same, mut fewer, mut more) = (0, 0, 0);
    for _ in 0..400 {
        let [base, ours, theirs] = texts().new_tree(&mut runner).unwrap().current();
        let labels =
            MergeLabels { ours: "t as edited here", base: "t as converted last time", theirs: "t as converted now" };
        let merged = merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes(), labels);
        let expected = git_merge("t", [&ours, &base, &theirs]);
        match merged.conflicts.len().cmp(&expected.conflicts) {
            Ordering::Less => fewer += 1,
            Ordering::Greater => more += 1,
            Ordering::Equal if merged.bytes == expected.text.as_bytes() => same += 1,
            Ordering::Equal => {}
        }
    }
    // Measured: 384 the same, 1 with fewer, 3 with more; the rest has as many at another of the possible places.
    assert!(same >= 380 && more <= 4, "{same} the same, {fewer} with fewer conflicts, {more} with more");
}
