//! The projects of the open folders: settings, and what their files say together.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::locks::lock;
use super::options::Options;
use crate::analysis::ProjectFacts;
use crate::engine::{Checked, is_build_file};
use crate::mapping::Table;
use crate::project::{
    Baseline, Config, Decisions, FileFacts, FileReport, LintRun, ProjectIndex, Selection, WaveDecision, find_config,
    is_reached, is_trusted, is_wanted, lint_document, read, read_named, walk,
};
use crate::settings::Settings;
use crate::source::SourceFile;
use crate::syntax::Document;

/// Gives the text of a file that is open in the editor.
pub(super) type Unsaved<'u> = &'u (dyn Fn(&Utf8Path) -> Option<String> + Sync);

/// Is told how many of how many files are done.
pub(super) type Tick<'t> = &'t (dyn Fn(usize, usize) + Sync);

/// What a project is as long as nobody changes its settings.
pub(super) struct Project {
    /// The directory that `hipshift lint` would be given, or the file where there is none.
    pub(super) root: Utf8PathBuf,
    /// What findings are made with.
    pub(super) settings: Settings,
    /// The mapping tables.
    pub(super) table: Cow<'static, Table>,
    /// What was decided about fixes.
    pub(super) decisions: Option<Decisions>,
    /// Why the configuration cannot be used; then the defaults hold.
    pub(super) trouble: Vec<String>,
    baseline: Option<Baseline>,
    selection: Selection,
    state: Mutex<State>,
}

/// What the files of a project say together at one moment.
pub(super) struct View {
    /// What the rules need of it.
    pub(super) facts: ProjectFacts,
    /// How many lanes warps have, and why.
    pub(super) wave: Option<WaveDecision>,
    /// The names that files declare.
    pub(super) declared: FxHashSet<String>,
    /// Whether uses of macros matter that put the start of a name before what they are given.
    follows_uses: bool,
    /// Differs between views that may lead to different findings, also of different projects.
    pub(super) number: u64,
}

struct State {
    index: ProjectIndex,
    /// Build files, as they are shown.
    builds: BTreeSet<Utf8PathBuf>,
    view: Arc<View>,
}

/// Counts views.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

