//! Headers that lie beside a file and are included by it.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::includes::FileIncludes;
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

/// What is said about each header with CUDA that a file includes which was named alone, and which is not converted with it.
pub fn headers_left_behind<'p>(
    roots: &[Utf8PathBuf],
    sources: impl Iterator<Item = &'p Utf8Path>,
    table: &Table,
) -> Vec<String> {
    let known = |path: &Utf8Path| path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned());
    let converted: BTreeSet<Utf8PathBuf> = sources.map(known).collect();
    let mut open: Vec<Utf8PathBuf> = roots.iter().filter(|root| root.is_file()).cloned().collect();
    let (mut seen, mut told) = (converted.clone(), Vec::new());
    while let Some(file) = open.pop().filter(|_| seen.len() < converted.len() + MOST_FILES) {
        let Ok(bytes) = read_regular(file.as_std_path(), MOST_BYTES) else { continue };
        if !converted.contains(&known(&file)) && is_worth_reading(&file, &bytes, table) {
            told.push(format!(
                "`{file}` is included and has CUDA, and was not named: convert it, or its folder, as well"
            ));
        }
        let folder = file.parent().unwrap_or(Utf8Path::new(""));
        let beside = quoted(&bytes).into_iter().map(|path| folder.join(path)).filter(|path| path.is_file());
        open.extend(beside.filter(|path| seen.insert(known(path))).collect::<Vec<_>>());
    }
    told.sort();
    told
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
