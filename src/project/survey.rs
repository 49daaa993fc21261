//! A look at all files before the first is converted, for what the project decides as a whole.

use aho_corasick::AhoCorasick;
use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::beside::own_headers;
use super::build_facts::build_facts;
use super::convert::Source;
use super::decisions::Decisions;
use super::handed::{follow as follow_handed, handed, may_use};
use super::include_graph::{find_includers, fragments, shared_constants, shared_managed};
use super::includes::FileIncludes;
use super::lane_needs::{FileNeeds, follow as follow_needs, may_have};
use super::learning::Reading;
use super::masks::{FileMasks, follow};
use super::read::{FileBytes, read_with};
use super::telling::may_tell;
use super::top_builds::{CMakeFile, cmake_file, switch_roles};
use crate::analysis::{
    Aliases, Asked, BuildFacts, DeviceNames, Facts, HandedNames, HeaderConstants, JudgedUnit, KeptWarps, Kernels,
    LaneNeeds, MacroParameters, MaskFunctions, NameStarts, OwnName, OwnNames, ProjectFacts, Scopes, SharedConstants,
    SharedManaged, SwitchRole, WaveEvidence, header_constants, is_source, may_share_constants,
};
use crate::diagnostic::Decision;
use crate::engine::{Input, check, decide, fix, is_worth_reading, judged_units, may_need_lanes, own_names};
use crate::mapping::Table;
use crate::settings::{BuildMode, Settings, WavePolicy, WaveWidth};
use crate::source::{SourceFile, TextRange};
use crate::syntax::{Document, words};

/// What the files of a project say together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// How many lanes warps have.
    pub wave: Option<WaveDecision>,
    /// Functions that return lane masks or take them.
    pub mask_functions: MaskFunctions,
    /// What functions, macros and classes need lanes for.
    pub lane_needs: LaneNeeds,
    /// The constants of headers that may be about lanes.
    pub constants: SharedConstants,
    /// The managed variables that headers declare.
    pub managed_variables: SharedManaged,
    /// What keeps warps of 32 lanes though whole waves were asked for.
    pub kept_warps: Option<KeptWarps>,
    /// Kernels and launches.
    pub kernels: Kernels,
    /// Names of CUDA's that files declare as their own.
    pub own_names: OwnNames,
    /// Other names that headers give to namespaces; none if two headers disagree.
    pub aliases: FxHashMap<String, Option<String>>,
    /// Namespaces that headers bring into view for all who are in another one, by the path of that.
    pub shared_namespaces: FxHashMap<String, Vec<String>>,
    /// What macros make of their arguments.
    pub macro_parameters: MacroParameters,
    /// What files hand over to macros that put the start of a name before it.
    pub handed_names: HandedNames,
    /// Files of the project that are called like headers of CUDA's.
    pub own_headers: Vec<Utf8PathBuf>,
    /// Files that others include within brackets; see [`ProjectFacts::fragments`].
    pub fragments: FxHashMap<Utf8PathBuf, Option<Utf8PathBuf>>,
    /// What the build files say.
    pub builds: BuildFacts,
    /// What files of CMake have to do with the variable that chooses between CUDA and HIP; none where projects are built for one.
    pub switch_roles: FxHashMap<Utf8PathBuf, SwitchRole>,
    /// The parameters of macros before which they put the start of a name.
    pub(super) asked: Asked,
    /// For each source the size in bytes of a file that surely holds no CUDA.
    without_cuda: Vec<Option<usize>>,
}

impl Survey {
    /// What the rules need of it.
    pub fn facts(&self) -> ProjectFacts {
        ProjectFacts {
            mask_functions: self.mask_functions.clone(),
            lane_needs: self.lane_needs.clone(),
            constants: self.constants.clone(),
            managed_variables: self.managed_variables.clone(),
            kept_warps: self.kept_warps.clone(),
            kernels: self.kernels.clone(),
            own_names: self.own_names.clone(),
            macro_parameters: self.macro_parameters.clone(),
            handed_names: self.handed_names.clone(),
            own_headers: self.own_headers.clone(),
            fragments: self.fragments.clone(),
            aliases: self.aliases.clone(),
            shared_namespaces: self.shared_namespaces.clone(),
            builds: self.builds.clone(),
            switch_roles: self.switch_roles.clone(),
            ..ProjectFacts::default()
        }
    }

