//! Converts the files of a run, in parallel, and stages the results.

use std::borrow::Cow;
use std::cell::LazyCell;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::decisions::Decisions;
use super::file_report::{FileReport, Status};
use super::interrupt::check as check_interrupt;
use super::ledger::Ledger;
use super::read::{FileBytes, ReadError, read_with};
use super::shard::{ShardFiles, declared_elsewhere, is_taken};
use super::survey::{Looked as LookedAt, Survey};
use super::write::{Staging, WriteError};
use crate::analysis::{HelperHeader, ProjectFacts, SwitchRole};
use crate::build::{BuildKind, build_kind};
use crate::diagnostic::Decision;
use crate::engine::{Input, Outcome, carried, check, decide, fix, guarded, is_worth_reading, reconcile, switched};
use crate::mapping::Table;
use crate::settings::{BuildMode, Emit, Settings};
use crate::source::{Edit, Patch, Piece, SourceFile, SourceText};
use crate::syntax::Document;

/// One input file and where its result goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The file.
    pub path: Utf8PathBuf,
    /// Where its result goes; equal to `path` when converting in place.
    pub output: Option<Utf8PathBuf>,
}

/// What files are converted with.
#[derive(Clone, Copy)]
pub struct Run<'r> {
    /// The mapping tables.
    pub table: &'r Table,
    /// What the run is to do.
    pub settings: &'r Settings,
    /// What the files say together; without it each file decides for itself.
    pub survey: Option<&'r Survey>,
    /// Where results are staged; without it nothing is written.
    pub staging: Option<&'r Staging>,
    /// What was decided about fixes.
    pub decisions: Option<&'r Decisions>,
    /// Who is told about each file, from any thread.
    pub observer: Option<Observer<'r>>,
    /// What notes each result that is staged, for a later update.
    pub ledger: Option<&'r Ledger>,
    /// The files to convert, if not all.
    pub share: Option<&'r ShardFiles>,
    /// The header that definitions go to; without it they go into the files.
    pub helpers: Option<&'r HelperHeader>,
}

impl<'r> Run<'r> {
    pub(super) fn decisions_of(&self, source: &Source) -> &'r [Decision] {
        self.decisions.map(|decisions| decisions.of(&source.path)).unwrap_or_default()
    }
}

/// Looks at each file that could be read when it is done.
pub type Observer<'r> = &'r (dyn Fn(&Source, Converted<'_>) + Sync);

/// What became of a file, for those who need more than its report.
#[derive(Debug, Clone, Copy)]
pub struct Converted<'c> {
    /// The bytes of the result, if something has needed them already.
    pub known: Option<&'c [u8]>,
    /// The file and its conversion; nothing if it holds no CUDA.
    pub conversion: Option<(&'c SourceText, &'c Outcome)>,
}

impl<'c> Converted<'c> {
    /// The bytes of the result.
    pub fn bytes(&self) -> Cow<'c, [u8]> {
        let patched = |(text, outcome): (&SourceText, &Outcome)| {
            Cow::Owned(text.file().encode(&outcome.patch.apply(text.text())).into_owned())
        };
        self.known.map(Cow::Borrowed).or_else(|| self.conversion.map(patched)).unwrap_or_default()
    }
}

/// How many files a thread takes at the most before others may take the rest: large ones often
/// lie side by side.
const FILES_AT_ONCE: usize = 4;

/// Converts `sources`, or the share of them that is wanted. The reports come in the order of the sources, whatever the number of
/// threads. `tick` is called once for each file that is done.
pub fn convert_files(sources: &[Source], run: Run<'_>, tick: impl Fn() + Sync) -> Result<Vec<FileReport>, WriteError> {
    let renamed_files = sources.iter().filter_map(|source| {
        let name = source.path.file_name()?;
        run.settings.extension.rename(name).map(|_| name.to_owned())
    });
    let surveyed = run.survey.map(Survey::facts).unwrap_or_default();
    let helper_header = run.helpers.cloned();
    let project = ProjectFacts { renamed_files: renamed_files.collect(), helper_header, ..surveyed };
    keep_freed_memory();
    let mut reports = sources
        .par_iter()
        .with_max_len(FILES_AT_ONCE)
        .enumerate()
        .filter(|(_, source)| is_taken(run.share, &source.path))
        .map(|(number, source)| {
            check_interrupt().map_err(|error| WriteError::new(&source.path, error))?;
            let report = match needless(number, source, run) {
                Some(report) => Ok(report),
                None => convert_file(source, &project, run),
            };
            tick();
            report
        })
        .collect::<Result<Vec<_>, _>>()?;
    let elsewhere = || declared_elsewhere(run.share, sources.iter().map(LookedAt::from), run.table);
    reconcile_reports(&mut reports, elsewhere);
    Ok(reports)
}