fn next_number() -> u64 {
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

impl Project {
    /// Reads the settings and all files below `root`. `tick` is told how many of how many files were read.
    fn load(
        root: &Utf8Path,
        (options, builtin): (&Options, &'static Table),
        unsaved: Unsaved<'_>,
        tick: Tick<'_>,
    ) -> Project {
        let mut trouble = Vec::new();
        let (config, settings) = configuration(root, options, &mut trouble);
        let (include, exclude) =
            (config.include.clone().unwrap_or_default(), config.exclude.clone().unwrap_or_default());
        let selection = Selection::new(&include, &exclude).unwrap_or_else(|error| {
            trouble.push(error.to_string());
            Selection::default()
        });
        let decisions = Decisions::find(root).unwrap_or_else(|error| {
            trouble.push(error.to_string());
            None
        });
        let baseline = options.baseline(root).map(|file| Baseline::read(&file)).transpose().unwrap_or_else(|error| {
            trouble.push(error.to_string());
            None
        });
        let is_allowed = may_read_tables(root, &config, &mut trouble);
        let table = if is_allowed { table(&config, builtin, &mut trouble) } else { Cow::Borrowed(builtin) };
        let mut index = ProjectIndex::default();
        // A document without a file is no trouble; what cannot be walked has no files.
        let walked = walk(root, &selection).unwrap_or_default();
        let files = walked.sources;
        let builds = walked.builds.iter().map(|path| shown(root, path)).collect();
        let done = std::sync::atomic::AtomicUsize::new(0);
        let look = |path: &Utf8PathBuf| {
            let document = document_of(root, path, unsaved);
            tick(done.fetch_add(1, Ordering::Relaxed) + 1, files.len());
            Some((shown(root, path), FileFacts::of(&document?, &table)))
        };
        let looks: Vec<(Utf8PathBuf, FileFacts)> = files.par_iter().filter_map(look).collect();
        for (path, facts) in looks {
            index.insert(path, facts);
        }
        let read = |path: &Utf8Path| document_of(root, &root.join(path), unsaved);
        let view = Arc::new(View::of(&mut index, (&table, &settings), (root, decisions.as_ref()), &read));
        let state = Mutex::new(State { index, builds, view });
        Project { root: root.to_owned(), settings, table, decisions, trouble, baseline, selection, state }
    }

    /// What the files say together now.
    pub(super) fn view(&self) -> Arc<View> {
        Arc::clone(&lock(&self.state).view)
    }

    /// Whether a walk over the project would take a file, for a source or a build file.
    pub(super) fn wants(&self, path: &Utf8Path) -> bool {
        if is_build_file(path) {
            return is_reached(&self.root, path, &self.selection);
        }
        is_wanted(&self.root, path, &self.selection)
    }

    /// The path of a file as `hipshift lint` would show it.
    pub(super) fn shown(&self, path: &Utf8Path) -> Utf8PathBuf {
        shown(&self.root, path)
    }

    /// The path of a file that is shown as `shown`.
    pub(super) fn path(&self, shown: &Utf8Path) -> Utf8PathBuf {
        directory(&self.root).join(shown)
    }

    /// Whether something was decided about fixes in a file.
    pub(super) fn has_decisions(&self, path: &Utf8Path) -> bool {
        self.decisions.as_ref().is_some_and(|decisions| !decisions.of(path).is_empty())
    }

    /// Sources, sorted, and then build files, as they are shown.
    pub(super) fn files(&self) -> Vec<Utf8PathBuf> {
        let state = lock(&self.state);
        state.index.paths().chain(state.builds.iter().map(Utf8PathBuf::as_path)).map(Utf8Path::to_owned).collect()
    }

    /// Takes in that there is a build file, or that it is gone.
    pub(super) fn update_build_file(&self, shown: &Utf8Path, exists: bool) {
        let builds = &mut lock(&self.state).builds;
        let _ = if exists { builds.insert(shown.to_owned()) } else { builds.remove(shown) };
    }

    /// What linting a file says.
    pub(super) fn lint(&self, document: &Document, view: &View) -> (FileReport, Checked) {
        let declared = |name: &str| view.declared.contains(name);
        lint_document(document, (self.lint_run(), &view.facts), &declared)
    }

    /// What linting is told.
    pub(super) fn lint_run(&self) -> LintRun<'_> {
        LintRun {
            baseline: self.baseline.as_ref(),
            decisions: self.decisions.as_ref(),
            root: Some(directory(&self.root)),
            ..LintRun::new(&self.table, &self.settings)
        }
    }

    /// Takes in what a file says now, or that it is gone. Whether that changes anything for other files.
    pub(super) fn update(&self, shown: &Utf8Path, facts: Option<FileFacts>, unsaved: Unsaved<'_>) -> bool {
        let mut state = lock(&self.state);
        let State { index, view, .. } = &mut *state;
        if index.get(shown) == facts.as_ref() {
            // What follows from lane masks and uses of macros may change while what a look tells does not.
            if facts.is_none() || !(view.follows_masks() || view.follows_uses) {
                return false;
            }
        }
        match facts {
            Some(facts) => index.insert(shown.to_owned(), facts),
            None => index.remove(shown),
        }
        let read = |path: &Utf8Path| document_of(&self.root, &self.path(path), unsaved);
        let new = View::of(index, (&self.table, &self.settings), (&self.root, self.decisions.as_ref()), &read);
        let changes = !new.says_the_same(view);
        // Where it counts on 32 lanes changes with every line, and no finding depends on it.
        let number = if changes { new.number } else { view.number };
        *view = Arc::new(View { number, ..new });
        changes
    }
}

impl View {
    fn of(
        index: &mut ProjectIndex,
        run: (&Table, &Settings),
        (root, decisions): (&Utf8Path, Option<&Decisions>),
        read: crate::project::ReadDocument<'_>,
    ) -> View {
        let decided =
            |path: &Utf8Path| decisions.map(|decisions| decisions.of(&directory(root).join(path))).unwrap_or_default();
        let survey = index.survey(run, &decided, read);
        let declared = index.declared().map(str::to_owned).collect();
        let follows_uses = survey.follows_uses();
        View { facts: survey.facts(), wave: survey.wave, declared, follows_uses, number: next_number() }
    }

    /// Whether findings are the same with either.
    fn says_the_same(&self, other: &View) -> bool {
        (&self.facts, &self.declared) == (&other.facts, &other.declared)
    }

    fn follows_masks(&self) -> bool {
        self.wave.as_ref().is_some_and(|wave| wave.width == crate::settings::WaveWidth::Native)
    }
}

/// A file as it is open in the editor, else as it is on disk.
fn document_of(root: &Utf8Path, path: &Utf8Path, unsaved: Unsaved<'_>) -> Option<Document> {
    let name = shown(root, path);
    let file = match unsaved(path) {
        Some(text) => SourceFile::from_text(name, text),
        None => SourceFile::decode(&name, read(path).ok()?).ok()?,
    };
    Some(Document::new(file))
}

/// The directory of a project; one of a single file lies in that file's directory.
fn directory(root: &Utf8Path) -> &Utf8Path {
    if root.is_dir() { root } else { root.parent().unwrap_or(root) }
}

fn shown(root: &Utf8Path, path: &Utf8Path) -> Utf8PathBuf {
    path.strip_prefix(directory(root)).unwrap_or(path).to_owned()
}

/// The nearest configuration with the editor's settings in it. What cannot be used is told and left out.
fn configuration(root: &Utf8Path, options: &Options, trouble: &mut Vec<String>) -> (Config, Settings) {
    let from_file = find_config(root).map(|file| Config::found(&file)).transpose().unwrap_or_else(|error| {
        trouble.push(error.to_string());
        None
    });
    let from_file = from_file.unwrap_or_default();
    let mut both = from_file.clone();
    options.apply(&mut both);
    for config in [both, from_file] {
        let mut settings = Settings::default();
        match config.apply(&mut settings) {
            Ok(()) => return (config, settings),
            Err(error) => trouble.push(error.to_string()),
        }
    }
    (Config::default(), Settings::default())
}

/// Whether the tables are the project's, or the user trusts its configuration.
fn may_read_tables(root: &Utf8Path, config: &Config, trouble: &mut Vec<String>) -> bool {
    let Some(file) = find_config(root) else { return true };
    let powers = config.table_powers(&file);
    let is_allowed = powers.is_empty() || is_trusted(&file).unwrap_or(false);
    if !is_allowed {
        trouble
            .push(format!("{file} has {}, which lies outside of the project; run `hipshift trust`", powers.join(", ")));
    }
    is_allowed
}

/// The tables of the project, else the built-in ones.
fn table(config: &Config, builtin: &'static Table, trouble: &mut Vec<String>) -> Cow<'static, Table> {
    let texts: Result<Vec<String>, String> =
        config.mappings.iter().map(|path| read_named(path).map_err(|error| format!("{path}: {error}"))).collect();
    let own = texts.and_then(|texts| match texts.as_slice() {
        [] => Ok(None),
        texts => Table::with_user_tables(texts).map(Some).map_err(|error| error.to_string()),
    });
    match own {
        Ok(Some(table)) => return Cow::Owned(table),
        Ok(None) => {}
        Err(error) => trouble.push(error),
    }
    Cow::Borrowed(builtin)
}

/// The projects that were asked for, by root.
pub(super) struct Projects {
    builtin: &'static Table,
    loaded: Mutex<HashMap<Utf8PathBuf, Arc<OnceLock<Arc<Project>>>>>,
}

impl Projects {
    pub(super) fn new(builtin: &'static Table) -> Projects {
        Projects { builtin, loaded: Mutex::default() }
    }

    /// The project at `root`; whoever asks first loads it, while others wait. The second value says whether it was loaded now.
    ///
    /// The options are asked for when the project is among those that [`Projects::clear`] forgets: whoever changes them and then
    /// clears leaves no project with older ones.
    pub(super) fn get(
        &self,
        root: &Utf8Path,
        options: &dyn Fn() -> Options,
        unsaved: Unsaved<'_>,
        tick: Tick<'_>,
    ) -> (Arc<Project>, bool) {
        let cell = Arc::clone(lock(&self.loaded).entry(root.to_owned()).or_default());
        let mut is_new = false;
        let project = cell.get_or_init(|| {
            is_new = true;
            Arc::new(Project::load(root, (&options(), self.builtin), unsaved, tick))
        });
        (Arc::clone(project), is_new)
    }

    /// Those that are loaded.
    pub(super) fn loaded(&self) -> Vec<Arc<Project>> {
        lock(&self.loaded).values().filter_map(|cell| cell.get().cloned()).collect()
    }

    /// Forgets all, so that settings and files are read again.
    pub(super) fn clear(&self) {
        lock(&self.loaded).clear();
    }
}

/// The root of the project of a file: the nearest directory with `hipshift.toml` within the folder that is open, else
/// that folder. A file outside of all folders is a project by itself.
pub(super) fn root_of(path: &Utf8Path, folders: &[Utf8PathBuf]) -> Utf8PathBuf {
    let mut holders: Vec<&Utf8PathBuf> = folders.iter().filter(|folder| path.starts_with(folder)).collect();
    holders.sort_by_key(|folder| folder.as_str().len());
    let Some(folder) = holders.pop() else { return path.to_owned() };
    let inside = path.ancestors().skip(1).take_while(|directory| directory.starts_with(folder));
    let configured = inside.into_iter().find(|directory| directory.join("hipshift.toml").is_file());
    configured.unwrap_or(folder).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_change_while_a_project_is_loaded_are_taken_by_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let projects = Projects::new(Table::builtin().unwrap());
        let options = |select: &str| Options::read(&serde_json::json!({ "lint": { "select": [select] } })).unwrap();
        let (none, tick) = (|_: &Utf8Path| None, |_: usize, _: usize| {});
        let late = || {
            let old = options("A");
            // Somebody sets other options, and has all projects forgotten.
            projects.clear();
            old
        };
        projects.get(root, &late, &none, &tick);
        let (project, is_new) = projects.get(root, &|| options("K"), &none, &tick);
        let is_selected = |code: &str| project.settings.rules.is_enabled(crate::rules::find(code).unwrap().info);
        assert!(is_new && is_selected("K006") && !is_selected("A001"));
    }
}