    /// What looks at all files say together, but for lane masks, which `native` has to follow.
    pub(super) fn of_looks<'l>(looks: impl Iterator<Item = &'l Look>, policy: WavePolicy) -> Survey {
        let (mut fixed, mut sized) = (WaveSpots::default(), WaveSpots::default());
        let mut survey = Survey::default();
        let (mut includes, mut constants, mut managed) = (Vec::new(), Vec::new(), Vec::new());
        for look in looks {
            includes.push(&look.includes);
            constants.push((&*look.includes.file, &look.constants));
            managed.push((&*look.includes.file, &look.managed));
            survey.without_cuda.push(look.without_cuda);
            survey.kernels.extend(look.kernels.clone());
            for (name, own) in &look.own_names {
                survey.own_names.entry(name.clone()).or_default().push(own.clone());
            }
            survey.own_headers.extend(look.own_headers.iter().cloned());
            survey.builds.add(&look.builds);
            for (alias, target) in &look.aliases {
                let known = survey.aliases.entry(alias.clone()).or_insert_with(|| Some(target.clone()));
                known.take_if(|known| known != target);
            }
            for (path, used) in &look.shared_namespaces {
                survey.shared_namespaces.entry(path.clone()).or_default().push(used.clone());
            }
            survey.macro_parameters.extend(&look.macro_parameters);
            survey.asked.extend(&look.asked);
            fixed.add(&look.fixed);
            sized.add(&look.sized);
        }
        find_includers(survey.own_names.values_mut().flatten(), &includes);
        survey.constants = shared_constants(constants.into_iter(), &includes);
        survey.managed_variables = shared_managed(managed.into_iter(), &includes);
        survey.fragments = fragments(&includes, &survey.without_cuda);
        let asked = policy != WavePolicy::Auto;
        survey.wave = Some(WaveDecision { width: policy.width(), asked, fixed, sized, kept: Vec::new(), whole: 0 });
        survey
    }

    /// Keeps warps of 32 lanes where files leave something open.
    pub(super) fn keep_warps<'u>(&mut self, judged: impl Iterator<Item = &'u JudgedUnit>) {
        let kept = KeptWarps::of(judged);
        if let Some(decision) = &mut self.wave {
            decision.note_kept(&kept);
        }
        self.kept_warps = Some(kept);
    }

    /// Whether lane masks have to be followed.
    pub(super) fn is_native(&self) -> bool {
        self.wave.as_ref().is_some_and(|decision| decision.width == WaveWidth::Native)
    }

    /// Whether uses of macros matter that put the start of a name before what they are given.
    pub fn follows_uses(&self) -> bool {
        !self.asked.is_empty()
    }

    /// The size of the source at `number`, if it surely holds no CUDA.
    pub(super) fn needless(&self, number: usize) -> Option<usize> {
        self.without_cuda.get(number).copied().flatten()
    }
}

/// How many lanes the warps of a project have, and what says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaveDecision {
    /// The decision.
    pub width: WaveWidth,
    /// Whether the user decided.
    pub asked: bool,
    /// Counts on 32 lanes.
    pub fixed: WaveSpots,
    /// Asks for the size of the wave.
    pub sized: WaveSpots,
    /// Kernels that keep 32 lanes though whole waves were asked for, as something about whole waves is open.
    pub kept: Vec<String>,
    /// Kernels that use lanes and become whole waves.
    pub whole: usize,
}

impl WaveDecision {
    /// The decision for a text that stands alone.
    pub fn alone(document: &Document, run: (&Table, &Settings)) -> WaveDecision {
        let (evidence, _) = Facts::told(document, true).0.unwrap_or_default();
        let policy = run.1.wave_policy;
        let mut decision = WaveDecision {
            width: policy.width(),
            asked: policy != WavePolicy::Auto,
            fixed: WaveSpots::of(document, evidence.fixed.iter().map(|found| found.range)),
            sized: WaveSpots::of(document, evidence.sized.iter().copied()),
            kept: Vec::new(),
            whole: 0,
        };
        if decision.width == WaveWidth::Native {
            decision.note_kept(&KeptWarps::of(judge(document, &ProjectFacts::default(), run, &[]).iter()));
        }
        decision
    }