/// Has the allocator keep what one file frees for the next. That of glibc takes the size of a large
/// block that was freed for the size up to which memory is worth keeping, and else lets each
/// thread's heap grow and shrink by pages: every step is a system call that stops the other threads.
/// Nothing touches these bytes before they are needed, so that they cost no memory.
fn keep_freed_memory() {
    let allocate_and_free = |bytes: usize| drop(std::hint::black_box(Vec::<u8>::with_capacity(bytes)));
    allocate_and_free(31 << 20);
    rayon::broadcast(|_| allocate_and_free(16 << 20));
}

/// The report of a file that is known to hold no CUDA, if nobody wants its bytes.
fn needless(number: usize, source: &Source, run: Run<'_>) -> Option<FileReport> {
    let size = run.survey?.needless(number)?;
    if tells_of_switch(run, &source.path) {
        return None;
    }
    let is_copied = run.staging.is_some() && source.output.as_ref().is_some_and(|output| *output != source.path);
    let is_wanted = run.observer.is_some() || run.ledger.is_some() || !run.decisions_of(source).is_empty();
    if is_copied || is_wanted {
        return None;
    }
    let mut report = FileReport::new(source.path.clone(), Status::NoCuda, size);
    report.output.clone_from(&source.output);
    Some(report)
}

fn convert_file(source: &Source, project: &ProjectFacts, run: Run<'_>) -> Result<FileReport, WriteError> {
    let looked = read_with(&source.path, |bytes| look_at(source, bytes, run));
    let mut report = match looked.map_err(|error| error.to_string()).and_then(|looked| looked) {
        Ok(Looked::NoCuda(size)) => FileReport::new(source.path.clone(), Status::NoCuda, size),
        Ok(Looked::Cuda(file, size)) => {
            let mut report = convert_text(source, file, project, run)?;
            report.bytes = size;
            report
        }
        Ok(Looked::NotWritten(error)) => return Err(error),
        Err(error) => FileReport::failed(source.path.clone(), error),
    };
    report.output.clone_from(&source.output);
    Ok(report)
}

/// What a first look at a file gave; with its size in bytes.
pub(super) enum Looked {
    NoCuda(usize),
    Cuda(SourceFile, usize),
    NotWritten(WriteError),
}

pub(super) fn look_at(source: &Source, bytes: FileBytes<'_>, run: Run<'_>) -> Result<Looked, String> {
    let size = bytes.len();
    // Decisions about a file without CUDA are about nothing, which has to be told.
    if is_worth_reading(&source.path, &bytes, run.table)
        || !run.decisions_of(source).is_empty()
        || tells_of_switch(run, &source.path)
    {
        let decoded = SourceFile::decode(&source.path, bytes.into_vec());
        let file =
            decoded.map_err(|error| ReadError::Decode { path: source.path.clone(), source: error }.to_string())?;
        return Ok(Looked::Cuda(file, size));
    }
    if let Some(observe) = run.observer {
        observe(source, Converted { known: Some(&bytes), conversion: None });
    }
    Ok(match stage_copy(source, &bytes, run).and_then(|()| note(source, (&bytes, &bytes), run)) {
        Ok(()) => Looked::NoCuda(size),
        Err(error) => Looked::NotWritten(error),
    })
}

fn convert_text(
    source: &Source,
    file: SourceFile,
    project: &ProjectFacts,
    run: Run<'_>,
) -> Result<FileReport, WriteError> {
    let document = Document::new(file);
    let input = Input { document: &document, project, table: run.table, settings: run.settings };
    let mut checked = check(input);
    let decided = decide(document.file(), &mut checked.found, (run.decisions_of(source), &run.settings.rules));
    let launches = document.chevron_launches();
    // The tokens of a large file take as much memory as its text, and nobody asks for them any more.
    let text = document.into_source();
    let outcome = Outcome { decided, ..fix(&text, checked, run.settings.applicability) };
    let role = project.switch_role(&source.path);
    let moves = source.output.as_ref().is_some_and(|output| *output != source.path);
    let is_written = run.staging.is_some() && source.output.is_some();
    // A dry run, too, tells of files that cannot be guarded.
    let changes = if run.ledger.is_some() || run.settings.emit == Emit::Guarded {
        let converted = match text_after(&text, &outcome.patch, (run.settings, role)) {
            Ok(converted) => converted,
            Err(error) => return Ok(FileReport::failed(source.path.clone(), format!("{}: {error}", source.path))),
        };
        let (bytes, changes) = (text.file().encode(&converted), converted != text.text());
        if let (true, Some(staging), Some(output)) = (moves || changes, run.staging, &source.output) {
            staging.write(output, &bytes, &source.path)?;
        }
        note(source, (&text.file().encode(text.text()), &bytes), run)?;
        if let Some(observe) = run.observer {
            observe(source, Converted { known: Some(&bytes), conversion: Some((&text, &outcome)) });
        }
        changes
    } else {
        stage_patched(source, (&text, &outcome), (run, moves))?;
        !outcome.patch.is_empty()
    };
    // A file that stays where it is will be converted again.
    let is_replaced = is_written && changes && !moves;
    let includes_helpers = run.helpers.is_some_and(|header| adds_include(&outcome.patch, header, &source.path));
    let found =
        |document: &Document| check(Input { document, project, table: run.table, settings: run.settings }).found;
    let carried = if is_replaced { carried(&text, &outcome, found) } else { Vec::new() };
    let mut report = FileReport { includes_helpers, carried, ..FileReport::of(&text, launches, outcome) };
    if changes {
        report.status = Status::Converted;
    }
    Ok(report)
}

