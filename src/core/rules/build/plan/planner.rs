//! Collects the changes of a build file.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;

use super::change::{Change, Topic};
use super::changes::Changes;
use super::touched::Touched;
use super::variable_use::Use;
use crate::analysis::BuildFacts;
use crate::build::BuildFile;
use crate::mapping::{AS_NVCC, Table};
use crate::settings::{ExtensionStyle, Settings};
use crate::source::{Edit, Newline, Piece, SourceFile, TextRange, TextSize, range};

/// What is known of a file of CMake's once somebody asked, as many commands do.
#[derive(Default)]
pub(super) struct Known {
    /// Whether the file makes CMake compile HIP already.
    pub(super) enables_hip: OnceCell<bool>,
    /// The sources and lists of them whose language the file tells already.
    pub(super) told_sources: OnceCell<BTreeSet<String>>,
    /// The lists that targets may be made of.
    pub(super) target_lists: OnceCell<BTreeSet<String>>,
    /// The folders in which the sources of lists have to be known that the file hands on.
    pub(super) handed_on: OnceCell<BTreeMap<String, &'static str>>,
    /// The lists with sources from other files whose language nothing tells here, and those with the sources of this file as well.
    pub(super) untold_lists: [OnceCell<BTreeSet<String>>; 2],
    /// What is put behind the names of lists that bring sources from another folder, for those that were asked for.
    pub(super) asked_lists: RefCell<BTreeMap<(String, bool), Option<&'static str>>>,
    /// Where `PARENT_SCOPE` means no other folder: the bodies of functions, and all of the file of a project.
    pub(super) own_scopes: OnceCell<Vec<TextRange>>,
    /// Whether FindCUDA hands flags for C++ to nvcc.
    pub(super) hands_flags_on: OnceCell<bool>,
    /// The targets whose device code is compiled apart.
    pub(super) linked_apart: OnceCell<BTreeSet<String>>,
    /// The variables that are linked, and used for nothing else.
    pub(super) linked_lists: OnceCell<BTreeSet<String>>,
    /// Whether the file says itself how device code is optimised.
    pub(super) says_level: OnceCell<bool>,
    /// Whether the file compiles CUDA by FindCUDA.
    pub(super) finds_cuda: OnceCell<bool>,
    /// Where branches begin that stand behind one which each build for HIP takes.
    pub(super) behind_nvidia: OnceCell<BTreeSet<TextSize>>,
    /// The variables that hold CUDA's ending of sources, and whether they hold nothing else.
    pub(super) endings: OnceCell<BTreeMap<String, bool>>,
    /// The variables whose options nothing but CUDA's compiler gets.
    pub(super) nvcc_lists: OnceCell<BTreeSet<String>>,
    /// How the variables are read.
    pub(super) uses: OnceCell<BTreeMap<String, Use>>,
    /// The variables of a makefile with options that let a compiler compute other floating-point numbers.
    pub(super) float_variables: OnceCell<BTreeSet<String>>,
    /// The variables of a makefile or script that CMake would read from the environment, and that are the file's own.
    pub(super) own_environment: OnceCell<BTreeSet<String>>,
    /// Where the quotes of a script stand.
    pub(super) quotes: OnceCell<Vec<TextSize>>,
    /// Where names stand that hold GPUs and are compared.
    pub(super) gpu_comparisons: OnceCell<BTreeSet<TextSize>>,
}

/// The changes of a build file while they are collected.
pub(super) struct Plan<'p> {
    /// Where the file lies.
    pub(super) path: &'p Utf8Path,
    pub(super) text: &'p str,
    pub(super) newline: Newline,
    pub(super) build: &'p BuildFile,
    /// Parts of a file of CMake that are read for CUDA only, in order; the commands in them are not among those of `build`.
    pub(super) for_cuda: Vec<TextRange>,
    /// What the build files of the project say together.
    pub(super) builds: &'p BuildFacts,
    pub(super) settings: &'p Settings,
    /// The mapping tables.
    pub(super) table: &'p Table,
    pub(super) known: Known,
    changes: RefCell<Changes>,
}

