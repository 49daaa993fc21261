//! The rules on small files: what they find, and what their fixes make of the text.
//!
//! A mark `//~ rule-name` stands at the end of the line where a finding of that rule starts;
//! `//~^ rule-name` speaks for the line above. Findings of severity hint need no mark, unless the
//! first line of the file says so: `//~! marks: renamed-name; rocm: 6.4; launch: chevron`.

use crate::common;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};
use hipshift::analysis::{KeptWarps, ProjectFacts};
use hipshift::diagnostic::{Applicability, Diagnostic, Severity};
use hipshift::engine::{Input, Outcome, convert};
use hipshift::mapping::Target;
use hipshift::settings::{ExtensionStyle, LaunchBounds, LaunchStyle, Settings, WavePolicy};
use hipshift::syntax::Document;

/// What the first line of a fixture asks for.
#[derive(Default)]
struct Options {
    settings: Settings,
    project: ProjectFacts,
    /// Rules of severity hint that need marks here.
    marked: BTreeSet<String>,
}

#[test]
fn findings_are_where_the_marks_are() {
    let mut wrong = String::new();
    for path in common::files_below("fixtures/rules", &["c", "cu", "h", "in"]) {
        let document = common::read(&path);
        let options = options(document.text());
        let outcome = outcome(&document, &options, options.settings.applicability);
        compare_marks(&path, &document, &options, &outcome, &mut wrong);
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn fixtures() {
    insta::glob!("../fixtures/rules", "**/*.{c,cu,h,in}", |path| {
        let document = common::read(path);
        let options = options(document.text());
        let outcome = outcome(&document, &options, options.settings.applicability);
        insta::with_settings!({ omit_expression => true }, {
            insta::assert_snapshot!(render(&document, &options, &outcome));
        });
    });
}

fn outcome(document: &Document, options: &Options, applicability: Applicability) -> Outcome {
    let settings = Settings { applicability, ..options.settings.clone() };
    convert(Input { document, project: &options.project, table: common::table(), settings: &settings })
}

fn options(text: &str) -> Options {
    let mut options = Options::default();
    let first = text.lines().next().unwrap_or_default();
    let Some((_, line)) = first.split_once("//~!") else { return options };
    for option in line.split(';').map(str::trim).filter(|option| !option.is_empty()) {
        let (key, value) = option.split_once(':').unwrap_or((option, ""));
        set(&mut options, key.trim(), value.trim());
    }
    options
}

fn in_repository(path: &str) -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[track_caller]
fn set(options: &mut Options, key: &str, value: &str) {
    let words = || value.split(',').map(str::trim);
    let settings = &mut options.settings;
    match (key, value) {
        // As if nothing stood in the way of whole waves.
        ("whole", "") => options.project.kept_warps = Some(KeptWarps::default()),
        ("marks", _) => options.marked.extend(words().map(str::to_owned)),
        ("rocm", _) => settings.rocm = value.parse().unwrap(),
        ("launch", "chevron") => settings.launch = LaunchStyle::Chevron,
        ("launch", "ggl") => settings.launch = LaunchStyle::Ggl,
        ("bounds", "rocm-docs") => settings.launch_bounds = LaunchBounds::RocmDocs,
        ("wave", "native") => settings.wave_policy = WavePolicy::Native,
        ("wave", "logical32") => settings.wave_policy = WavePolicy::Logical32,
        ("ext", "hip") => settings.extension = ExtensionStyle::Hip,
        ("ext", "hip-cpp") => settings.extension = ExtensionStyle::HipCpp,
        ("arch", _) => settings.targets = words().map(|name| Target::find(name).unwrap()).collect(),
        ("unsafe", "") => settings.applicability = Applicability::Unsafe,
        ("strings", "") => settings.strings = true,
        ("roc", _) => words().for_each(|library| settings.libraries.prefer_roc(library)),
        ("ignore", _) => settings.rules.ignore.extend(words().map(str::to_owned)),
        ("own", _) => options.project.own_headers.extend(words().map(in_repository)),
        ("relocatable", "") => options.project.builds.is_relocatable = true,
        ("thread-streams", "") => options.project.builds.per_thread_streams = true,
        ("renamed", _) => options.project.renamed_files.extend(words().map(str::to_owned)),
        _ => panic!("unknown option `{key}: {value}`"),
    }
}

/// Compares the marks of a file with the findings.
fn compare_marks(path: &Path, document: &Document, options: &Options, outcome: &Outcome, wrong: &mut String) {
    let marks = marks(document.text());
    let place = |finding: &Diagnostic| (document.position(finding.range.start()).line, finding.rule.name.to_owned());
    let findings = common::findings(outcome);
    let found: BTreeSet<(u32, String)> = findings.iter().map(place).collect();
    let unmarked: BTreeSet<(u32, String)> =
        findings.iter().filter(|finding| needs_mark(finding, options)).map(place).collect();
    for (line, rule) in marks.difference(&found) {
        let _ = writeln!(wrong, "{}:{line}: marked, but not found: {rule}", common::shown(path));
    }
    for (line, rule) in unmarked.difference(&marks) {
        let _ = writeln!(wrong, "{}:{line}: found, but not marked: {rule}", common::shown(path));
    }
}

fn needs_mark(finding: &Diagnostic, options: &Options) -> bool {
    finding.severity > Severity::Hint || options.marked.contains(finding.rule.name)
}

fn marks(text: &str) -> BTreeSet<(u32, String)> {
    let mut marks = BTreeSet::new();
    for (line, number) in text.lines().zip(1..) {
        let Some((_, mark)) = line.split_once("//~").filter(|(_, mark)| !mark.starts_with('!')) else { continue };
        let above = mark.len() - mark.trim_start_matches('^').len();
        let line = number - u32::try_from(above).unwrap();
        let rules = mark.trim_start_matches('^').split(',').map(str::trim).filter(|rule| !rule.is_empty());
        marks.extend(rules.map(|rule| (line, rule.to_owned())));
    }
    marks
}

fn render(document: &Document, options: &Options, outcome: &Outcome) -> String {
    let mut out = String::from("findings\n");
    for finding in common::findings(outcome) {
        render_finding(document, &finding, &mut out);
    }
    let safe = outcome_diff(document, options, Applicability::Safe);
    let all = outcome_diff(document, options, Applicability::Unsafe);
    let _ = write!(out, "\nsafe fixes\n{safe}");
    if all != safe {
        let _ = write!(out, "\nall fixes\n{all}");
    }
    out
}

fn render_finding(document: &Document, finding: &Diagnostic, out: &mut String) {
    let at = document.position(finding.range.start());
    let (severity, rule) = (finding.severity.as_str(), finding.rule);
    let _ = writeln!(out, "{}:{} {severity} {} {}: {}", at.line, at.column, rule.code, rule.name, finding.message);
    for label in &finding.labels {
        let at = document.position(label.range.start());
        let _ = writeln!(out, "    {}:{} {}", at.line, at.column, label.message);
    }
    for note in &finding.notes {
        let _ = writeln!(out, "    note: {note}");
    }
}

fn outcome_diff(document: &Document, options: &Options, applicability: Applicability) -> String {
    let outcome = outcome(document, options, applicability);
    let converted = outcome.patch.apply(document.text());
    let diff = similar::TextDiff::from_lines(document.text(), &converted);
    diff.unified_diff().context_radius(0).missing_newline_hint(false).to_string()
}
