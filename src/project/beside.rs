//! Headers that files include from beside them and from other folders.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashSet;

use super::includes::FileIncludes;
use crate::build::is_build_file;
use crate::engine::is_worth_reading;
use crate::mapping::{Kind, Table};
use crate::regular_file::read_regular;

/// The file, and what lies beside it under a name that it includes, as far as these are called like headers of CUDA's.
pub(super) fn own_headers(file: &Utf8Path, includes: &FileIncludes, table: &Table) -> Vec<Utf8PathBuf> {
    let named = includes.includes.iter().filter(|included| included.is_of_cuda);
    let beside = named.filter_map(|included| Some(file.parent()?.join(&*included.path))).filter(|path| path.is_file());
    let is_header = |path: &&Utf8Path| {
        path.file_name().is_some_and(|name| table.get(name).iter().any(|entry| entry.kind == Kind::Header))
    };
    Some(file).filter(is_header).map(Utf8Path::to_owned).into_iter().chain(beside).collect()
}

/// More than somebody writes by hand.
const MOST_BYTES: u64 = 1 << 20;
/// How many headers are looked at.
const MOST_FILES: usize = 1_000;

/// What is said about each header with CUDA that converted files include and that is not converted with them: beside a file that
/// was named alone, and outside of the folders that were named.
pub fn headers_left_behind(roots: &[Utf8PathBuf], sources: &[&Utf8Path], table: &Table) -> Vec<String> {
    let converted: BTreeSet<Utf8PathBuf> = sources.iter().map(|path| known(path)).collect();
    let folders: Vec<Utf8PathBuf> = roots.iter().filter(|root| root.is_dir()).map(|root| known(root)).collect();
    let mut open: Vec<Utf8PathBuf> = roots.iter().filter(|root| root.is_file()).cloned().collect();
    if open.len() < roots.len() {
        let climbing = includes_that_climb(sources, &folders).into_iter();
        open.extend(climbing.filter(|path| !converted.contains(&known(path))));
    }
    let (mut seen, mut told) = (converted.clone(), BTreeSet::new());
    while let Some(file) = open.pop().filter(|_| seen.len() < converted.len() + MOST_FILES) {
        let Ok(bytes) = read_regular(file.as_std_path(), MOST_BYTES) else { continue };
        let place = known(&file);
        let is_outside = !folders.iter().any(|folder| place.starts_with(folder));
        let is_hip = memchr::memmem::find(&bytes, b"hip_runtime.h").is_some();
        if !converted.contains(&place) && is_outside && !is_hip && is_worth_reading(&file, &bytes, table) {
            told.insert(place);
        }
        open.extend(included(&file, &bytes).into_iter().filter(|path| seen.insert(known(path))));
    }
    let here = known(Utf8Path::new("."));
    let shown = |path: Utf8PathBuf| path.strip_prefix(&here).map_or_else(|_| path.clone(), Utf8Path::to_owned);
    let said =
        |path| format!("`{path}` is included and has CUDA, and was not named: convert it, or its folder, as well");
    told.into_iter().map(shown).map(said).collect()
}

/// One path for all that lead to a file.
fn known(path: &Utf8Path) -> Utf8PathBuf {
    path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned())
}

/// The files that a file includes as they lie from its own folder.
fn included(file: &Utf8Path, bytes: &[u8]) -> Vec<Utf8PathBuf> {
    let folder = file.parent().unwrap_or(Utf8Path::new(""));
    quoted(bytes).into_iter().map(|path| folder.join(path)).filter(|path| path.is_file()).collect()
}

/// What files include by a path that leaves their folder, or by the name of a file in a folder that a build file names so.
fn includes_that_climb(sources: &[&Utf8Path], roots: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    let climbing = sources.par_iter().filter_map(|&path| {
        let bytes = read_regular(path.as_std_path(), MOST_BYTES).ok()?;
        memchr::memmem::find(&bytes, b"..").is_some().then_some((path, bytes))
    });
    let climbing: Vec<(&Utf8Path, Vec<u8>)> = climbing.collect();
    let (builds, others): (Vec<_>, Vec<_>) = climbing.into_iter().partition(|(path, _)| is_build_file(path));
    let above = builds.iter().flat_map(|(path, bytes)| folders_above(path, bytes));
    // What lies below the folders that are converted is converted, too.
    let is_outside = |folder: &Utf8PathBuf| !roots.iter().any(|root| folder.starts_with(root));
    let folders: BTreeSet<Utf8PathBuf> = above.map(|folder| known(&folder)).filter(is_outside).collect();
    let mut found: Vec<Utf8PathBuf> = others.iter().flat_map(|(path, bytes)| included(path, bytes)).collect();
    if !folders.is_empty() {
        let names: FxHashSet<&str> = sources.iter().filter_map(|path| path.file_name()).collect();
        let others = sources.iter().filter(|path| !is_build_file(path));
        let wanted: BTreeSet<String> = others.flat_map(|path| not_beside(path, &names)).collect();
        let in_folder = |path: String| folders.iter().map(|folder| folder.join(&path)).find(|path| path.is_file());
        found.extend(wanted.into_iter().filter_map(in_folder));
    }
    found
}

/// What a file includes that does not lie beside it, nor is of the project, which has files of these `names`.
fn not_beside(file: &Utf8Path, names: &FxHashSet<&str>) -> Vec<String> {
    let bytes = read_regular(file.as_std_path(), MOST_BYTES).unwrap_or_default();
    let beside = file.parent().unwrap_or(Utf8Path::new(""));
    let is_of_project = |path: &str| Utf8Path::new(path).file_name().is_some_and(|name| names.contains(name));
    quoted(&bytes).into_iter().filter(|path| !is_of_project(path) && !beside.join(path).is_file()).collect()
}

/// The folders for headers (`-I../common`) that a build file names by a path that leaves its own.
fn folders_above(file: &Utf8Path, bytes: &[u8]) -> Vec<Utf8PathBuf> {
    let text = String::from_utf8_lossy(bytes);
    let beside = file.parent().unwrap_or(Utf8Path::new(""));
    let words = text.split(|c: char| c.is_whitespace() || "\"'()=;,".contains(c));
    let above = words.filter_map(|word| match word.strip_prefix("-I") {
        Some(path) => path.starts_with("..").then_some(path),
        // `cd ..` names no folder for headers.
        None => word.starts_with("../").then_some(word),
    });
    above.map(|path| beside.join(path)).filter(|path| path.is_dir()).collect()
}

/// The paths of all `#include "…"`.
fn quoted(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let path = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
        Some(rest.strip_prefix('"')?.split_once('"')?.0.to_owned())
    };
    text.lines().filter_map(path).collect()
}
