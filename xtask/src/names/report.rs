//! The two result files.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result};

use super::claim::Claim;
use super::library::{LIBRARIES, excuse};
use super::presence::{Answers, Presence};
use super::release::CHECKED;
use super::table::Row;
use super::tree::{Age, Tree};

/// One line per name and table: which release has it.
pub(super) fn csv(presence: &Presence) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut heading = vec!["hip".to_owned(), "library".to_owned()];
    heading.extend(CHECKED.iter().map(ToString::to_string));
    writer.write_record(&heading)?;
    for (claim, answers) in presence.iter().filter(|(_, answers)| is_known(**answers)) {
        let mut record = vec![claim.name.as_str(), claim.library.as_str()];
        record.extend(answers.iter().map(|answer| match answer {
            Some(true) => "yes",
            Some(false) => "no",
            None => "",
        }));
        writer.write_record(&record)?;
    }
    let bytes = writer.into_inner().context("finishing the list of names")?;
    String::from_utf8(bytes).context("names are ASCII")
}

/// The same in numbers, for people.
pub(super) fn markdown(rows: &[Row], presence: &Presence, trees: &[Tree]) -> String {
    let mut text = String::from(
        "# Names in the mapping tables and in real headers\n\n\
         Written by `cargo run -p xtask -- names`; `--check` compares. Every HIP name of\n\
         `mappings/*.csv` is looked up as an identifier in the headers below, outside comments and\n\
         literals. `tests/data/hip_names.csv` has the answer for each name.\n\n",
    );
    push_headers(&mut text, trees);
    push_tables(&mut text, rows, presence);
    push_open_ends(&mut text, presence);
    text
}

fn push_headers(text: &mut String, trees: &[Tree]) {
    text.push_str("## Headers\n\nA package of an earlier release proves that a name is there, not that it is missing; one of\na later release proves that a name is missing.\n\n| library |");
    for tree in trees {
        _ = write!(text, " ROCm {} |", tree.release);
    }
    _ = writeln!(text, "\n|---|{}", "---|".repeat(trees.len()));
    for library in LIBRARIES {
        _ = write!(text, "| {} |", library.name);
        for tree in trees {
            _ = write!(text, " {} |", describe(tree, library.name));
        }
        text.push('\n');
    }
}

fn describe(tree: &Tree, library: &str) -> String {
    let Some(names) = tree.library(library) else {
        return "not available".to_owned();
    };
    let version = names.version.as_deref().unwrap_or("yes");
    match names.age {
        Age::Older => format!("{version} (earlier)"),
        Age::Same => version.to_owned(),
        Age::Newer => format!("{version} (later)"),
    }
}

#[derive(Default)]
struct Counts {
    rows: usize,
    without: usize,
    names: usize,
    yes: [usize; CHECKED.len()],
    unchecked: usize,
}

fn push_tables(text: &mut String, rows: &[Row], presence: &Presence) {
    let mut tables: BTreeMap<&str, Counts> = BTreeMap::new();
    for row in rows {
        let counts = tables.entry(&row.table).or_default();
        counts.rows += 1;
        counts.without += usize::from(row.hip.is_empty());
    }
    for (claim, answers) in presence.iter() {
        let counts = tables.entry(&claim.library).or_default();
        counts.names += 1;
        counts.unchecked += usize::from(!is_known(*answers));
        for (count, answer) in counts.yes.iter_mut().zip(answers) {
            *count += usize::from(*answer == Some(true));
        }
    }
    text.push_str("\n## Tables\n\n`NAME-roc` is the `roc` column of table NAME.\n\n");
    text.push_str("| table | rows | rows without a HIP name | names |");
    for release in CHECKED {
        _ = write!(text, " in {release} |");
    }
    _ = writeln!(text, " not checked |\n|---|--:|--:|--:|{}--:|", "--:|".repeat(CHECKED.len()));
    for (table, counts) in tables {
        let Counts { rows, without, names, yes, unchecked } = counts;
        _ = write!(text, "| {table} | {rows} | {without} | {names} |");
        for count in yes {
            _ = write!(text, " {count} |");
        }
        _ = writeln!(text, " {unchecked} |");
    }
}

fn push_open_ends(text: &mut String, presence: &Presence) {
    text.push_str("\n## Names found nowhere\n\n");
    let missing = presence.iter().filter(|(_, answers)| is_known(**answers) && !answers.contains(&Some(true)));
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (claim, _) in missing {
        let name = format!("`{}`", claim.name);
        reasons.entry(reason(claim)).or_default().push(name);
    }
    if reasons.is_empty() {
        text.push_str("None.\n");
    }
    for (reason, names) in reasons {
        _ = writeln!(text, "- {reason}: {}", names.join(" "));
    }
    text.push_str(
        "\n`hipdnn*` names (table `cudnn`) and Caffe2's names cannot be checked: no package has their\n\
         headers. Rows with hipDNN names end with ROCm 6.4.\n",
    );
}

fn reason(claim: &Claim) -> &'static str {
    excuse(&claim.name).unwrap_or("an error in the table")
}

fn is_known(answers: Answers) -> bool {
    answers.iter().any(Option::is_some)
}