/// Stages what becomes of a file that has the form for HIP only.
fn stage_patched(
    source: &Source,
    (text, outcome): (&SourceText, &Outcome),
    (run, moves): (Run<'_>, bool),
) -> Result<(), WriteError> {
    let writes = moves || !outcome.patch.is_empty();
    if let (true, Some(staging), Some(output)) = (writes, run.staging, &source.output) {
        // Nobody else asks for the result, so that it need not be whole in memory.
        let encoding = text.file().encoding;
        staging.write_with(output, &source.path, |out| {
            outcome.patch.apply_to(text.text(), &mut |part| out.write_all(&encoding.encode(part)))
        })?;
    }
    if let Some(observe) = run.observer {
        observe(source, Converted { known: None, conversion: Some((text, outcome)) });
    }
    Ok(())
}

/// A file in which no place is found for what parts both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoGuards {
    /// In a source.
    #[error("no place for `#if` is found, as a comment, literal or condition is not closed; use `--emit hip`")]
    Source,
    /// In a file of CMake.
    #[error(
        "no place for `if(USE_HIP)` is found, as a command or block is not closed, or something stands between commands; use `--build-mode replace`"
    )]
    Build,
}

/// Whether something is to be said in a file of CMake, or about it, as it is where the variable that chooses between CUDA and HIP
/// is set.
fn tells_of_switch(run: Run<'_>, path: &Utf8Path) -> bool {
    let role = run.survey.and_then(|survey| survey.switch_roles.get(path));
    role.is_some_and(|role| role.declares || role.lacks_platform)
}

/// The text that is written for a file, with what it has to do with the variable that chooses between CUDA and HIP.
pub fn text_after(
    source: &SourceText,
    patch: &Patch,
    (settings, role): (&Settings, SwitchRole),
) -> Result<String, NoGuards> {
    let is_cmake = || build_kind(&source.file().path) == Some(BuildKind::CMake);
    if settings.build_mode == BuildMode::Option && is_cmake() {
        return switched(&Document::new(source.file().clone()), patch, role).ok_or(NoGuards::Build);
    }
    match settings.emit {
        Emit::Hip => Ok(patch.apply(source.text())),
        Emit::Guarded => guarded(&Document::new(source.file().clone()), patch).ok_or(NoGuards::Source),
    }
}

/// Whether edits bring the include of the header.
pub(super) fn adds_include(patch: &Patch, header: &HelperHeader, file: &Utf8Path) -> bool {
    let Some(include) = header.include_in(file) else { return false };
    let include = include.trim_end();
    let brings =
        |edit: &Edit| edit.pieces.iter().any(|piece| matches!(piece, Piece::Text(text) if text.contains(include)));
    !patch.filtered(&brings).is_empty()
}

/// A file without CUDA is copied where the output goes elsewhere.
fn stage_copy(source: &Source, bytes: &[u8], run: Run<'_>) -> Result<(), WriteError> {
    match (run.staging, &source.output) {
        (Some(staging), Some(output)) if *output != source.path => staging.write(output, bytes, &source.path),
        _ => Ok(()),
    }
}

/// Notes what a file was and what it becomes, where that is wanted.
fn note(source: &Source, (read, result): (&[u8], &[u8]), run: Run<'_>) -> Result<(), WriteError> {
    match (run.ledger, run.staging, &source.output) {
        (Some(ledger), Some(staging), Some(output)) => ledger.note((&source.path, read), (output, result), staging),
        _ => Ok(()),
    }
}

/// A name that one file declares is no unknown name in another. What files without a report declare is asked if need be.
pub(super) fn reconcile_reports(reports: &mut [FileReport], elsewhere: impl FnOnce() -> FxHashSet<String>) {
    let elsewhere = LazyCell::new(elsewhere);
    let declared: FxHashSet<String> =
        reports.iter_mut().flat_map(|report| std::mem::take(&mut report.declared)).collect();
    for report in reports {
        for finding in &mut report.findings {
            reconcile(&mut finding.diagnostic, &finding.subject, |name| {
                declared.contains(name) || elsewhere.contains(name)
            });
        }
    }
}
