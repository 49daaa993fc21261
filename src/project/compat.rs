//! A header for sources that stay as they are: what they need together, and what is left of their findings.

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::convert::{Looked, Run, Source, look_at, reconcile_reports};
use super::door::Doors;
use super::file_report::{FileReport, Status};
use super::read::{FileBytes, ReadError, read, read_with};
use super::survey::Survey;
use super::write::{Staging, WriteError};
use crate::analysis::ProjectFacts;
use crate::engine::{
    Decided, HeaderFile, HeaderPlan, Input, Needs, Outcome, SeenThrough, decide, is_header_file, look, see_through,
};
use crate::source::{SourceFile, SourceText};
use crate::syntax::Document;

/// What the sources need from a header. Files that cannot be read need nothing; [`report_beside_header`] tells of them.
pub fn needs_of(sources: &[Source], run: Run<'_>) -> Needs {
    let project = run.survey.map(Survey::facts).unwrap_or_default();
    let needs = sources.par_iter().map(|source| match open(source, run) {
        Ok(Looked::Cuda(file, _)) => seen(source, file, (run, &project)).through.needs(run.settings.applicability),
        _ => Needs::default(),
    });
    needs.reduce(Needs::default, Needs::and)
}

/// What is left to say about each source when the header of `plan` is there, in the order of the sources.
pub fn report_beside_header(sources: &[Source], plan: &HeaderPlan, run: Run<'_>) -> Vec<FileReport> {
    let project = run.survey.map(Survey::facts).unwrap_or_default();
    let report = |source: &Source| match open(source, run) {
        Ok(Looked::Cuda(file, size)) => {
            let Seen { through, text, launches, decided } = seen(source, file, (run, &project));
            let outcome = Outcome { decided, ..see_through(through, plan, run.settings.applicability) };
            FileReport { bytes: size, ..FileReport::of(&text, launches, outcome) }
        }
        Ok(Looked::NoCuda(size)) => FileReport::new(source.path.clone(), Status::NoCuda, size),
        Ok(Looked::NotWritten(error)) => FileReport::failed(source.path.clone(), error.to_string()),
        Err(error) => FileReport::failed(source.path.clone(), error),
    };
    let mut reports: Vec<FileReport> = sources.par_iter().map(report).collect();
    reconcile_reports(&mut reports, FxHashSet::default);
    reports
}

/// A file in the way of a header.
#[derive(Debug, thiserror::Error)]
pub enum HeaderError {
    /// Somebody else wrote it.
    #[error("`{0}` is there already, and hipshift did not write it; name another folder")]
    Foreign(Utf8PathBuf),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Writes header files below `folder`, all or none. Those that hold the same already are left alone.
pub fn write_headers(files: &[HeaderFile], folder: &Utf8Path) -> Result<(), HeaderError> {
    let staging = Staging::to(Doors::named([folder]));
    for HeaderFile { path, text } in files {
        let target = folder.join(path);
        match read(&target) {
            Ok(known) if known == text.as_bytes() => {}
            Ok(known) if !is_header_file(&known) => return Err(HeaderError::Foreign(target)),
            _ => staging.write(&target, text.as_bytes(), &target)?,
        }
    }
    staging.commit()?;
    Ok(())
}

struct Seen {
    through: SeenThrough,
    text: SourceText,
    launches: usize,
    decided: Decided,
}

fn open(source: &Source, run: Run<'_>) -> Result<Looked, String> {
    // An earlier run may have written it.
    let look = |bytes: FileBytes<'_>| {
        if is_header_file(&bytes) { Ok(Looked::NoCuda(bytes.len())) } else { look_at(source, bytes, run) }
    };
    read_with(&source.path, look).map_err(|error: ReadError| error.to_string())?
}

fn seen(source: &Source, file: SourceFile, (run, project): (Run<'_>, &ProjectFacts)) -> Seen {
    let document = Document::new(file);
    let mut through = look(Input { document: &document, project, table: run.table, settings: run.settings });
    let decisions = (run.decisions_of(source), &run.settings.rules);
    let decided = decide(document.file(), &mut through.checked.found, decisions);
    let launches = document.chevron_launches();
    Seen { through, text: document.into_source(), launches, decided }
}
