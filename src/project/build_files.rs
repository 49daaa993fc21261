//! Build files of a project: read for options that have no counterpart, never changed.

use camino::Utf8PathBuf;

use super::file_report::{FileReport, Status};
use super::read::read;
use crate::analysis::ProjectFacts;
use crate::engine::{Checked, Input, Outcome, check, holds_unsupported_option, is_build_file, rules};
use crate::mapping::Table;
use crate::settings::Settings;
use crate::source::SourceFile;
use crate::syntax::Document;

/// The group of rules about build files.
const GROUP: &str = "B";

/// The reports on those of `files` that are build files and have findings.
pub fn check_build_files(files: &[Utf8PathBuf], table: &Table, settings: &Settings) -> Vec<FileReport> {
    let Some(settings) = own_settings(settings) else { return Vec::new() };
    let build_files = files.iter().filter(|path| is_build_file(path));
    build_files.filter_map(|path| report(path, table, &settings)).collect()
}

/// The report on a build file, and what was found; nothing where no rule about such files is to run.
pub fn check_build_document(document: &Document, table: &Table, settings: &Settings) -> Option<(FileReport, Checked)> {
    Some(report_on(document, table, &own_settings(settings)?))
}

/// Settings with only the rules about build files, if one of them is enabled.
fn own_settings(settings: &Settings) -> Option<Settings> {
    let mut own = rules().filter(|rule| rule.code.starts_with(GROUP));
    if !own.any(|rule| settings.rules.is_enabled(rule)) {
        return None;
    }
    let mut settings = settings.clone();
    settings.rules.select = vec![GROUP.to_owned()];
    Some(settings)
}

/// A build file that cannot be read is none of a conversion's business.
fn report(path: &Utf8PathBuf, table: &Table, settings: &Settings) -> Option<FileReport> {
    let bytes = read(path).ok()?;
    if !holds_unsupported_option(&bytes) {
        return None;
    }
    let document = Document::new(SourceFile::decode(path, bytes).ok()?);
    let (report, _) = report_on(&document, table, settings);
    (!report.findings.is_empty()).then_some(report)
}

fn report_on(document: &Document, table: &Table, settings: &Settings) -> (FileReport, Checked) {
    let project = ProjectFacts::default();
    let checked = check(Input { document, project: &project, table, settings });
    let remaining = checked.found.iter().collect();
    let mut report = FileReport::of(document.source(), 0, Outcome { remaining, ..Outcome::default() });
    report.status = Status::NoCuda;
    (report, checked)
}
