//! The documents: links lead somewhere, generated parts are up to date.

use crate::common;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hipshift::diagnostic::{FixAvailability, RuleInfo};
use hipshift::engine;
use hipshift::report::rule_page;

/// The rules, by their codes.
fn rules() -> impl Iterator<Item = &'static RuleInfo> {
    let mut rules: Vec<_> = engine::rules().collect();
    rules.sort_by_key(|rule| rule.code);
    rules.into_iter()
}

/// All Markdown files that belong to the project.
fn documents() -> Vec<PathBuf> {
    let skipped =
        |entry: &walkdir::DirEntry| matches!(entry.file_name().to_str(), Some("target" | ".git" | "node_modules"));
    let files = walkdir::WalkDir::new(common::root()).into_iter().filter_entry(|entry| !skipped(entry)).flatten();
    files.map(walkdir::DirEntry::into_path).filter(|path| path.extension().is_some_and(|ext| ext == "md")).collect()
}

/// The targets of `[text](target)` outside of code blocks.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        in_code ^= line.trim_start().starts_with("```");
        if in_code {
            continue;
        }
        for part in line.split("](").skip(1) {
            links.extend(part.split(')').next().map(str::to_owned));
        }
    }
    links
}

#[test]
fn links_lead_to_files_that_exist() {
    let mut broken = Vec::new();
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        let folder = document.parent().unwrap_or(Path::new("."));
        for link in links(&text) {
            let path = link.split('#').next().unwrap_or_default();
            let is_elsewhere = path.is_empty() || path.contains("://");
            if !is_elsewhere && !folder.join(path).exists() {
                broken.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "broken links: {broken:#?}");
}

#[test]
fn the_list_of_rules_is_up_to_date() {
    let mut page = "# Rules\n\nMade from the rules themselves; `hipshift explain CODE` prints the page of one.\n\n\
                    | code | name | severity | fix |\n|---|---|---|---|\n"
        .to_owned();
    for rule in rules() {
        let fix = match rule.fix {
            FixAvailability::None => "no",
            FixAvailability::Sometimes => "sometimes",
            FixAvailability::Always => "yes",
        };
        let name = format!("[`{0}`](rules/{0}.md)", rule.name);
        let _ = writeln!(page, "| {} | {name} | {} | {fix} |", rule.code, rule.severity.as_str());
    }
    common::check_generated("docs/rules.md", &page);
}

#[test]
fn every_rule_has_its_page() {
    for rule in rules() {
        common::check_generated(&format!("docs/rules/{}.md", rule.name), &rule_page(rule));
    }
    for entry in std::fs::read_dir(common::root().join("docs/rules")).unwrap() {
        let path = entry.unwrap().path();
        let is_rule = rules().any(|rule| path.file_stem().is_some_and(|stem| stem == rule.name));
        if !is_rule && common::is_updating() {
            std::fs::remove_file(&path).unwrap();
        }
        assert!(is_rule || common::is_updating(), "{} is about no rule; run with UPDATE_DOCS=1", path.display());
    }
}

/// The chapters of the book before the rules, in their order.
const CHAPTERS: &[(&str, &str)] = &[
    ("Port your first project", "tutorial.md"),
    ("Install", "install.md"),
    ("Commands", "usage.md"),
    ("Linting", "lint.md"),
    ("Review", "review.md"),
    ("Update and undo", "update.md"),
    ("Build files", "build-files.md"),
    ("From hipify", "hipify.md"),
    ("One source for CUDA and HIP", "one-source.md"),
    ("Warps of 32 lanes, waves of 64", "waves.md"),
    ("Validation", "validation.md"),
    ("Editors", "editors.md"),
    ("The language server", "editors/server.md"),
    ("Security", "security.md"),
];

/// What was measured.
const EVIDENCE: &[(&str, &str)] = &[
    ("How well it does", "evidence.md"),
    ("Precision", "precision.md"),
    ("Checks beside compute-sanitizer", "checks.md"),
    ("Performance", "performance.md"),
    ("The corpus, compiled", "corpus.md"),
    ("The corpus for ROCm 6.4", "corpus-6.4.md"),
    ("The corpus for ROCm 5.7", "corpus-5.7.md"),
    ("Kernels of the corpus, started", "corpus-smoke.md"),
    ("AMD's own tests", "amd-tests.md"),
    ("Census of CUDA's headers", "census.md"),
    ("Names in HIP's headers", "hip-names.md"),
    ("ROCm's documents", "documents.md"),
];

/// `mdbook build` takes its chapters from this list.
#[test]
fn the_book_has_every_page() {
    let mut summary = "# hipshift\n\n".to_owned();
    let line = |(title, path): &(&str, &str)| format!("- [{title}]({path})\n");
    summary.extend(CHAPTERS.iter().map(line));
    summary.push_str("- [Rules](rules.md)\n");
    for rule in rules() {
        let _ = writeln!(summary, "  - [{0} `{1}`](rules/{1}.md)", rule.code, rule.name);
    }
    summary.push_str("\n# Evidence\n\n");
    summary.extend(EVIDENCE.iter().map(line));
    common::check_generated("docs/SUMMARY.md", &summary);
    let listed = links(&summary);
    let docs = common::root().join("docs");
    for page in documents().iter().filter_map(|path| path.strip_prefix(&docs).ok()) {
        let page = page.to_str().unwrap();
        assert!(page == "SUMMARY.md" || listed.iter().any(|link| link == page), "no chapter leads to docs/{page}");
    }
}