    fn note_kept(&mut self, kept: &KeptWarps) {
        self.kept = kept.kernels().into_iter().map(str::to_owned).collect();
        self.whole = kept.whole;
    }
}

/// Places in the files of a project that say the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WaveSpots {
    /// How many there are.
    pub count: usize,
    /// The first of them.
    pub first: Option<WaveSpot>,
}

/// A place in a file of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaveSpot {
    /// The file.
    pub path: Utf8PathBuf,
    /// The line, from 1.
    pub line: u32,
    /// What stands on it, cut off where it is long.
    pub text: String,
}

/// A file to look at.
#[derive(Debug, Clone, Copy)]
pub struct Looked<'s> {
    /// The file.
    pub path: &'s Utf8Path,
    /// What to look at in place of the file's content.
    pub bytes: Option<&'s [u8]>,
}

impl<'s> From<&'s Source> for Looked<'s> {
    fn from(source: &'s Source) -> Looked<'s> {
        Looked { path: &source.path, bytes: None }
    }
}

impl Looked<'_> {
    fn read<T>(self, f: impl FnOnce(FileBytes<'_>) -> T) -> Option<T> {
        match self.bytes {
            Some(bytes) => Some(f(FileBytes::Borrowed(bytes))),
            // What cannot be read is told when it is converted.
            None => read_with(self.path, f).ok(),
        }
    }

    /// The CUDA-like names that the file declares.
    pub(super) fn declared(self, table: &Table) -> Vec<String> {
        let worth = self.read(|bytes| is_worth_reading(self.path, &bytes, table)).unwrap_or_default();
        let document = if worth { self.document() } else { None };
        document.map(|document| Facts::told(&document, false).1.iter().map(str::to_owned).collect()).unwrap_or_default()
    }

    /// What the file hands over to macros that are asked for.
    fn handed(self, asked: &Asked) -> HandedNames {
        let may_use = self.read(|bytes| may_use(&bytes, asked)).unwrap_or_default();
        let document = if may_use { self.document() } else { None };
        document.map(|document| handed(&document, asked)).unwrap_or_default()
    }

    fn document(self) -> Option<Document> {
        let source = self.read(|bytes| SourceFile::decode(self.path, bytes.into_vec()).ok()).flatten();
        source.map(Document::new)
    }
}

/// Looks at all files that are converted or linted.
pub fn survey<'s, S>(sources: &'s [S], run: (&Table, &Settings), decisions: Option<&Decisions>) -> Survey
where
    Looked<'s>: From<&'s S>,
{
    survey_of(&sources.iter().map(Looked::from).collect::<Vec<_>>(), run, decisions)
}

