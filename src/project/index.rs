//! What the files of a project say together, kept up to date file by file, for those who stay while files change.
//!
//! The same files give the same facts as [`survey`](super::survey), in whatever order they were put in.

use std::collections::BTreeMap;

use aho_corasick::AhoCorasick;
use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::build_facts::build_facts;
use super::handed::{HandedBefore, follow as follow_handed, remembered};
use super::includes::FileIncludes;
use super::lane_needs::{FileNeeds, follow as follow_needs};
use super::learning::Reading;
use super::masks::{FileMasks, follow};
use super::survey::{Look, Survey, judge};
use super::telling::may_tell;
use crate::analysis::{Facts, JudgedUnit, ProjectFacts, may_share_constants};
use crate::diagnostic::Decision;
use crate::engine::{is_worth_reading, may_need_lanes, own_names};
use crate::mapping::Table;
use crate::settings::Settings;
use crate::syntax::Document;

/// What one file says to the others of its project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileFacts {
    look: Look,
    /// CUDA-like names that it declares, sorted.
    declared: Vec<String>,
}

impl FileFacts {
    /// Looks at a file.
    pub fn of(document: &Document, table: &Table) -> FileFacts {
        let bytes = document.file().encode(document.text());
        let path = &document.file().path;
        let builds = build_facts(path, &bytes);
        let includes = FileIncludes::of(path, &bytes, table);
        let shares = Some(document).filter(|_| may_share_constants(path, &bytes));
        if !is_worth_reading(path, &bytes, table) {
            let look = Look::without_cuda(bytes.len()).with_builds(builds);
            let look = look.with_includes(includes, table).with_constants(shares);
            return FileFacts { look, ..FileFacts::default() };
        }
        let (look, names) = Facts::told(document, may_tell(&bytes));
        let mut declared: Vec<String> = names.iter().map(str::to_owned).collect();
        declared.sort_unstable();
        let look = Look::of(document, look, own_names(document, &names, table));
        let mut look = look.with_builds(builds).with_includes(includes, table).with_constants(shares);
        look.needs_lanes = may_need_lanes(&bytes);
        FileFacts { look, declared }
    }

    /// Whether it may hold CUDA; a file that does not has no findings.
    pub fn may_hold_cuda(&self) -> bool {
        self.look.without_cuda.is_none()
    }
}

/// The facts of all files of a project.
#[derive(Debug, Default)]
pub struct ProjectIndex {
    /// By path, which is the order in which runs take files.
    files: BTreeMap<Utf8PathBuf, Indexed>,
    /// How many files declare a name.
    declared: FxHashMap<String, usize>,
    /// What files were judged with.
    judged_with: Option<ProjectFacts>,
}

#[derive(Debug)]
struct Indexed {
    facts: FileFacts,
    /// What it says about functions with lane masks.
    masks: FileMasks,
    /// What it says about what needs lanes.
    needs: FileNeeds,
    /// What it hands over to macros that put the start of a name before it.
    handed: HandedBefore,
    /// What whole waves would leave open, by what the other files meant for it.
    judged: Option<Vec<JudgedUnit>>,
}

/// Gives the document of a file.
pub type ReadDocument<'r> = &'r (dyn Fn(&Utf8Path) -> Option<Document> + Sync);

