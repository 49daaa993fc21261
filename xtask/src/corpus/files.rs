//! Lists the CUDA files of a folder and tells whether they are the ones the manifest means.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// All files below `folder`, sorted, relative to it.
pub(super) fn below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![PathBuf::new()];
    while let Some(relative) = pending.pop() {
        let here = folder.join(&relative);
        for entry in fs::read_dir(&here).with_context(|| format!("reading `{}`", here.display()))? {
            let entry = entry?;
            let path = relative.join(entry.file_name());
            let list = if entry.file_type()?.is_dir() { &mut pending } else { &mut found };
            list.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The files among `files` with one of `extensions`.
pub(super) fn with_extension(mut files: Vec<PathBuf>, extensions: &[&str]) -> Vec<PathBuf> {
    files.retain(|file| file.extension().is_some_and(|own| extensions.iter().any(|one| own == *one)));
    files
}

/// What tells one set of files from another.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Digest {
    pub(super) files: usize,
    pub(super) bytes: u64,
    /// FNV-1a, 64 bits, over each name and content in order, each ended by a zero byte. It guards
    /// against a mix-up; cargo has checked the download itself by then.
    pub(super) hash: String,
}

impl Digest {
    /// Reads the `.cu` and `.cuh` files below `folder`.
    pub(super) fn of(folder: &Path) -> Result<Self> {
        Digest::of_files(folder, &with_extension(below(folder)?, &["cu", "cuh"]))
    }

    /// Reads `files`, which are relative to `folder`.
    pub(super) fn of_files(folder: &Path, files: &[PathBuf]) -> Result<Self> {
        let (mut bytes, mut state) = (0, 0xcbf2_9ce4_8422_2325);
        for file in files {
            let path = folder.join(file);
            let content = fs::read(&path).with_context(|| format!("reading `{}`", path.display()))?;
            bytes += content.len() as u64;
            state = fnv1a(state, file.to_string_lossy().replace('\\', "/").as_bytes());
            state = fnv1a(state, &content);
        }
        Ok(Self { files: files.len(), bytes, hash: format!("{state:016x}") })
    }
}

fn fnv1a(state: u64, bytes: &[u8]) -> u64 {
    bytes.iter().chain(&[0]).fold(state, |state, byte| (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
