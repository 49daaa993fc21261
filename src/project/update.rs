//! Converts changed CUDA sources again, and keeps what was edited in the results since the last time.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Mutex, PoisonError};

use crate::mapping::warp_header;
use crate::source::digest;
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

use super::convert::{Converted, Run, Source, convert_files};
use super::file_report::{FileReport, Status};
use super::helper_plan::HelperPlan;
use super::home::Home;
use super::ledger::{Ledger, NamedRoot};
use super::manifest::{Base, Manifest, ManifestError, kept_text};
use super::one_name::{InPlace, is_one_file};
use super::read::{ReadError, read};
use super::renames::{Candidate, pair};
use super::staged::shown;
use super::unread::why_unread;
use super::update_file::{Content, Texts, UpdateAction, UpdatedFile, decide};
use super::walk::Selection;
use super::write::{Staging, WriteError};

/// An update that cannot be done. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// What is known of the last time.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The inputs and results.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The new results.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Where a result goes is a folder, or a file is where its folder goes.
    #[error(
        "`{path}` is a {}, and the conversion of `{input}` needs a {} there; move it away, with what was edited in it, and give the command again",
        if *.is_folder { "folder" } else { "file" },
        if *.is_folder { "file" } else { "folder" }
    )]
    InTheWay {
        /// What is in the way.
        path: Utf8PathBuf,
        /// The input of the result.
        input: Utf8PathBuf,
        /// Whether it is a folder.
        is_folder: bool,
    },
}

/// What an update works with.
#[derive(Clone, Copy)]
pub struct Update<'u> {
    /// Where the manifest is.
    pub home: &'u Home,
    /// What was converted the last time.
    pub before: &'u Manifest,
    /// What is noted for the next time.
    pub ledger: &'u Ledger,
    /// Where results are staged; without it nothing is written.
    pub staging: Option<&'u Staging>,
    /// Where the sources lie now, in the order of the roots of `before`.
    pub roots: &'u [NamedRoot],
    /// Which files of these are wanted.
    pub selection: &'u Selection,
}

/// What an update did, or would do.
#[derive(Debug)]
pub struct Updated {
    /// All files, sorted.
    pub files: Vec<UpdatedFile>,
    /// What the conversion said about each input.
    pub reports: Vec<FileReport>,
    /// Results, from the home on, that the next update need not know.
    pub forgotten: Vec<Utf8PathBuf>,
}

impl Updated {
    /// How many findings a person has to act on in inputs whose conversion came into a result.
    pub fn open_findings(&self) -> usize {
        let taken = self.files.iter().filter(|file| file.action.takes_conversion());
        let inputs: FxHashSet<&Utf8PathBuf> = taken.filter_map(|file| file.input.as_ref()).collect();
        self.reports.iter().filter(|report| inputs.contains(&report.path)).map(|report| report.open().count()).sum()
    }
}

impl Update<'_> {
    /// Converts `sources`, takes `copies` as they are, and merges both, and the headers of `helpers`, with what is there.
    pub fn perform(
        self,
        (sources, copies, helpers): (&[Source], &[Source], Option<&HelperPlan>),
        run: Run<'_>,
        tick: impl Fn() + Sync,
    ) -> Result<Updated, UpdateError> {
        let session = Session::new(self);
        let observe = |source: &Source, converted: Converted<'_>| {
            let input = match converted.conversion {
                Some((document, _)) => document.file().encode(document.text()),
                None => converted.bytes(),
            };
            session.arrived(source, &input, &converted.bytes());
        };
        let run = Run { staging: None, ledger: None, observer: Some(&observe), ..run };
        let reports = convert_files(sources, run, tick)?;
        for copy in copies {
            let bytes = read(&copy.path)?;
            session.arrived(copy, &bytes, &bytes);
        }
        let headers: Vec<Source> =
            helpers.map(|plan| plan.needed(&reports)).unwrap_or_default().into_iter().cloned().collect();
        for header in &headers {
            let bytes = warp_header().into_bytes();
            session.arrived(header, &bytes, &bytes);
        }
        let failed = reports.iter().find(|report| report.status == Status::Failed);
        let (files, forgotten) = session.finish(sources.iter().chain(copies).chain(&headers), failed)?;
        Ok(Updated { files, reports, forgotten })
    }
}

