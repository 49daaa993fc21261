//! A conversion as a series of patches, each of which a person can review for itself.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use super::convert::Converted;
use super::file_diff::FileDiff;
use super::mail::Mail;
use super::names::Names;
use crate::diagnostic::{Head, RuleInfo};
use crate::engine::{Outcome, rules};
use crate::source::{Edit, LineDiff, Patch, SourceText};

/// What a patch of a series is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitBy {
    /// One group of rules: headers, names, launches and so on.
    Rule,
    /// One file.
    File,
    /// The files of one directory.
    Directory,
}

/// Groups of rules by the letters of their codes, in the order of their patches: name of the patch file, subject.
const GROUPS: &[(char, &str, &str)] = &[
    ('H', "headers", "Include the headers of HIP"),
    ('A', "names", "Call the API by the names of HIP"),
    ('L', "launches", "Launch kernels as HIP does"),
    ('C', "conditions", "Follow HIP in conditional compilation"),
    ('K', "kernels", "Follow the kernel language of HIP"),
    ('W', "masks", "Fit lane masks and wave sizes to HIP"),
    ('P', "ptx", "Replace inline PTX"),
];

/// What one patch of a series is about. Sorted as the series is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// New names of files, with `SplitBy::Rule`.
    Names,
    /// An index of the groups of rules; rules of no group come last.
    Rules(usize),
    /// A file.
    File(Utf8PathBuf),
    /// The files of a directory.
    Directory(Utf8PathBuf),
}

/// What one file adds to one patch of a series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// The patch it belongs to.
    pub topic: Topic,
    /// The difference, in git's form.
    pub bytes: Vec<u8>,
    /// How many fixes of each rule it shows, by code.
    pub fixes: BTreeMap<&'static str, usize>,
}

/// What one file adds to each patch of a series, with `context` lines around each change.
pub fn shares(names: &Names, converted: Converted<'_>, split: SplitBy, context: usize) -> Vec<Share> {
    let topic = match split {
        SplitBy::Rule => return shares_by_rule(names, converted, context),
        SplitBy::File => Topic::File(names.old.clone()),
        SplitBy::Directory => Topic::Directory(names.old.parent().map(Utf8Path::to_owned).unwrap_or_default()),
    };
    let diff = FileDiff::of(names.clone(), converted);
    diff.iter().map(|diff| share(topic.clone(), diff, context, |_| true)).collect()
}

/// What a file that no source is converted to adds: where it comes first, it is needed.
pub fn share_of_generated(names: &Names, converted: Converted<'_>, split: SplitBy, context: usize) -> Option<Share> {
    let topic = match split {
        SplitBy::Rule => Topic::Rules(GROUPS.iter().position(|group| group.0 == 'H').unwrap_or_default()),
        SplitBy::File => Topic::File(names.new.clone()),
        SplitBy::Directory => Topic::Directory(names.new.parent().map(Utf8Path::to_owned).unwrap_or_default()),
    };
    let diff = FileDiff::of(names.clone(), converted)?;
    Some(share(topic, &diff, context, |_| true))
}

/// Each patch shows what the fixes of its rules add to those of the patches before it. All of them are
/// made on the original text, where fixes that nest in others have their place.
fn shares_by_rule(names: &Names, converted: Converted<'_>, context: usize) -> Vec<Share> {
    let mut shares = Vec::new();
    if names.differ() {
        let bytes = names.header(100, false).into_bytes();
        shares.push(Share { topic: Topic::Names, bytes, fixes: BTreeMap::new() });
    }
    if let Some((source, outcome)) = converted.conversion {
        let names = Names { old: names.new.clone(), new: names.new.clone() };
        shares.extend(shares_of_groups(&names, source, outcome, context));
    }
    shares
}