/// Gives what was decided about the fixes in a file.
pub type DecidedIn<'r> = &'r (dyn Fn(&Utf8Path) -> &'r [Decision] + Sync);

impl ProjectIndex {
    /// Puts in what a file says, in place of what it said before.
    pub fn insert(&mut self, path: Utf8PathBuf, facts: FileFacts) {
        self.remove(&path);
        for name in &facts.declared {
            *self.declared.entry(name.clone()).or_default() += 1;
        }
        let (masks, needs, handed) = (FileMasks::default(), FileNeeds::default(), HandedBefore::new());
        self.files.insert(path, Indexed { facts, masks, needs, handed, judged: None });
    }

    /// Takes out a file.
    pub fn remove(&mut self, path: &Utf8Path) {
        let Some(gone) = self.files.remove(path) else { return };
        for name in &gone.facts.declared {
            if let Some(count) = self.declared.get_mut(name) {
                *count -= 1;
                if *count == 0 {
                    self.declared.remove(name);
                }
            }
        }
    }

    /// The files, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &Utf8Path> {
        self.files.keys().map(Utf8PathBuf::as_path)
    }

    /// What a file says.
    pub fn get(&self, path: &Utf8Path) -> Option<&FileFacts> {
        self.files.get(path).map(|indexed| &indexed.facts)
    }

    /// The names that files declare.
    pub fn declared(&self) -> impl Iterator<Item = &str> {
        self.declared.keys().map(String::as_str)
    }

    /// What the files say together. `read` is asked for those whose lane masks have to be followed anew, which whole waves
    /// have to be judged in, or which may hand names to macros that put the start of one before it.
    pub fn survey(&mut self, run: (&Table, &Settings), decided: DecidedIn<'_>, read: ReadDocument<'_>) -> Survey {
        let mut survey = Survey::of_looks(self.files.values().map(|file| &file.facts.look), run.1.wave_policy);
        let mut files: Vec<(&Utf8PathBuf, &mut Indexed)> = self.files.iter_mut().collect();
        survey.handed_names = follow_handed(&survey.asked, &mut files, |(path, file), asked| {
            remembered(&mut file.handed, asked, || read(path))
        });
        let holding = self.files.iter_mut().filter(|(_, file)| file.facts.may_hold_cuda());
        let asked = holding.map(|(path, file)| (path.as_path(), &mut file.needs, file.facts.look.needs_lanes));
        // What a document has is known once it was read.
        let reading = Reading { read: |path: &&Utf8Path| read(path), may_have: |_: &&Utf8Path, _: &AhoCorasick| true };
        survey.lane_needs = follow_needs(asked, &reading, run.0);
        if survey.is_native() {
            let holding = self.files.iter_mut().filter(|(_, file)| file.facts.may_hold_cuda());
            let holding = holding.map(|(path, file)| (path.as_path(), &mut file.masks));
            survey.mask_functions = follow(holding, |path| read(path));
            self.judge(survey.facts(), run, decided, read);
            survey.keep_warps(self.files.values().flat_map(|file| file.judged.iter().flatten()));
        }
        survey
    }

    /// Judges whole waves in the files that changed; in all of them if what they mean for each other did.
    fn judge(
        &mut self,
        project: ProjectFacts,
        run: (&Table, &Settings),
        decided: DecidedIn<'_>,
        read: ReadDocument<'_>,
    ) {
        if self.judged_with.as_ref() != Some(&project) {
            self.files.values_mut().for_each(|file| file.judged = None);
        }
        let mut files: Vec<(&Utf8PathBuf, &mut Indexed)> = self.files.iter_mut().collect();
        let judge_one = |(path, file): &mut (&Utf8PathBuf, &mut Indexed)| {
            let document = if file.facts.may_hold_cuda() { read(path) } else { None };
            let judged = document.map(|document| judge(&document, &project, run, decided(path)));
            file.judged = Some(judged.unwrap_or_default());
        };
        files.par_iter_mut().filter(|(_, file)| file.judged.is_none()).for_each(judge_one);
        self.judged_with = Some(project);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::{Looked, survey_of};
    use crate::settings::WavePolicy;
    use crate::source::SourceFile;

    const FILES: [(&str, &str); 9] = [
        ("a.cu", "__device__ unsigned all() { return __activemask(); }\n"),
        ("b.cuh", "__device__ unsigned more() { return all(); }\n__global__ void __launch_bounds__(64) k() {}\n"),
        (
            "c.cu",
            "__device__ int last(unsigned m) { return __popc(m); }\n__device__ int f() { return last(more()); }\n",
        ),
        ("d.cu", "void run() { k<<<1, 128>>>(); cudaFree(0); }\n"),
        ("e.cuh", "#define CALL(f, ...) cuda##f(__VA_ARGS__)\n#define OTHER(f) CALL(f, 0)\n"),
        ("f.cu", "void run() { CALL(Free, 0); OTHER(Malloc); }\n"),
        ("g.cuh", "__device__ int by_way(int v) { return first(v); }\n"),
        ("h.cuh", "__device__ int first(int v) { return __shfl_sync(-1, v, 0); }\n"),
        ("i.cuh", "template <class F> __device__ int apply(F f) { return f(by_way(1)); }\n"),
    ];

    /// The same facts as of a survey, whatever was in the index before.
    #[track_caller]
    fn check(files: &[(&str, &str)], index: &mut ProjectIndex, policy: WavePolicy) {
        let table = Table::builtin().unwrap();
        let read = |path: &Utf8Path| {
            let text = files.iter().find(|(name, _)| *name == path)?.1;
            Some(Document::new(SourceFile::from_text(path, text)))
        };
        for (path, _) in files {
            let facts = FileFacts::of(&read(path.as_ref()).unwrap(), table);
            // What follows from lanes, masks and uses of macros may change while what a look tells does not.
            if policy == WavePolicy::Native
                || matches!(*path, "f.cu" | "g.cuh" | "h.cuh" | "i.cuh")
                || index.get(path.as_ref()) != Some(&facts)
            {
                index.insert((*path).into(), facts);
            }
        }
        let looked: Vec<_> =
            files.iter().map(|(path, text)| Looked { path: (*path).into(), bytes: Some(text.as_bytes()) }).collect();
        let settings = Settings { wave_policy: policy, ..Settings::default() };
        let expected = survey_of(&looked, (table, &settings), None);
        assert_eq!(index.survey((table, &settings), &|_| &[], &read), expected);
    }

    #[test]
    fn an_index_says_what_a_survey_says() {
        for policy in [WavePolicy::Auto, WavePolicy::Native, WavePolicy::Logical32] {
            let mut index = ProjectIndex::default();
            check(&FILES, &mut index, policy);
            let mut files = FILES;
            files[0].1 = "__device__ unsigned all() { return 1; }\n";
            check(&files, &mut index, policy);
            files[3].1 = "__device__ int lanes() { return warpSize; }\n";
            check(&files, &mut index, policy);
            files[5].1 = "void run() { CALL(MallocHost, 0); }\n";
            check(&files, &mut index, policy);
            files[7].1 = "__device__ int first(int v) { return v; }\n";
            check(&files, &mut index, policy);
            check(&FILES, &mut index, policy);
        }
    }

    #[test]
    fn a_name_is_declared_as_long_as_one_file_declares_it() {
        let facts = || FileFacts { declared: vec!["cudaMine".to_owned()], ..FileFacts::default() };
        let mut index = ProjectIndex::default();
        index.insert("a.cu".into(), facts());
        index.insert("b.cu".into(), facts());
        index.insert("a.cu".into(), facts());
        index.remove("a.cu".into());
        assert_eq!(index.declared().collect::<Vec<_>>(), ["cudaMine"]);
        index.remove("b.cu".into());
        assert_eq!(index.declared().count(), 0);
    }
}
