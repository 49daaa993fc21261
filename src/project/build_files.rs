//! Build files of a project: read for options that have no counterpart, never changed.

use camino::Utf8PathBuf;

use super::file_report::{FileReport, Status};
use super::read::read;
use crate::analysis::ProjectFacts;
use crate::engine::{Input, Outcome, check, is_build_file};
use crate::mapping::Table;
use crate::settings::Settings;
use crate::source::SourceFile;
use crate::syntax::Document;

/// What every option that a rule looks for has in it.
const WORDS: &[&[u8]] = &[b"maxrregcount", b"mwavefrontsize64"];

/// The group of rules about build files.
const GROUP: &str = "B";

/// The reports on those of `files` that are build files and have findings.
pub fn check_build_files(files: &[Utf8PathBuf], table: &Table, settings: &Settings) -> Vec<FileReport> {
    let mut settings = settings.clone();
    let is_wanted =
        settings.rules.select.is_empty() || settings.rules.select.iter().any(|rule| rule.starts_with(GROUP));
    if !is_wanted {
        return Vec::new();
    }
    settings.rules.select = vec![GROUP.to_owned()];
    let build_files = files.iter().filter(|path| is_build_file(path));
    build_files.filter_map(|path| report(path, table, &settings)).collect()
}

/// A build file that cannot be read is none of a conversion's business.
fn report(path: &Utf8PathBuf, table: &Table, settings: &Settings) -> Option<FileReport> {
    let bytes = read(path).ok()?;
    if !WORDS.iter().any(|word| memchr::memmem::find(&bytes, word).is_some()) {
        return None;
    }
    let document = Document::new(SourceFile::decode(path, bytes).ok()?);
    let project = ProjectFacts::default();
    let remaining = check(Input { document: &document, project: &project, table, settings }).found;
    let mut report = FileReport::of(&document, Outcome { remaining, ..Outcome::default() });
    report.status = Status::NoCuda;
    (!report.findings.is_empty()).then_some(report)
}
