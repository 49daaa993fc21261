//! Notes what a run makes of each file, for the manifest.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::source::digest;
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

use super::digest::digest_of;
use super::home::{Home, resolved};
use super::manifest::{Base, MANIFEST, Manifest, Root, packed, text_path};
use super::read::read;
use super::write::{Staging, WriteError};

/// What a run makes of each file.
#[derive(Debug)]
pub struct Ledger {
    home: Home,
    /// The manifest that the run writes, still without its files.
    manifest: Manifest,
    before: Option<Manifest>,
    /// Inputs as the caller names them, with the numbers of their roots.
    roots: Vec<(Utf8PathBuf, usize)>,
    /// Whether results that earlier runs know are noted again.
    renews: bool,
    files: Mutex<BTreeMap<Utf8PathBuf, Base>>,
    kept: Mutex<FxHashSet<String>>,
}

/// Where inputs lie, and where their results go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedRoot {
    /// The input as the user names it.
    pub input: Utf8PathBuf,
    /// The directory of its results.
    pub output: Utf8PathBuf,
}

impl Ledger {
    /// For a run over `roots`. `before` is the manifest of earlier runs, whose files stay in the new one.
    pub fn new(
        home: Home,
        mut manifest: Manifest,
        before: Option<Manifest>,
        roots: &[NamedRoot],
    ) -> std::io::Result<Ledger> {
        if let Some(before) = &before {
            manifest.roots.clone_from(&before.roots);
        }
        let mut numbers = Vec::with_capacity(roots.len());
        for root in roots {
            let noted = Root { input: home.relative(&root.input)?, output: home.relative(&root.output)? };
            numbers.push((root.input.clone(), manifest.number_of(&noted)));
        }
        let (files, kept) = (Mutex::default(), Mutex::default());
        // What was converted in place is no CUDA any more: its edits would be taken for the tool's work.
        let renews = !manifest.in_place;
        Ok(Ledger { home, manifest, before, roots: numbers, renews, files, kept })
    }

    /// For an update, which knows what is whose.
    #[must_use]
    pub fn renewing(self) -> Ledger {
        Ledger { renews: true, ..self }
    }

    /// Notes that `output` with the bytes `result` was made from `input` with the bytes `read`.
    pub fn note(
        &self,
        (input, read): (&Utf8Path, &[u8]),
        (output, result): (&Utf8Path, &[u8]),
        staging: &Staging,
    ) -> Result<(), WriteError> {
        let noted = self.home.relative(output).map_err(|source| WriteError::new(output, source))?;
        let Some((root, inside)) = self.place_of(input) else { return Ok(()) };
        if !self.renews && self.before.as_ref().is_some_and(|before| before.files.contains_key(&noted)) {
            return Ok(());
        }
        let output_sha256 = self.keep(result, staging)?;
        let base = Base { root, input: inside, input_sha256: digest(read), output_sha256 };
        self.files.lock().unwrap_or_else(PoisonError::into_inner).insert(noted, base);
        Ok(())
    }

    /// Keeps a text and returns its digest.
    fn keep(&self, text: &[u8], staging: &Staging) -> Result<String, WriteError> {
        let digest = digest(text);
        let is_new = self.kept.lock().unwrap_or_else(PoisonError::into_inner).insert(digest.clone());
        let path = text_path(&self.home, &digest);
        if is_new && !path.exists() {
            let packed = packed(text).map_err(|source| WriteError::new(&path, source))?;
            staging.write(&path, &packed, &path)?;
        }
        Ok(digest)
    }

    /// The number of the root that `input` lies below, and its path from there on.
    pub(super) fn place_of(&self, input: &Utf8Path) -> Option<(usize, Utf8PathBuf)> {
        self.roots.iter().find_map(|(root, number)| {
            let inside = input.strip_prefix(root).ok()?;
            // A root that is a file itself.
            let inside = if inside.as_str().is_empty() { Utf8Path::new(input.file_name()?) } else { inside };
            Some((*number, inside.to_owned()))
        })
    }

    /// Results of earlier runs that were edited since, and that this run writes again.
    pub fn overwritten_edits(&self) -> usize {
        let Some(before) = self.before.as_ref().filter(|_| !self.manifest.in_place) else { return 0 };
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let again = files.keys().filter_map(|path| Some((path, before.files.get(path)?)));
        let edited = again.filter(|(path, base)| {
            let now = digest_of(&self.home.path(path)).ok().flatten();
            now.is_some_and(|now| now != base.output_sha256)
        });
        edited.count()
    }

    /// Files that this run writes over, and that no earlier one wrote.
    pub fn overwritten_others(&self) -> Vec<Utf8PathBuf> {
        if self.manifest.in_place {
            return Vec::new();
        }
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = |path: &Utf8PathBuf| self.before.as_ref().is_some_and(|before| before.files.contains_key(path));
        let is_other = |(path, base): &(&Utf8PathBuf, &Base)| {
            let now = digest_of(&self.home.path(path)).ok().flatten();
            !is_known(path) && now.is_some_and(|now| now != base.output_sha256)
        };
        files.iter().filter(is_other).map(|(path, _)| self.home.shown(path)).collect()
    }

    /// Writes the manifest. Files of earlier runs stay in it, those left out that `forget` names.
    pub fn close(self, forget: &[Utf8PathBuf], staging: &Staging) -> Result<(), WriteError> {
        let Ledger { home, mut manifest, before, files, .. } = self;
        let old_files = before.map(|before| before.files).unwrap_or_default();
        let old_texts: FxHashSet<String> = old_files.values().map(|base| base.output_sha256.clone()).collect();
        manifest.files = old_files;
        manifest.files.retain(|path, _| !forget.contains(path));
        manifest.files.extend(files.into_inner().unwrap_or_else(PoisonError::into_inner));
        let texts: FxHashSet<&String> = manifest.files.values().map(|base| &base.output_sha256).collect();
        for unused in old_texts.iter().filter(|digest| !texts.contains(digest)) {
            staging.remove_if_there(&text_path(&home, unused))?;
        }
        let (path, json) = (home.state(MANIFEST), manifest.to_json());
        if read(&path).is_ok_and(|now| now == json.as_bytes()) {
            return Ok(());
        }
        staging.write(&path, json.as_bytes(), &path)
    }
}

impl Home {
    /// `path` from the root on, with `..` where it lies beside.
    pub fn relative(&self, path: &Utf8Path) -> std::io::Result<Utf8PathBuf> {
        let path = resolved(path)?;
        let shared = self.root().ancestors().find(|directory| path.starts_with(directory));
        let Some(shared) = shared.filter(|shared| shared.parent().is_some()) else { return Ok(path) };
        let up = self.root().components().count() - shared.components().count();
        let mut relative: Utf8PathBuf = std::iter::repeat_n("..", up).collect();
        relative.push(path.strip_prefix(shared).unwrap_or(&path));
        Ok(if relative.as_str().is_empty() { Utf8PathBuf::from(".") } else { relative })
    }
}
