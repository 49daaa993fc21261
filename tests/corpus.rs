//! The invariants of conversion on real CUDA sources.

use crate::common;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use hipshift::analysis::{ProjectFacts, Role, looks_like_cuda, role};
use hipshift::diagnostic::Diagnostic;
use hipshift::engine::{Input, Language, Outcome, lint};
use hipshift::mapping::{Kind, Resolution};
use hipshift::settings::Settings;
use hipshift::source::{SourceFile, TextRange};
use hipshift::syntax::{Document, TokenIdx, TokenKind};

/// A file of the corpus before and after.
struct Case {
    before: Document,
    outcome: Outcome,
    after: Document,
}

/// Runs `check` on every file of the corpus; what it writes are complaints.
#[track_caller]
fn check_all(check: impl Fn(&Case, &mut String)) {
    let Some(files) = common::corpus() else { return };
    let mut wrong = String::new();
    for path in files {
        let mut complaints = String::new();
        check(&case(&path), &mut complaints);
        for complaint in complaints.lines() {
            let _ = writeln!(wrong, "{}: {complaint}", common::shown(&path));
        }
    }
    let count = wrong.lines().count();
    let first: Vec<&str> = wrong.lines().take(60).collect();
    assert!(count == 0, "{count} complaints, the first ones:\n{}", first.join("\n"));
}

fn case(path: &Path) -> Case {
    let before = common::read(path);
    let outcome = common::convert(&before, &Settings::default());
    let after = common::document(&outcome.patch.apply(before.text()));
    Case { before, outcome, after }
}

fn line_of(document: &Document, range: TextRange) -> u32 {
    document.position(range.start()).line
}

#[test]
fn every_launch_is_converted_or_listed() {
    const LAUNCH_RULES: &[&str] = &["chevron-launch", "kept-launch", "device-launch", "unreadable-launch"];
    check_all(|case, wrong| {
        let document = &case.before;
        let told = |range: TextRange| {
            let findings = common::findings(&case.outcome);
            findings.iter().any(|f| LAUNCH_RULES.contains(&f.rule.name) && f.range.contains_range(range))
        };
        let launches = document.launches().iter().map(|launch| document.range_of(launch.open.clone()));
        let problems = document.launch_problems().iter().map(|(range, _)| *range);
        for range in launches.chain(problems).filter(|range| !told(*range)) {
            let _ = writeln!(wrong, "line {}: a launch without finding", line_of(document, range));
        }
    });
}

#[test]
fn the_output_is_no_harder_to_parse() {
    let gaps = |document: &Document| document.items().iter().map(|item| item.gaps(document).len()).sum::<usize>();
    check_all(|case, wrong| {
        // The grammar takes expressions only for the arguments of a call.
        let readable = case.after.text().replace("__builtin_bit_cast(unsigned short", "__builtin_bit_cast(unsigned");
        let (before, after) = (gaps(&case.before), gaps(&common::document(&readable)));
        if after > before {
            let _ = writeln!(wrong, "{after} parse gaps after conversion, {before} before");
        }
        if case.after.unmatched_brackets() > case.before.unmatched_brackets() {
            let _ = writeln!(wrong, "more unmatched brackets than before");
        }
    });
}

#[test]
fn linting_the_result_as_hip_finds_no_name_that_crept_in() {
    check_all(|case, wrong| {
        let text = case.after.text();
        let document = Document::new(SourceFile::from_text("a.hip", text));
        let (project, settings) = (ProjectFacts::default(), Settings::default());
        let input = Input { document: &document, project: &project, table: common::table(), settings: &settings };
        let (language, checked) = lint(input);
        assert_eq!(language, Language::Hip);
        let crept_in = |finding: &Diagnostic| {
            let is_plain = matches!(finding.rule.code, "A001" | "A008" | "H001" | "L001" | "H004");
            is_plain && finding.fix.is_some()
        };
        for finding in checked.found.iter().filter(crept_in) {
            let _ = writeln!(wrong, "output line {}: {}", line_of(&document, finding.range), finding.message);
        }
    });
}