/// Looks at all files of a project, about whose fixes a person may have decided.
pub fn survey_of(files: &[Looked<'_>], run: (&Table, &Settings), decisions: Option<&Decisions>) -> Survey {
    let (table, settings) = run;
    let looks: Vec<Look> = files.par_iter().map(|file| look(*file, table)).collect();
    let mut survey = Survey::of_looks(looks.iter(), settings.wave_policy);
    survey.handed_names = follow_handed(&survey.asked, &mut files.to_vec(), |file, asked| file.handed(asked));
    survey.lane_needs = needs(files, &looks, table);
    if survey.is_native() {
        let holding = files.iter().zip(&looks).filter(|(_, look)| look.without_cuda.is_none()).map(|(file, _)| *file);
        let holding: Vec<Looked<'_>> = holding.collect();
        let mut masks: Vec<FileMasks> = holding.iter().map(|_| FileMasks::default()).collect();
        survey.mask_functions = follow(holding.iter().zip(&mut masks), |file| file.document());
        let project = survey.facts();
        let decided = |file: &Looked<'_>| decisions.map(|decisions| decisions.of(file.path)).unwrap_or_default();
        let judge = |file: &Looked<'_>| file.document().map(|document| judge(&document, &project, run, decided(file)));
        let judged: Vec<Option<Vec<JudgedUnit>>> = holding.par_iter().map(judge).collect();
        survey.keep_warps(judged.iter().flatten().flatten());
    }
    if settings.build_mode == BuildMode::Option {
        survey.switch_roles = roles(files, &looks, (&survey.facts(), run, decisions));
    }
    survey
}

/// What functions, macros and classes of all files need lanes for.
fn needs(files: &[Looked<'_>], looks: &[Look], table: &Table) -> LaneNeeds {
    let mut said: Vec<FileNeeds> = files.iter().map(|_| FileNeeds::default()).collect();
    let holding = files.iter().zip(looks).zip(&mut said).filter(|((_, look), _)| look.without_cuda.is_none());
    let asked = holding.map(|((file, look), said)| (*file, said, look.needs_lanes));
    let names = |file: &Looked<'_>, names: &AhoCorasick| file.read(|bytes| may_have(&bytes, names)).unwrap_or_default();
    follow_needs(asked, &Reading { read: |file: &Looked<'_>| file.document(), may_have: names }, table)
}

/// What files of CMake have to do with the variable that chooses between CUDA and HIP.
fn roles(
    files: &[Looked<'_>],
    looks: &[Look],
    (project, (table, settings), decisions): (&ProjectFacts, (&Table, &Settings), Option<&Decisions>),
) -> FxHashMap<Utf8PathBuf, SwitchRole> {
    let is_edited = |file: &Looked<'_>| {
        let Some(document) = file.document() else { return false };
        let mut checked = check(Input { document: &document, project, table, settings });
        let decided = decisions.map(|decisions| decisions.of(file.path)).unwrap_or_default();
        decide(document.file(), &mut checked.found, (decided, &settings.rules));
        !fix(document.source(), checked, settings.applicability).patch.is_empty()
    };
    let speaks = |look: &Look| look.build.as_ref().is_some_and(|build| build.speaks);
    let changed = files.par_iter().zip(looks).filter(|(file, look)| speaks(look) && is_edited(file));
    let builds: Vec<&CMakeFile> = looks.iter().filter_map(|look| look.build.as_ref()).collect();
    switch_roles(&builds, &changed.map(|(file, _)| file.path).collect())
}

/// What whole waves would leave open in a file.
pub(super) fn judge(
    document: &Document,
    project: &ProjectFacts,
    (table, settings): (&Table, &Settings),
    decisions: &[Decision],
) -> Vec<JudgedUnit> {
    judged_units(Input { document, project, table, settings }, decisions)
}

impl WaveSpots {
    fn of(document: &Document, places: impl ExactSizeIterator<Item = TextRange>) -> WaveSpots {
        let count = places.len();
        let first = places.into_iter().next().map(|place| WaveSpot {
            path: document.file().path.clone(),
            line: document.position(place.start()).line,
            text: shortened(document, place),
        });
        WaveSpots { count, first }
    }

    fn add(&mut self, more: &WaveSpots) {
        self.count += more.count;
        self.first = self.first.take().or_else(|| more.first.clone());
    }
}

/// Characters of a line that are shown.
const LINE_LEN: usize = 48;

/// The line where a place starts, cut off where it is long.
fn shortened(document: &Document, place: TextRange) -> String {
    let line = document.line_text(place.start()).trim();
    let short: String = line.chars().take(LINE_LEN).collect();
    if short.len() < line.len() { format!("{}…", short.trim_end()) } else { short }
}

/// What one file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Look {
    /// The size in bytes of a file that surely holds no CUDA.
    pub(super) without_cuda: Option<usize>,
    pub(super) fixed: WaveSpots,
    pub(super) sized: WaveSpots,
    pub(super) kernels: Kernels,
    /// Names of CUDA's that the file declares as its own, where others see them.
    pub(super) own_names: Vec<(String, OwnName)>,
    /// Other names that a header gives to namespaces, sorted.
    pub(super) aliases: Vec<(String, String)>,
    /// Namespaces that a header brings into view for all who are in another one.
    pub(super) shared_namespaces: Vec<(String, String)>,
    /// The file, and those beside it that it includes, as far as they are called like headers of CUDA's.
    pub(super) own_headers: Vec<Utf8PathBuf>,
    /// Whether the file may need lanes for something by itself.
    pub(super) needs_lanes: bool,
    /// What is known of a file of CMake.
    pub(super) build: Option<CMakeFile>,
    /// What a build file says.
    builds: BuildFacts,
    includes: FileIncludes,
    /// What a header gives names to.
    constants: HeaderConstants,
    /// The variables of the device that a header declares.
    managed: DeviceNames,
    /// What macros make of their arguments.
    macro_parameters: MacroParameters,
    /// The parameters of macros before which they put the start of a name.
    asked: Asked,
}

fn look(file: Looked<'_>, table: &Table) -> Look {
    let looked = file.read(|bytes| {
        let builds = build_facts(file.path, &bytes);
        let build = cmake_file(file.path, &bytes);
        let includes = FileIncludes::of(file.path, &bytes, table);
        if !is_worth_reading(file.path, &bytes, table) {
            let look = Look::without_cuda(bytes.len());
            let look = Look { build, ..look }.with_builds(builds).with_includes(includes, table);
            let shares = may_share_constants(file.path, &bytes);
            let source = if shares { SourceFile::decode(file.path, bytes.into_vec()).ok() } else { None };
            return look.with_constants(source.map(Document::new).as_ref());
        }
        let shares = may_share_constants(file.path, &bytes);
        let (tells, needs_lanes) = (may_tell(&bytes), may_need_lanes(&bytes));
        let Ok(source) = SourceFile::decode(file.path, bytes.into_vec()) else { return Look::default() };
        let document = Document::new(source);
        let (told, declared) = Facts::told(&document, tells);
        let own = own_names(&document, &declared, table);
        let look = Look { needs_lanes, build, ..Look::of(&document, told, own) };
        let look = look.with_builds(builds).with_includes(includes, table);
        look.with_constants(Some(&document).filter(|_| shares))
    });
    looked.unwrap_or_default()
}

impl Look {
    /// What a file with CUDA says.
    /// A file without words about warps and kernels has `told` nothing.
    pub(super) fn of(
        document: &Document,
        told: Option<(WaveEvidence, Kernels)>,
        own_names: Vec<(String, OwnName)>,
    ) -> Look {
        let (evidence, kernels) = told.unwrap_or_default();
        Look {
            without_cuda: None,
            fixed: WaveSpots::of(document, evidence.fixed.iter().map(|found| found.range)),
            sized: WaveSpots::of(document, evidence.sized.iter().copied()),
            kernels,
            own_names,
            aliases: aliases_of_header(document),
            shared_namespaces: shared_namespaces(document),
            own_headers: Vec::new(),
            builds: BuildFacts::default(),
            needs_lanes: false,
            build: None,
            includes: FileIncludes::default(),
            constants: HeaderConstants::new(),
            managed: DeviceNames::of_header(document),
            macro_parameters: MacroParameters::of(document),
            asked: NameStarts::of(document).asked(),
        }
    }

    /// With what the file includes.
    pub(super) fn with_includes(self, includes: FileIncludes, table: &Table) -> Look {
        Look { own_headers: own_headers(&includes.file, &includes, table), includes, ..self }
    }

    /// With the constants of a header that may be about lanes.
    pub(super) fn with_constants(self, header: Option<&Document>) -> Look {
        Look { constants: header.map(header_constants).unwrap_or_default(), ..self }
    }

    /// With what the file says as a build file.
    pub(super) fn with_builds(self, builds: BuildFacts) -> Look {
        Look { builds, ..self }
    }

    /// What a file of so many bytes says that surely holds no CUDA.
    pub(super) fn without_cuda(bytes: usize) -> Look {
        Look { without_cuda: Some(bytes), ..Look::default() }
    }
}

/// What the `using namespace` of a header means for other files; all but that of the standard library.
fn shared_namespaces(document: &Document) -> Vec<(String, String)> {
    let has_any = words(document, "using").any(|using| {
        document.token_text(using + 1) == "namespace" && !matches!(document.token_text(using + 2), "std" | "::")
    });
    if !has_any || is_source(&document.file().path) {
        return Vec::new();
    }
    Scopes::of(document).shared_namespaces(document)
}

/// Other names of namespaces in a file that others include.
fn aliases_of_header(document: &Document) -> Vec<(String, String)> {
    if is_source(&document.file().path) {
        return Vec::new();
    }
    let aliases = Aliases::of(document);
    let mut all: Vec<_> = aliases.iter().map(|(alias, target)| (alias.to_owned(), target.to_owned())).collect();
    all.sort_unstable();
    all
}
