//! Look-up of names.

use super::flavor::Flavor;
use std::sync::LazyLock;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::calls::{self, CallRule};
use super::entry::{Entry, Kind, Support};
use super::load::{MappingError, csv_table};
use super::version::{RocmVersion, VersionRange};

/// The library tables whose names are emitted in the `roc` flavour.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Libraries {
    roc: Vec<String>,
}

impl Libraries {
    /// Chooses AMD's own library for the table `library`, such as `cublas`.
    pub fn prefer_roc(&mut self, library: &str) {
        if !self.roc.iter().any(|known| known == library) {
            self.roc.push(library.to_owned());
        }
    }

    /// Chooses the portable wrapper for the table `library`.
    pub fn prefer_hip(&mut self, library: &str) {
        self.roc.retain(|known| known != library);
    }

    /// The flavour chosen for `library`.
    pub fn flavor(&self, library: &str) -> Flavor {
        if self.roc.iter().any(|known| known == library) { Flavor::Roc } else { Flavor::Hip }
    }
}

/// What to do with a known name for one ROCm release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution<'t> {
    /// Emit this name.
    Name(&'t str, &'t Entry),
    /// HIP has the name, but only in other releases; the entry nearest to the release asked for.
    OtherRelease(&'t Entry),
    /// HIP has no counterpart.
    Missing(&'t Entry),
}

/// All mapping tables.
#[derive(Debug, Clone)]
pub struct Table {
    /// Sorted by name.
    entries: Vec<Entry>,
    /// Name to its first entry.
    index: FxHashMap<&'static str, u32>,
    /// Sorted by name.
    calls: Vec<CallRule>,
    /// Function to its first call rule.
    call_index: FxHashMap<Box<str>, u32>,
}

macro_rules! builtin_tables {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../../mappings/", $name, ".csv")))),+]
    };
}

/// The built-in tables; a name in an earlier one wins over the same name in a later one.
const BUILTIN: &[(&str, &str)] = builtin_tables![
    "runtime",
    "driver",
    "nvrtc",
    "device",
    "fp16",
    "complex",
    "cooperative_groups",
    "cublas",
    "cublaslt",
    "cudnn",
    "cufft",
    "curand",
    "cusolver",
    "cusparse",
    "cub",
    "thrust",
    "nccl",
    "nvtx",
    "nvml",
    "caffe2",
    "headers",
];

static TABLE: LazyLock<Result<Table, MappingError>> =
    LazyLock::new(|| Table::read(BUILTIN, include_str!("../../../mappings/calls.toml"), &[]));

impl Table {
    /// The built-in tables.
    pub fn builtin() -> Result<&'static Table, &'static MappingError> {
        TABLE.as_ref()
    }

    /// The built-in tables with those of a user in front, given as CSV texts with the same columns.
    pub fn with_user_tables(user: &[String]) -> Result<Table, MappingError> {
        Table::read(BUILTIN, include_str!("../../../mappings/calls.toml"), user)
    }

    fn read(builtin: &[(&'static str, &'static str)], calls: &str, user: &[String]) -> Result<Table, MappingError> {
        // Entries borrow from their table, and tables live as long as the process.
        let user = user.iter().map(|text| (Entry::OF_USER, &*text.clone().leak()));
        let tables: Vec<(&'static str, &'static str)> = user.chain(builtin.iter().copied()).collect();
        // Reading the tables is most of what a short run does, so the cores share it.
        let (entries, calls) = rayon::join(
            || tables.par_iter().map(|(library, text)| csv_table(library, text)).collect::<Result<Vec<_>, _>>(),
            || calls::read(calls),
        );
        let (mut entries, calls) = (entries?.into_iter().flatten().collect::<Vec<_>>(), calls?);
        // Stable, so that entries of one name stay in the order of the tables.
        entries.sort_by(|a, b| a.cuda.cmp(b.cuda));
        let index = first_of_each(entries.iter().map(|entry| entry.cuda));
        let call_index = first_of_each(calls.iter().map(|rule| rule.cuda.clone()));
        Ok(Table { entries, index, calls, call_index })
    }