/// An update while it goes on, for several threads.
struct Session<'u> {
    update: Update<'u>,
    /// Results of the last time, by root and input.
    known: FxHashMap<(usize, &'u Utf8Path), (&'u Utf8Path, &'u Base)>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    files: Vec<UpdatedFile>,
    /// Inputs that the last time did not know.
    new: Vec<New>,
    error: Option<UpdateError>,
}

/// An input that the last time did not know, and what it became.
struct New {
    source: Source,
    input: String,
    theirs: Vec<u8>,
}

/// A result of the last time: its path from the home on, and how it came to be.
type Known<'u> = (&'u Utf8Path, &'u Base);

impl<'u> Session<'u> {
    fn new(update: Update<'u>) -> Session<'u> {
        let files = update.before.files.iter();
        let known = files.map(|(path, base)| ((base.root, base.input.as_path()), (path.as_path(), base)));
        Session { update, known: known.collect(), state: Mutex::default() }
    }

    /// Takes what became of an input.
    fn arrived(&self, source: &Source, input: &[u8], theirs: &[u8]) {
        let way = make_way(source.output.as_deref().unwrap_or(&source.path), &source.path);
        let noted = way.and_then(|()| self.note(source, input, theirs));
        let place = self.update.ledger.place_of(&source.path);
        let known = place.as_ref().and_then(|(root, inside)| self.known.get(&(*root, inside.as_path())));
        let done = noted.and_then(|()| match known {
            Some(known) => self.settle(source, Some(*known), theirs).map(Some),
            None => Ok(None),
        });
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match done {
            Ok(Some(file)) => state.files.push(file),
            Ok(None) => state.new.push(New { source: source.clone(), input: digest(input), theirs: theirs.to_vec() }),
            Err(error) => state.error = state.error.take().or(Some(error)),
        }
    }

    fn note(&self, source: &Source, input: &[u8], theirs: &[u8]) -> Result<(), UpdateError> {
        if let (Some(staging), Some(output)) = (self.update.staging, &source.output) {
            self.update.ledger.note((&source.path, input), (output, theirs), staging)?;
        }
        Ok(())
    }

    /// Deals with an input that is there, and with the result of the last time that belongs to it.
    fn settle(&self, source: &Source, known: Option<Known<'_>>, theirs: &[u8]) -> Result<UpdatedFile, UpdateError> {
        let Update { home, before, staging, .. } = self.update;
        let output = source.output.as_deref().unwrap_or(&source.path);
        let old = known.map(|(path, _)| home.path(path));
        // Somebody may have given the result its new name already.
        let at = old.as_deref().filter(|old| old.symlink_metadata().is_ok()).unwrap_or(output);
        let ours = read_if_there(home, at)?;
        let base = known.map(|(_, base)| base_text(home, base, [ours.as_deref(), Some(theirs)])).transpose()?;
        let texts = Texts { base: base.as_deref(), ours: ours.as_deref(), theirs: Some(theirs) };
        let name = home.relative(output).unwrap_or_else(|_| output.to_owned());
        let mut decision = decide(texts, name.as_str(), before.in_place);
        let moves = ours.is_some() && !is_same(at, output);
        // A script that may be run now.
        let gains_right = ours.is_some() && is_executable(&source.path) && !is_executable(at);
        if gains_right && decision.action == UpdateAction::Unchanged {
            decision.action = UpdateAction::Updated;
        }
        if let Some(staging) = staging {
            let like = if ours.is_some() && !gains_right { at } else { source.path.as_path() };
            let content = match &decision.content {
                Content::Theirs => Some(theirs),
                Content::Merged(bytes) => Some(bytes.as_slice()),
                Content::Ours if moves || gains_right => ours.as_deref(),
                Content::Ours | Content::Nothing => None,
            };
            if let Some(content) = content {
                staging.write(output, content, like)?;
            }
            if moves {
                staging.remove(at)?;
            }
        }
        let from = moves.then(|| shown_path(at));
        Ok(UpdatedFile { path: shown_path(output), from, input: Some(source.path.clone()), action: decision.action })
    }

    /// Deals with new files and with those whose input is gone. Where one `failed`, nothing is removed.
    fn finish<'s>(
        self,
        sources: impl Iterator<Item = &'s Source>,
        failed: Option<&FileReport>,
    ) -> Result<(Vec<UpdatedFile>, Vec<Utf8PathBuf>), UpdateError> {
        let State { mut files, mut new, error } =
            std::mem::take(&mut *self.state.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(error) = error {
            return Err(error);
        }
        new.sort_by(|a, b| a.source.path.cmp(&b.source.path));
        let sources: Vec<&Source> = sources.collect();
        let mut results = InPlace::default();
        sources.iter().filter_map(|source| source.output.as_deref()).for_each(|output| results.note(output));
        let mut gone = self.gone(&sources);
        gone.retain(|known| {
            let kept = self.why_unread(known.1).map(|reason| self.keep(*known, reason));
            let is_gone = kept.is_none();
            files.extend(kept);
            is_gone
        });
        let partners = self.partners(&gone, &new)?;
        let mut forgotten = Vec::new();
        for (number, new) in new.iter().enumerate() {
            let partner = partners.iter().find(|(_, now)| *now == number).and_then(|(old, _)| gone.get(*old));
            files.push(self.settle(&new.source, partner.copied(), &new.theirs)?);
            forgotten.extend(partner.map(|(path, _)| (*path).to_owned()));
        }
        for (number, known) in gone.iter().enumerate() {
            if partners.iter().any(|(old, _)| *old == number) {
                continue;
            }
            if let Some(failed) = failed.filter(|_| !self.update.before.in_place) {
                files.push(self.keep(*known, format!("nothing is removed, as `{}` could not be read", failed.path)));
            } else {
                // Where case does not count, it may be another name of a result that stays.
                if results.refuse(&self.update.home.path(known.0), true).is_ok() {
                    files.push(self.leave(*known)?);
                }
                forgotten.extend((!self.update.before.in_place).then(|| known.0.to_owned()));
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok((files, forgotten))
    }

    /// Results of the last time whose input is not among `sources`.
    fn gone(&self, sources: &[&Source]) -> Vec<Known<'u>> {
        let named: FxHashSet<_> =
            sources.iter().filter_map(|source| self.update.ledger.place_of(&source.path)).collect();
        let is_gone = |base: &Base| !named.contains(&(base.root, base.input.clone()));
        let files = self.update.before.files.iter().filter(|(_, base)| is_gone(base));
        files.map(|(path, base)| (path.as_path(), base)).collect()
    }

    /// Why the input of a result was not read, if it is there; in place, what was not named stays anyhow.
    fn why_unread(&self, base: &Base) -> Option<String> {
        let Update { roots, before, selection, .. } = self.update;
        let root = roots.get(base.root).filter(|_| !before.in_place)?;
        why_unread(&root.input, &base.input, selection)
    }

    /// A result that stays as it is.
    fn keep(&self, (path, _): Known<'_>, reason: String) -> UpdatedFile {
        let path = shown_path(&self.update.home.path(path));
        UpdatedFile { path, from: None, input: None, action: UpdateAction::NotRead(reason) }
    }

    fn partners(&self, gone: &[Known<'_>], new: &[New]) -> Result<Vec<(usize, usize)>, UpdateError> {
        if gone.is_empty() || new.is_empty() {
            return Ok(Vec::new());
        }
        let texts = gone.iter().map(|(_, base)| kept_text(self.update.home, &base.output_sha256));
        let texts = texts.collect::<Result<Vec<_>, _>>()?;
        let were: Vec<_> =
            gone.iter().zip(&texts).map(|((_, base), text)| Candidate { input: &base.input_sha256, text }).collect();
        let are: Vec<_> = new.iter().map(|new| Candidate { input: &new.input, text: &new.theirs }).collect();
        let mut pairs = pair(&were, &are);
        // Where both names are taken, each file has its own history.
        pairs.retain(|&(old, now)| {
            let output = new[now].source.output.as_ref();
            let was = self.update.home.path(gone[old].0);
            let lies_in = |output: &Utf8PathBuf| {
                let output = self.update.home.relative(output).unwrap_or_default();
                output != gone[old].0 && (output.starts_with(gone[old].0) || gone[old].0.starts_with(&output))
            };
            !output.is_some_and(|output| {
                lies_in(output) || (was.exists() && output.exists() && !is_one_file(&was, output))
            })
        });
        Ok(pairs)
    }

    /// Deals with a result whose input is gone.
    fn leave(&self, (path, base): Known<'_>) -> Result<UpdatedFile, UpdateError> {
        let Update { home, before, staging, .. } = self.update;
        let target = home.path(path);
        let ours = read_if_there(home, &target)?;
        let base = base_text(home, base, [ours.as_deref(), None])?;
        let texts = Texts { base: Some(&base), ours: ours.as_deref(), theirs: None };
        let decision = decide(texts, path.as_str(), before.in_place);
        if let (Some(staging), Content::Nothing) = (staging, &decision.content) {
            staging.remove(&target)?;
        }
        Ok(UpdatedFile { path: shown_path(&target), from: None, input: None, action: decision.action })
    }
}

/// Fails if a folder has the name of a result, or a file that of its folder. Who moves it away can have edited it.
fn make_way(output: &Utf8Path, input: &Utf8Path) -> Result<(), UpdateError> {
    let folder = Some(output).filter(|output| output.is_dir() && !output.is_symlink());
    let Some(path) = folder.or_else(|| output.ancestors().skip(1).find(|above| above.is_file())) else {
        return Ok(());
    };
    Err(UpdateError::InTheWay { path: shown_path(path), input: input.to_owned(), is_folder: folder.is_some() })
}

/// What the last conversion made; most often that is one of two texts at hand.
fn base_text<'t>(
    home: &Home,
    base: &Base,
    at_hand: [Option<&'t [u8]>; 2],
) -> Result<std::borrow::Cow<'t, [u8]>, UpdateError> {
    match at_hand.into_iter().flatten().find(|text| digest(text) == base.output_sha256) {
        Some(text) => Ok(text.into()),
        None => Ok(kept_text(home, &base.output_sha256)?.into()),
    }
}

/// The bytes of a result; a folder of its name is none. One that a link leads to outside is none of ours: it could come into the tree under another name.
fn read_if_there(home: &Home, path: &Utf8Path) -> Result<Option<Vec<u8>>, UpdateError> {
    if path.symlink_metadata().map_or(true, |about| about.is_dir()) {
        return Ok(None);
    }
    let real = path.canonicalize_utf8().map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
    if home.relative(path).is_ok() && !real.starts_with(home.root()) {
        let source = io::Error::other(format!("a link leads to {real}, outside of {}", home.root()));
        return Err(ReadError::Io { path: path.to_owned(), source }.into());
    }
    Ok(Some(read(path)?))
}

fn is_same(one: &Utf8Path, other: &Utf8Path) -> bool {
    one == other
        || is_one_file(one, other)
        || matches!((one.canonicalize_utf8(), other.canonicalize_utf8()), (Ok(a), Ok(b)) if a == b)
}

fn shown_path(path: &Utf8Path) -> Utf8PathBuf {
    super::home::resolved(path).map_or_else(|_| path.to_owned(), |path| shown(&path))
}

/// Whether anybody may run a file.
fn is_executable(path: &Utf8Path) -> bool {
    path.metadata().is_ok_and(|about| about.permissions().mode() & 0o111 != 0)
}
