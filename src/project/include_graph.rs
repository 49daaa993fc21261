//! Which files of a project see what a header declares.

use std::collections::BTreeSet;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

use super::includes::{FileIncludes, Included};
use crate::analysis::{DeviceNames, HeaderConstants, Includers, OwnName, SharedConstants, SharedManaged, Site};

/// Says of each name that a header declares which files include that header.
pub(super) fn find_includers<'n>(names: impl Iterator<Item = &'n mut OwnName>, files: &[&FileIncludes]) {
    let mut graph: Option<Graph<'_>> = None;
    let mut known: FxHashMap<(Utf8PathBuf, bool), Arc<Includers>> = FxHashMap::default();
    for name in names.filter(|name| name.site.is_in_header()) {
        let is_macro = matches!(name.site, Site::Macro { .. });
        let found = known.entry((name.file.clone(), is_macro)).or_insert_with(|| {
            let graph = graph.get_or_insert_with(|| Graph::of(files));
            Arc::new(if is_macro { graph.seeing_macros(&name.file) } else { graph.seeing(&name.file) })
        });
        name.includers = Some(Arc::clone(found));
    }
}

/// The constants that headers share, for those who include them.
pub(super) fn shared_constants<'c>(
    headers: impl Iterator<Item = (&'c Utf8Path, &'c HeaderConstants)>,
    files: &[&FileIncludes],
) -> SharedConstants {
    let mut graph: Option<Graph<'_>> = None;
    let mut shared = SharedConstants::default();
    for (header, constants) in headers.filter(|(_, constants)| !constants.is_empty()) {
        let graph = graph.get_or_insert_with(|| Graph::of(files));
        shared.add(constants, &Arc::new(graph.seeing(header)));
    }
    shared
}

/// The managed variables that headers share, for those who include them.
pub(super) fn shared_managed<'c>(
    headers: impl Iterator<Item = (&'c Utf8Path, &'c DeviceNames)> + Clone,
    files: &[&FileIncludes],
) -> SharedManaged {
    let mut shared = SharedManaged::default();
    let managed: BTreeSet<&String> = headers.clone().flat_map(|(_, names)| &names.managed).collect();
    if managed.is_empty() {
        return shared;
    }
    let graph = Graph::of(files);
    let counts = |names: &DeviceNames| names.managed.iter().chain(&names.plain).any(|name| managed.contains(name));
    for (header, names) in headers.filter(|(_, names)| counts(names)) {
        shared.add(names, &Arc::new(graph.seeing(header)));
    }
    shared
}

/// The files that others include within brackets, where no include can be put, and those that they include: only such as may hold CUDA,
/// as far as their number is not among the `needless`. With each stands a source that includes it and that nvcc alone gives CUDA's
/// runtime header, if there is one that nothing else is told of.
pub(super) fn fragments(
    files: &[&FileIncludes],
    needless: &[Option<usize>],
) -> FxHashMap<Utf8PathBuf, Option<Utf8PathBuf>> {
    let mut found: FxHashMap<usize, Option<usize>> = FxHashMap::default();
    let has_any = |file: &&FileIncludes| file.includes.iter().any(|include| include.is_enclosed);
    if !files.iter().any(has_any) {
        return FxHashMap::default();
    }
    let graph = Graph::of(files);
    let is_needless = |file: usize| needless.get(file).is_some_and(Option::is_some);
    let with_runtime = graph.with_runtime();
    let lacks = |file: &usize| {
        let is_for_nvcc = matches!(files[*file].file.extension(), Some("cu" | "cuh"));
        is_for_nvcc && is_needless(*file) && !with_runtime.contains(file)
    };
    let enclosed = |file: usize| files[file].includes.iter().filter(|it| it.is_enclosed).map(move |it| (file, it));
    let mut waiting: Vec<(usize, &Included)> = (0..files.len()).flat_map(enclosed).collect();
    while let Some((file, include)) = waiting.pop() {
        let lacking = Some(file).filter(lacks);
        for number in graph.numbers(Utf8Path::new(&*include.path)) {
            let is_new = !found.contains_key(&number);
            let known = found.entry(number).or_default();
            *known = known.or(lacking);
            if is_new {
                waiting.extend(files[number].includes.iter().map(|include| (file, include)));
            }
        }
    }
    let path = |file: usize| files[file].file.clone();
    let with_cuda = found.into_iter().filter(|(file, _)| !is_needless(*file));
    with_cuda.map(|(file, lacking)| (path(file), lacking.map(path))).collect()
}

/// Who includes whom.
struct Graph<'f> {
    files: &'f [&'f FileIncludes],
    /// By the last part of the path that is included: numbers of files, and of the include in them.
    by_name: FxHashMap<&'f str, Vec<(usize, usize)>>,
    /// The same of includes that are no more than a name, which may mean each file of that name.
    by_plain_name: FxHashMap<&'f str, Vec<(usize, usize)>>,
    /// The numbers of files by the last part of their path, once somebody asked.
    named: FxHashMap<&'f str, Vec<usize>>,
    /// Files that include what nobody knows, and those that include them.
    unclear: BTreeSet<Utf8PathBuf>,
    /// The numbers of files that include headers of CUDA's, themselves or by others.
    with_cuda: FxHashSet<usize>,
}