    /// All entries, sorted by name.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Those from a name on, or from where it would be.
    pub fn entries_from(&self, name: &str) -> impl Iterator<Item = &Entry> {
        let start = self.entries.partition_point(|entry| entry.cuda < name);
        self.entries.iter().skip(start)
    }

    /// All call rules, sorted by name.
    pub fn calls(&self) -> &[CallRule] {
        &self.calls
    }

    /// The entries of a CUDA name.
    pub fn get(&self, cuda: &str) -> &[Entry] {
        let Some(&first) = self.index.get(cuda) else { return &[] };
        let rest = &self.entries[first as usize..];
        &rest[..rest.iter().take_while(|entry| entry.cuda == cuda).count()]
    }

    /// Whether any entry is about `cuda`.
    pub fn contains(&self, cuda: &str) -> bool {
        self.index.contains_key(cuda)
    }

    /// The call rules of a CUDA function.
    pub fn calls_of(&self, cuda: &str) -> &[CallRule] {
        let Some(&first) = self.call_index.get(cuda) else { return &[] };
        let rest = &self.calls[first as usize..];
        &rest[..rest.iter().take_while(|rule| &*rule.cuda == cuda).count()]
    }

    /// The HIP names that `cuda` has in some release, with the releases that have them.
    pub fn variants<'t>(
        &'t self,
        cuda: &str,
        header: bool,
        libraries: &Libraries,
    ) -> impl Iterator<Item = (VersionRange, &'t str)> {
        let candidates = self.get(cuda).iter().filter(move |entry| (entry.kind == Kind::Header) == header);
        candidates.filter_map(|entry| match resolution(entry, libraries) {
            Resolution::Name(to, entry) => Some((entry.range, to)),
            _ => None,
        })
    }

    /// What `cuda` becomes in `version`. Headers are looked up as such; all other kinds share
    /// one name space, as they do in C++.
    pub fn resolve(
        &self,
        cuda: &str,
        header: bool,
        version: RocmVersion,
        libraries: &Libraries,
    ) -> Option<Resolution<'_>> {
        let candidates = || self.get(cuda).iter().filter(|entry| (entry.kind == Kind::Header) == header);
        if let Some(entry) = candidates().find(|entry| entry.range.contains(version)) {
            return Some(resolution(entry, libraries));
        }
        candidates().rfind(|entry| entry.support != Support::None).map(Resolution::OtherRelease)
    }
}

fn resolution<'t>(entry: &'t Entry, libraries: &Libraries) -> Resolution<'t> {
    let wants_roc = !entry.roc.is_empty() && libraries.flavor(library_of(entry)) == Flavor::Roc;
    let name = if wants_roc { entry.roc } else { entry.hip };
    if name.is_empty() { Resolution::Missing(entry) } else { Resolution::Name(name, entry) }
}

/// Where headers of AMD's own libraries lie, and the table whose flavour chooses them.
const ROC_HEADERS: &[(&str, &str)] =
    &[("rocblas/", "cublas"), ("rocrand/", "curand"), ("rocsolver/", "cusolver"), ("rocsparse/", "cusparse")];

/// The table whose flavour decides about `entry`: a header follows the names that it declares.
fn library_of(entry: &Entry) -> &'static str {
    let of_header =
        ROC_HEADERS.iter().find(|(directory, _)| entry.kind == Kind::Header && entry.roc.starts_with(directory));
    of_header.map_or(entry.library, |(_, library)| library)
}

fn first_of_each<N: std::hash::Hash + Eq>(names: impl Iterator<Item = N>) -> FxHashMap<N, u32> {
    let mut index = FxHashMap::with_capacity_and_hasher(names.size_hint().0, rustc_hash::FxBuildHasher);
    for (at, name) in (0..).zip(names) {
        index.entry(name).or_insert(at);
    }
    index
}
