//! The documents: links lead somewhere, generated parts are up to date.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hipshift::diagnostic::FixAvailability;
use hipshift::engine::rules;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All Markdown files that belong to the project.
fn documents() -> Vec<PathBuf> {
    let skipped =
        |entry: &walkdir::DirEntry| matches!(entry.file_name().to_str(), Some("target" | ".git" | "node_modules"));
    let files = walkdir::WalkDir::new(root()).into_iter().filter_entry(|entry| !skipped(entry)).flatten();
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

/// With `UPDATE_DOCS=1` the page is rewritten.
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
        let _ = writeln!(page, "| {} | `{}` | {} | {fix} |", rule.code, rule.name, rule.severity.as_str());
    }
    let path = root().join("docs/rules.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), page, "run with UPDATE_DOCS=1");
}