#[test]
fn converting_again_changes_nothing() {
    check_all(|case, wrong| {
        let again = common::convert(&case.after, &Settings::default());
        for (range, becomes) in again.patch.replacements(case.after.text()) {
            let (line, text) = (line_of(&case.after, range), case.after.slice(range));
            let _ = writeln!(wrong, "output line {line}: `{text}` changes again: {becomes:?}");
        }
    });
}

#[test]
fn bytes_outside_edits_survive() {
    check_all(|case, wrong| {
        let rendered = case.outcome.patch.render(case.before.text());
        let mut at = 0;
        for range in case.outcome.patch.ranges() {
            let (start, end) = (usize::from(range.start()), usize::from(range.end()));
            check_run(case, &rendered, at..start, wrong);
            at = end;
        }
        check_run(case, &rendered, at..case.before.text().len(), wrong);
    });
}

/// The run of original text between two edits stands in the output as it was.
fn check_run(case: &Case, rendered: &hipshift::source::Rendered, run: std::ops::Range<usize>, wrong: &mut String) {
    if run.is_empty() {
        return;
    }
    let original = &case.before.text()[run.clone()];
    let output = rendered.to_output(u32::try_from(run.start).unwrap().into()).map(usize::from);
    if output.and_then(|at| rendered.text.get(at..at + original.len())) != Some(original) {
        let _ = writeln!(wrong, "bytes {run:?} did not survive");
    }
}

/// A CUDA name that stays in the output is one that a finding is about.
#[test]
fn nothing_is_left_in_silence() {
    check_all(|case, wrong| {
        let told = findings_by_name(case);
        let left = leftovers(&case.after);
        for (name, lines) in left {
            let findings = told.get(&name).copied().unwrap_or(0);
            if findings < lines.len() {
                let _ = writeln!(wrong, "`{name}` is left on output lines {lines:?}, {findings} findings tell of it");
            }
        }
    });
}

/// How many findings cover each name of the input.
fn findings_by_name(case: &Case) -> BTreeMap<String, usize> {
    let document = &case.before;
    let mut told = BTreeMap::new();
    for (idx, token) in document.tokens().iter().enumerate() {
        if token.kind != TokenKind::Ident {
            continue;
        }
        // A finding about a condition is about every name in it.
        let condition = document.directive_of(idx).filter(|directive| directive.kind.has_condition());
        let place = condition.map_or(token.range(), |directive| directive.range);
        let covers = |range: TextRange| range.contains_range(token.range()) || place.contains_range(range);
        if common::findings(&case.outcome).iter().any(|finding| covers(finding.range)) {
            *told.entry(document.name(idx).into_owned()).or_default() += 1;
        }
    }
    told
}

/// The names of CUDA in the code of a converted file, with their lines.
fn leftovers(document: &Document) -> BTreeMap<String, Vec<u32>> {
    let mut left: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (idx, token) in document.tokens().iter().enumerate() {
        if token.kind == TokenKind::Ident && is_cuda_name(document, idx) {
            left.entry(document.name(idx).into_owned()).or_default().push(line_of(document, token.range()));
        }
    }
    left
}

/// Whether a name is spelt like CUDA's, or known to the tables, and HIP does not spell it so.
fn is_cuda_name(document: &Document, idx: TokenIdx) -> bool {
    let name = document.name(idx);
    let settings = Settings::default();
    match common::table().resolve(&name, false, settings.rocm, &settings.libraries) {
        Some(Resolution::Name(to, entry)) => to != name && is_distinctive(entry.kind),
        Some(Resolution::Missing(entry) | Resolution::OtherRelease(entry)) => is_distinctive(entry.kind),
        // A condition may test any macro of the project's.
        None => looks_like_cuda(&name) && role(document, idx) != Role::Tested,
    }
}

/// Names of device code and of namespaces are common words, and mean CUDA's in places only.
fn is_distinctive(kind: Kind) -> bool {
    !matches!(kind, Kind::Namespace | Kind::Builtin)
}
