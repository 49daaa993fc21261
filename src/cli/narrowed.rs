//! What a configuration file that came with a project keeps from being reported.

use camino::{Utf8Path, Utf8PathBuf};

use super::args::{FileSelection, RuleOptions};
use super::output::note;
use crate::diagnostic::{RuleInfo, Severity};
use crate::engine::rules;
use crate::project::Config;
use crate::report::{one_line, plural};
use crate::settings::{RuleSelection, Settings};

/// So many are named.
const NAMED: usize = 5;

/// Says which rules and files `config` leaves out; a person who reads the report may not have written it.
pub(super) fn note_narrowed(
    (file, config): (&Utf8Path, &Config),
    files: &FileSelection,
    (options, settings): (&RuleOptions, &Settings),
) {
    let typed = RuleSelection {
        select: options.choice.select.clone(),
        ignore: options.choice.ignore.clone(),
        severities: Vec::new(),
    };
    let all: Vec<&RuleInfo> = rules().filter(|rule| typed.is_enabled(rule)).collect();
    let off: Vec<&RuleInfo> = all.iter().filter(|rule| !settings.rules.is_enabled(rule)).copied().collect();
    let is_lowered = |rule: &&&RuleInfo| {
        let wanted = settings.rules.severity_of(rule).filter(|_| settings.rules.is_enabled(rule));
        wanted.is_some_and(|wanted| wanted < Severity::Warning)
    };
    let lowered: Vec<&RuleInfo> = all.iter().filter(is_lowered).copied().collect();
    let mut says = Vec::new();
    if !off.is_empty() {
        says.push(format!("turns off {} of {}: {}", off.len(), plural(all.len(), "rule"), codes(&off)));
    }
    if !lowered.is_empty() {
        says.push(format!("makes {} less than a warning: {}", plural(lowered.len(), "rule"), codes(&lowered)));
    }
    let patterns = [
        (&config.include, &files.include, "takes only files like"),
        (&config.exclude, &files.exclude, "leaves out files like"),
    ];
    for (patterns, typed, what) in patterns {
        // What was typed takes the place of these.
        if let Some(patterns) = patterns.as_ref().filter(|patterns| !patterns.is_empty() && typed.is_empty()) {
            says.push(format!("{what} {}", list(patterns.iter().map(|pattern| format!("`{}`", one_line(pattern))))));
        }
    }
    if !says.is_empty() {
        note(&format!("{} {}", one_line(shown(file).as_str()), says.join("; ")));
    }
}

/// A file of the present folder is named from there.
fn shown(file: &Utf8Path) -> &Utf8Path {
    let here = std::env::current_dir().ok().and_then(|here| Utf8PathBuf::from_path_buf(here).ok());
    here.and_then(|here| file.strip_prefix(here).ok()).unwrap_or(file)
}

fn codes(rules: &[&RuleInfo]) -> String {
    list(rules.iter().map(|rule| rule.code.to_owned()))
}

/// `a, b, c, d, e and 3 more`
fn list(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let names: Vec<String> = names.take(NAMED).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names.join(", "))
}