impl<'f> Graph<'f> {
    fn of(files: &'f [&'f FileIncludes]) -> Graph<'f> {
        let (mut by_name, mut by_plain_name) =
            (FxHashMap::<&str, Vec<_>>::default(), FxHashMap::<&str, Vec<_>>::default());
        let mut named: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (number, file) in files.iter().enumerate() {
            named.entry(file.file.file_name().unwrap_or_default()).or_default().push(number);
            for (place, include) in file.includes.iter().enumerate() {
                let known = if is_plain(include) { &mut by_plain_name } else { &mut by_name };
                known.entry(last_part(&include.path)).or_default().push((number, place));
            }
        }
        let mut graph =
            Graph { files, by_name, by_plain_name, named, unclear: BTreeSet::new(), with_cuda: FxHashSet::default() };
        let all = 0..files.len();
        let unclear = graph.closure(all.clone().filter(|&file| files[file].names_macro), |_, _| true);
        graph.unclear = graph.paths(unclear.into_iter());
        let of_cuda = |file: &usize| files[*file].includes.iter().any(|include| include.is_of_cuda);
        graph.with_cuda = graph.closure(all.filter(of_cuda), |_, _| true);
        graph
    }

    /// The files that see what a header declares.
    fn seeing(&self, header: &Utf8Path) -> Includers {
        let surely = self.includers(header, |_, _| true);
        Includers { surely: self.paths(surely.into_iter()), perhaps: self.unclear.clone(), beside: BTreeSet::new() }
    }

    /// The files in which a macro of a header counts. Where another branch brings in CUDA's headers instead, the macro is for a
    /// build without these.
    fn seeing_macros(&self, header: &Utf8Path) -> Includers {
        let always = |file: usize, place: usize| self.files[file].includes[place].branches.is_empty();
        let surely = self.includers(header, always);
        let perhaps = self.includers(header, |file, place| !self.is_instead_of_cuda(file, place));
        let mut behind = self.included_by(&surely, &perhaps, true);
        let beside = self.included_by(&surely, &perhaps, false);
        behind.extend(perhaps.difference(&surely));
        let mut perhaps = self.paths(behind.into_iter());
        perhaps.extend(self.unclear.iter().cloned());
        Includers { surely: self.paths(surely.into_iter()), perhaps, beside: self.paths(beside.into_iter()) }
    }

    /// The numbers of files that include CUDA's headers or HIP's, themselves or by others.
    fn with_runtime(&self) -> FxHashSet<usize> {
        let is_header = |include: &Included| include.is_of_cuda || include.path.starts_with("hip/");
        let has_some = |file: &usize| self.files[*file].includes.iter().any(is_header);
        self.closure((0..self.files.len()).filter(has_some), |_, _| true)
    }

    fn paths(&self, files: impl Iterator<Item = usize>) -> BTreeSet<Utf8PathBuf> {
        files.map(|file| self.files[file].file.clone()).collect()
    }

    /// The numbers of a header and of all that include it, themselves or by others, by includes that `counts` takes.
    fn includers(&self, header: &Utf8Path, counts: impl Fn(usize, usize) -> bool) -> FxHashSet<usize> {
        let numbers = self.numbers(header).filter(|&file| self.files[file].file == header);
        self.closure(numbers, counts)
    }

    fn numbers(&self, path: &Utf8Path) -> impl Iterator<Item = usize> {
        let same = path.file_name().and_then(|name| self.named.get(name)).into_iter().flatten().copied();
        same.filter(move |&file| self.files[file].file.ends_with(path))
    }

    fn closure(&self, from: impl Iterator<Item = usize>, counts: impl Fn(usize, usize) -> bool) -> FxHashSet<usize> {
        let mut found: FxHashSet<usize> = from.collect();
        let mut waiting: Vec<usize> = found.iter().copied().collect();
        // What names no folder is followed once for all files of the name: trees have hundreds of them.
        let mut followed = FxHashSet::default();
        while let Some(included) = waiting.pop() {
            let path = &self.files[included].file;
            let name = path.file_name().unwrap_or_default();
            let is_meant = |(file, place): &&(usize, usize)| path.ends_with(&*self.files[*file].includes[*place].path);
            let plain = if followed.insert(name) { self.by_plain_name.get(name) } else { None };
            let with_folder = self.by_name.get(name).into_iter().flatten().filter(is_meant);
            for &(file, place) in plain.into_iter().flatten().chain(with_folder) {
                if counts(file, place) && found.insert(file) {
                    waiting.push(file);
                }
            }
        }
        found
    }

    /// What the files `seeing` include besides, themselves or by others; if it has to be `behind` the header, only what comes later.
    fn included_by(&self, seeing: &FxHashSet<usize>, all: &FxHashSet<usize>, behind: bool) -> FxHashSet<usize> {
        let mut found: FxHashSet<usize> = FxHashSet::default();
        let mut waiting = Vec::new();
        let names: FxHashSet<&str> = seeing.iter().filter_map(|&file| self.files[file].file.file_name()).collect();
        for &file in seeing {
            let brings = |include: &Included| {
                let is_one = || self.numbers(Utf8Path::new(&*include.path)).any(|file| seeing.contains(&file));
                names.contains(last_part(&include.path)) && (is_plain(include) || is_one())
            };
            let includes = &self.files[file].includes;
            let Some(first) = includes.iter().position(brings) else { continue };
            waiting.extend(includes.iter().skip(if behind { first + 1 } else { 0 }));
        }
        let mut followed = FxHashSet::default();
        while let Some(include) = waiting.pop() {
            if !followed.insert(&include.path) {
                continue;
            }
            for file in self.numbers(Utf8Path::new(&*include.path)) {
                if !all.contains(&file) && found.insert(file) {
                    waiting.extend(&self.files[file].includes);
                }
            }
        }
        found
    }

    /// Whether an include stands in a branch without CUDA's headers, beside one that has them.
    fn is_instead_of_cuda(&self, file: usize, place: usize) -> bool {
        let includes = &self.files[file].includes;
        if includes[place].branches.is_empty() || self.brings_cuda(&includes[place]) {
            return false;
        }
        let is_beside = |other: &Included| {
            let branches = includes[place].branches.iter();
            branches.clone().any(|(chain, branch)| other.branches.iter().any(|it| it.0 == *chain && it.1 != *branch))
        };
        includes.iter().any(|other| is_beside(other) && self.brings_cuda(other))
    }

    fn brings_cuda(&self, include: &Included) -> bool {
        include.is_of_cuda || self.numbers(Utf8Path::new(&*include.path)).any(|file| self.with_cuda.contains(&file))
    }
}

