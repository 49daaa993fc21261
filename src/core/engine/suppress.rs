//! Takes away findings that comments switch off, and tells which comments had nothing to switch off.

use rustc_hash::FxHashMap;

use super::input::Input;
use crate::diagnostic::{Diagnostic, Findings, RuleInfo, Scope, Suppression, suppressions};
use crate::rules::{self, is_about_suppressions, unused_suppression};
use crate::source::{FirstSpans, TextRange, TextSize};
use crate::syntax::Document;

/// A finding that a comment switches off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppressed {
    /// The finding.
    pub diagnostic: Diagnostic,
    /// Why, in the words of the comment; may be empty.
    pub reason: String,
}

/// What a suppression names.
#[derive(Clone, Copy)]
enum Named {
    All,
    Rule(&'static RuleInfo),
    Unknown,
}

impl Named {
    fn of(name: &str) -> Named {
        match name {
            "all" => Named::All,
            name => rules::find(name).map_or(Named::Unknown, |rule| Named::Rule(rule.info)),
        }
    }

    fn covers(self, rule: &'static RuleInfo) -> bool {
        match self {
            Named::All => true,
            Named::Rule(named) => named.code == rule.code,
            Named::Unknown => false,
        }
    }
}

/// Moves suppressed findings out of `found`, which need not be sorted, and adds findings about
/// suppressions without use.
pub(super) fn suppress(input: Input<'_>, found: &mut Findings) -> Vec<Suppressed> {
    let document = input.document;
    let list = suppressions(document.text(), document.comments()).suppressions;
    if list.is_empty() {
        return Vec::new();
    }
    found.sort_by_place();
    // The first suppression of each finding that has one.
    let mut owner: FxHashMap<usize, usize> = FxHashMap::default();
    let mut unused = Vec::new();
    for (index, suppression) in list.iter().enumerate() {
        let named = Named::of(document.slice(suppression.named));
        let covered = covered(suppression, named, found);
        if covered.is_empty() && may_be_used(named, input) {
            unused.push(index);
        }
        for at in covered {
            owner.entry(at).or_insert(index);
        }
    }
    let unused = unused.into_iter().map(|index| unused_suppression(&list[index], document.slice(list[index].named)));
    let unused: Vec<Diagnostic> = unused.collect();
    let about_unused = first_about(unused.first(), &list, document);
    for diagnostic in unused {
        owner.extend(about_unused.at(diagnostic.range.start()).map(|by| (found.len(), by)));
        found.push(&diagnostic);
    }
    split(found, &owner, &list)
}

/// Which suppressions speak of findings about others, such as `finding`. None of them is unused itself.
fn first_about(finding: Option<&Diagnostic>, list: &[Suppression], document: &Document) -> FirstSpans<TextSize> {
    let speaks_of = |suppression: &Suppression| {
        let named = Named::of(document.slice(suppression.named));
        matches!(named, Named::Rule(rule) if finding.is_some_and(|finding| rule.code == finding.rule.code))
    };
    let lines = |suppression: &Suppression| match suppression.scope {
        Scope::File => TextSize::default()..TextSize::of(document.text()) + TextSize::from(1),
        Scope::Lines(lines) => lines.start()..lines.end(),
    };
    let about = list.iter().enumerate().filter(|(_, suppression)| finding.is_some() && speaks_of(suppression));
    about.map(|(index, suppression)| (index, lines(suppression))).collect()
}

/// Moves the findings that have an owner out of `found`.
fn split(found: &mut Findings, owner: &FxHashMap<usize, usize>, list: &[Suppression]) -> Vec<Suppressed> {
    let mut suppressed = Vec::new();
    let mut owners = (0..found.len()).map(|number| owner.get(&number).and_then(|index| list.get(*index)));
    found.sift(|diagnostic| {
        let by = owners.next().flatten();
        suppressed.extend(by.map(|by| Suppressed { diagnostic, reason: by.reason.clone() }));
        by.is_none()
    });
    suppressed
}

/// The indices of the findings, sorted by their start, that a suppression covers.
fn covered(suppression: &Suppression, named: Named, found: &Findings) -> Vec<usize> {
    let range = match suppression.scope {
        Scope::File => 0..found.len(),
        Scope::Lines(lines) => starting_in(lines, found),
    };
    range.filter(|&at| found.head_at(at).is_some_and(|finding| named.covers(finding.rule))).collect()
}

fn starting_in(lines: TextRange, found: &Findings) -> std::ops::Range<usize> {
    found.count_before(lines.start())..found.count_before(lines.end())
}

/// Whether this run could have found what a suppression is about.
fn may_be_used(named: Named, input: Input<'_>) -> bool {
    let selection = &input.settings.rules;
    match named {
        Named::All => selection.select.is_empty(),
        Named::Rule(rule) => selection.is_enabled(rule) && !is_about_suppressions(rule),
        Named::Unknown => false,
    }
}
