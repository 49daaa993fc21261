//! Build files of a project: read for options that have no counterpart, never changed.

use camino::Utf8PathBuf;

use super::file_report::{FileReport, Status};
use super::lint::{LintRun, lint_document};
use super::read::read;
use crate::analysis::ProjectFacts;
use crate::engine::{Checked, holds_unsupported_option, is_build_file, rules};
use crate::settings::Settings;
use crate::source::SourceFile;
use crate::syntax::Document;

/// The group of rules about build files.
const GROUP: &str = "B";

/// The reports on those of `files` that are build files and have findings. Fixes and decisions of `run` are not for them.
pub fn check_build_files(files: &[Utf8PathBuf], run: LintRun<'_>) -> Vec<FileReport> {
    let Some(settings) = own_settings(run.settings) else { return Vec::new() };
    let build_files = files.iter().filter(|path| is_build_file(path));
    build_files.filter_map(|path| report(path, (run, &settings))).collect()
}

/// The report on a build file, and what was found; nothing where no rule about such files is to run.
pub fn check_build_document(document: &Document, run: LintRun<'_>) -> Option<(FileReport, Checked)> {
    Some(report_on(document, (run, &own_settings(run.settings)?)))
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

/// A build file that cannot be read is none of a run's business.
fn report(path: &Utf8PathBuf, own: (LintRun<'_>, &Settings)) -> Option<FileReport> {
    let bytes = read(path).ok()?;
    if !holds_unsupported_option(&bytes) {
        return None;
    }
    let document = Document::new(SourceFile::decode(path, bytes).ok()?);
    let (report, _) = report_on(&document, own);
    (!report.findings.is_empty() || !report.hidden.is_empty()).then_some(report)
}

fn report_on(document: &Document, (run, settings): (LintRun<'_>, &Settings)) -> (FileReport, Checked) {
    let run = LintRun { settings, decisions: None, ..run };
    let (mut report, checked) = lint_document(document, (run, &ProjectFacts::default()), &|_| false);
    report.status = Status::NoCuda;
    (report, checked)
}