/// Whether an include names no folder.
fn is_plain(include: &Included) -> bool {
    !include.path.contains('/')
}

fn last_part(path: &str) -> &str {
    Utf8Path::new(path).file_name().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::Table;

    fn files(all: &[(&str, &str)]) -> Vec<FileIncludes> {
        let table = Table::builtin().unwrap();
        all.iter().map(|(path, text)| FileIncludes::of(Utf8Path::new(path), text.as_bytes(), table)).collect()
    }

    fn seeing(all: &[(&str, &str)], header: &str, is_macro: bool) -> Includers {
        let files = files(all);
        let files: Vec<&FileIncludes> = files.iter().collect();
        let graph = Graph::of(&files);
        if is_macro { graph.seeing_macros(Utf8Path::new(header)) } else { graph.seeing(Utf8Path::new(header)) }
    }

    #[track_caller]
    fn check(found: &BTreeSet<Utf8PathBuf>, expected: &[&str]) {
        assert_eq!(found.iter().map(|path| path.as_str()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn includes_are_followed_by_the_ends_of_paths() {
        let all = [
            ("src/a.cu", "#include \"all.h\"\n"),
            ("src/all.h", "#pragma once\n#  include \"../include/mock/cuda.h\" // here\n"),
            ("src/b.cu", "#include <other/cuda.h>\n// nothing includes this: include \"all.h\"\n"),
            ("src/c.cu", "#include <mock/cuda.h>"),
            ("include/mock/cuda.h", ""),
        ];
        let expected = ["include/mock/cuda.h", "src/a.cu", "src/all.h", "src/c.cu"];
        check(&seeing(&all, "include/mock/cuda.h", false).surely, &expected);
        check(&seeing(&all, "src/all.h", false).surely, &["src/a.cu", "src/all.h"]);
    }

    #[test]
    fn a_loop_ends_and_macros_are_unclear() {
        let all = [("a.h", "#include \"b.h\"\n"), ("b.h", "#include \"a.h\"\n"), ("c.cu", "#include HEADER\n")];
        let found = seeing(&all, "a.h", false);
        check(&found.surely, &["a.h", "b.h"]);
        check(&found.perhaps, &["c.cu"]);
    }

    #[test]
    fn macros_count_behind_the_header_and_not_instead_of_cuda() {
        let all = [
            ("vendor/a.h", "#pragma once\n"),
            ("vendor/cuda.h", "#include <cuda_runtime.h>\n"),
            ("all.h", "#ifdef A\n#include \"vendor/a.h\"\n#else\n#include \"vendor/cuda.h\"\n#endif\n"),
            ("some.h", "#ifdef A\n#include \"vendor/a.h\"\n#endif\n"),
            ("a.cu", "#include \"all.h\"\n"),
            ("b.cu", "#include \"before.h\"\n#include \"vendor/a.h\"\n#include \"behind.h\"\n"),
            ("before.h", ""),
            ("behind.h", ""),
        ];
        let found = seeing(&all, "vendor/a.h", true);
        check(&found.surely, &["b.cu", "vendor/a.h"]);
        check(&found.perhaps, &["behind.h", "some.h"]);
        check(&found.beside, &["before.h", "behind.h"]);
    }
}