impl<'p> Plan<'p> {
    /// A plan without changes.
    pub(super) fn new(
        file: &'p SourceFile,
        build: &'p BuildFile,
        (settings, table): (&'p Settings, &'p Table),
        builds: &'p BuildFacts,
    ) -> Plan<'p> {
        let (text, newline) = (file.text.as_str(), file.newline);
        Plan {
            path: &file.path,
            text,
            newline,
            build,
            for_cuda: Vec::new(),
            builds,
            settings,
            table,
            known: Known::default(),
            changes: RefCell::default(),
        }
    }

    pub(super) fn slice(&self, range: TextRange) -> &'p str {
        &self.text[range]
    }

    /// The place of a part of the text that was sliced.
    pub(super) fn place(&self, part: &'p str) -> TextRange {
        let start = part.as_ptr().addr() - self.text.as_ptr().addr();
        range(start, start + part.len())
    }

    /// Takes a change, unless it is about what another one changes already.
    pub(super) fn add(&self, mut change: Change) {
        let mut changes = self.changes.borrow_mut();
        for edit in change.edits.iter_mut().filter(|edit| edit.pieces.is_empty()) {
            edit.range = without_gone(&changes, edit.range, change.range);
        }
        self.make_room(&mut changes, &mut change);
        let is_free = |edit: &Edit| changes.edits_near(edit.range).all(|other| fit(edit, other));
        let is_settled = || changes.edits_near(change.range).any(|edit| edit.range.contains_range(change.range));
        let is_settled = change.edits.is_empty() && is_settled();
        if !is_settled && change.edits.iter().all(is_free) {
            changes.push(change);
        }
    }

    /// Takes a finding without edits, also about a part that an edit rewrites and that stands in what it writes.
    pub(super) fn tell(&self, change: Change) {
        self.changes.borrow_mut().push(change);
    }

    /// Two insertions at one place exclude each other, so that one of them moves in front of the end of line before it. What is
    /// about earlier text comes first.
    fn make_room(&self, changes: &mut Changes, change: &mut Change) {
        let (about, is_insertion) = (change.range, |edit: &Edit| edit.range.is_empty());
        for edit in change.edits.iter_mut().filter(|edit| is_insertion(edit)) {
            let place = edit.range;
            let Some((known, known_about)) = changes.edit_of(place) else { continue };
            if about.start() < place.start() && known_about.start() >= place.start() {
                self.move_before_newline(edit);
            } else {
                changes.alter(known, |edit| self.move_before_newline(edit));
            }
        }
    }

    /// The same insertion in front of the end of line before it, if it is one of lines.
    fn move_before_newline(&self, edit: &mut Edit) {
        let (at, end) = (usize::from(edit.range.start()), self.newline.as_str());
        let [Piece::Text(text)] = edit.pieces.as_slice() else { return };
        let before = self.text[..at].strip_suffix('\n').map(|before| before.strip_suffix('\r').unwrap_or(before));
        if let Some((lines, before)) = text.strip_suffix(end).zip(before) {
            let place = range(before.len(), before.len());
            *edit = Edit::replace(place, format!("{end}{lines}"));
        }
    }

    /// A plan for the same text without changes.
    pub(super) fn alike(&self) -> Plan<'p> {
        Plan { changes: RefCell::default(), for_cuda: Vec::new(), known: Known::default(), ..*self }
    }

    /// The changes.
    pub(super) fn into_changes(self) -> Vec<Change> {
        self.changes.into_inner().into_vec()
    }

    /// What the changes so far deal with.
    pub(super) fn touched(&self) -> Touched {
        Touched::of(self.changes.borrow().as_slice())
    }

    /// Whether a change of this topic edits the text.
    pub(super) fn changes_any(&self, topic: Topic) -> bool {
        self.changes.borrow().as_slice().iter().any(|change| change.topic == topic && !change.edits.is_empty())
    }

    /// Where the first edit so far begins.
    pub(super) fn first_edit(&self) -> Option<TextSize> {
        self.changes.borrow().as_slice().iter().flat_map(|change| &change.edits).map(|edit| edit.range.start()).min()
    }

    /// The names of the targets of the settings.
    pub(super) fn targets(&self) -> impl Iterator<Item = &str> {
        self.settings.targets.iter().map(|target| target.name.as_str())
    }

    /// The options that stand for nvcc's choice of GPUs: the targets, and what nvcc does without being asked.
    pub(super) fn device_options(&self) -> String {
        let targets = self.targets().map(|target| format!("--offload-arch={target}"));
        targets.chain(AS_NVCC.map(str::to_owned)).collect::<Vec<String>>().join(" ")
    }

    /// Adds the new extensions of sources that are named in a part of the text.
    pub(super) fn add_extensions(&self, part: TextRange) {
        let text = self.slice(part);
        for (at, _) in text.match_indices(".cu") {
            let old = if text[at..].starts_with(".cuh") { ".cuh" } else { ".cu" };
            let ends =
                !text[at + old.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
            let new = self.settings.extension.rename(&format!("a{old}")).filter(|_| ends);
            if let Some(new) = new {
                let at = usize::from(part.start()) + at;
                self.add(Change::rename(Topic::Source, range(at, at + old.len()), (old, &new[1..])));
            }
        }
    }

    /// The name of a source after conversion.
    pub(super) fn converted(&self, path: TextRange) -> String {
        let path = self.slice(path);
        self.settings.extension.rename(path).unwrap_or_else(|| path.to_owned())
    }

    /// Whether CMake takes converted sources for HIP by their name.
    pub(super) fn extension_tells(&self) -> bool {
        self.settings.extension == ExtensionStyle::Hip
    }

    /// The blanks that the line of `at` begins with.
    pub(super) fn indent(&self, at: TextSize) -> &'p str {
        let start = self.text[..usize::from(at)].rfind('\n').map_or(0, |end| end + 1);
        let line = &self.text[start..usize::from(at)];
        &line[..line.len() - line.trim_start().len()]
    }

    /// An edit that puts lines behind the line on which `at` lies, which ends there but for blanks and a comment.
    pub(super) fn lines_after(&self, at: TextSize, lines: &[String]) -> Edit {
        let from = usize::from(at);
        let rest = &self.text[from..];
        let next = rest.find('\n').map(|end| from + end + 1);
        let line = rest.lines().next().unwrap_or_default();
        let ends = line.trim().is_empty() || line.trim_start().starts_with('#');
        // A difference shows whole lines in front of the next one.
        let (place, text): (usize, String) = match next.filter(|_| ends) {
            Some(next) => (next, lines.iter().flat_map(|line| [line, self.newline.as_str()]).collect()),
            None if ends => (from + line.len(), lines.iter().flat_map(|line| [self.newline.as_str(), line]).collect()),
            None => (from, lines.iter().flat_map(|line| [self.newline.as_str(), line]).collect()),
        };
        Edit::insert(TextSize::try_from(place).unwrap_or(at), text)
    }
}

/// What is to go, without blanks around `place` that go already.
fn without_gone(changes: &Changes, range: TextRange, place: TextRange) -> TextRange {
    let gone = changes.edits_near(range).filter(|edit| edit.pieces.is_empty());
    gone.fold(range, |range, edit| {
        let (start, end) = (edit.range.start(), edit.range.end());
        if start <= range.start() && end > range.start() && end <= place.start() {
            TextRange::new(end, range.end())
        } else if end >= range.end() && start < range.end() && start >= place.end() {
            TextRange::new(range.start(), start)
        } else {
            range
        }
    })
}

/// Whether two edits can stand beside each other, or one within what the other keeps. Insertions at the edge of another
/// edit can.
fn fit(one: &Edit, other: &Edit) -> bool {
    let (first, second) = (one.range, other.range);
    let keeps = |edit: &Edit, inner: TextRange| {
        edit.pieces.iter().any(|piece| matches!(piece, Piece::Keep(kept) if kept.contains_range(inner)))
    };
    let overlap =
        first.start() < second.end() && second.start() < first.end() || (first == second && !first.is_empty());
    !overlap || keeps(one, second) || keeps(other, first)
}