fn shares_of_groups(names: &Names, source: &SourceText, outcome: &Outcome, context: usize) -> Vec<Share> {
    let mut shares = Vec::new();
    let group_of_edit = groups_of_edits(outcome);
    let mut before = Patch::default();
    for group in 0..=GROUPS.len() {
        let is_own = |finding: Head| group_of(finding.rule) == group;
        if !outcome.applied.heads().any(is_own) {
            continue;
        }
        let after = outcome.patch.filtered(&|edit| group_of_edit.get(edit).is_some_and(|of| *of <= group));
        let lines = LineDiff::between(source.text(), &before, &after);
        if !lines.changes.is_empty() {
            let encoding = source.file().encoding;
            let diff = FileDiff { names: names.clone(), lines, encoding, applied: Some(&outcome.applied) };
            shares.push(share(Topic::Rules(group), &diff, context, is_own));
        }
        before = after;
    }
    shares
}

/// The first group that brings each edit: several fixes may bring the same one.
fn groups_of_edits(outcome: &Outcome) -> FxHashMap<Edit, usize> {
    let mut groups = FxHashMap::default();
    for finding in outcome.applied.iter() {
        let group = group_of(finding.rule);
        for edit in finding.fix.into_iter().flat_map(|fix| fix.edits) {
            let first = groups.entry(edit).or_insert(group);
            *first = group.min(*first);
        }
    }
    groups
}

fn group_of(rule: &RuleInfo) -> usize {
    let is_own = |group: &(char, &str, &str)| rule.code.starts_with(group.0);
    GROUPS.iter().position(is_own).unwrap_or(GROUPS.len())
}

/// A part of the output, and how many fixes are its own.
fn share(topic: Topic, diff: &FileDiff<'_>, context: usize, is_own: impl Fn(Head) -> bool) -> Share {
    let mut share = Share { topic, bytes: Vec::new(), fixes: BTreeMap::new() };
    diff.write_patch(context, &mut share.bytes);
    for finding in diff.applied.iter().flat_map(|applied| applied.heads()).filter(|finding| is_own(*finding)) {
        *share.fixes.entry(finding.rule.code).or_default() += 1;
    }
    share
}

/// One patch of a series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// What it is about.
    pub topic: Topic,
    /// How many fixes of each rule it shows, by code.
    pub fixes: BTreeMap<&'static str, usize>,
    /// How many files it changes.
    pub files: usize,
}

impl Member {
    /// The name of its file; `number` is counted from 1.
    pub fn file_name(&self, number: usize) -> String {
        format!("{number:04}-{}.patch", self.topic.slug())
    }

    /// The patch as a mail that `git am` takes.
    pub fn mail(&self, number: usize, total: usize, author: &str, patch: &[u8]) -> Vec<u8> {
        Mail { author, number: (number, total), subject: &self.topic.subject(), message: &self.message(), patch }
            .to_bytes()
    }

    fn message(&self) -> String {
        let files = if self.files == 1 { "1 file".to_owned() } else { format!("{} files", self.files) };
        if self.topic == Topic::Names {
            return format!("{files} renamed by hipshift, contents unchanged.\n");
        }
        let mut message = format!("Changes of hipshift in {files}, by rule:\n\n");
        for rule in rules() {
            if let Some(count) = self.fixes.get(rule.code) {
                // Writing to a string cannot fail.
                let _ = writeln!(message, "- {} {}: {count}", rule.code, rule.name);
            }
        }
        message.push_str("\n`hipshift explain RULE` says more about each.\n");
        message
    }
}

impl Topic {
    fn subject(&self) -> String {
        match self {
            Topic::Names => "Rename CUDA files".to_owned(),
            Topic::Rules(group) => GROUPS.get(*group).map_or("Convert the rest", |group| group.2).to_owned(),
            Topic::Directory(path) if path.as_str().is_empty() => "Convert the top directory to HIP".to_owned(),
            Topic::File(path) | Topic::Directory(path) => format!("Convert {} to HIP", one_line(path.as_str())),
        }
    }

    fn slug(&self) -> String {
        let words = match self {
            Topic::Names => "file-names",
            Topic::Rules(group) => GROUPS.get(*group).map_or("rest", |group| group.1),
            Topic::Directory(path) if path.as_str().is_empty() => "top",
            Topic::File(path) | Topic::Directory(path) => path.as_str(),
        };
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') { c } else { '-' };
        // Well below what file systems allow, with room for the number.
        words.chars().map(plain).take(200).collect()
    }
}

/// A name may hold what would end a header of a mail.
fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}
