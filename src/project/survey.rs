//! A look at all files before the first is converted, for what the project decides as a whole.

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;
use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

use super::convert::Source;
use super::read::{FileBytes, read_with};
use crate::analysis::{Facts, Functions, MaskFunctions, MaskUses, ProjectFacts, WaveEvidence, WaveWidth};
use crate::engine::may_hold_cuda;
use crate::mapping::Table;
use crate::settings::{Settings, WavePolicy};
use crate::source::{SourceFile, TextRange};
use crate::syntax::Document;

/// What the files of a project say together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// How many lanes warps have.
    pub wave: Option<WaveDecision>,
    /// Functions that return lane masks or take them.
    pub mask_functions: MaskFunctions,
    /// For each source the size in bytes of a file that surely holds no CUDA.
    without_cuda: Vec<Option<usize>>,
}

impl Survey {
    /// What the rules need of it.
    pub(super) fn facts(&self) -> ProjectFacts {
        ProjectFacts {
            wave: self.wave.as_ref().map(|decision| decision.width),
            mask_functions: self.mask_functions.clone(),
            ..ProjectFacts::default()
        }
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

/// Looks at all files. Nothing is read if the settings leave nothing to decide.
pub fn survey(sources: &[Source], table: &Table, settings: &Settings) -> Survey {
    let mut survey = match settings.wave_policy {
        WavePolicy::Auto => decide(sources, table),
        WavePolicy::Native => asked(WaveWidth::Native),
        WavePolicy::Logical32 => asked(WaveWidth::Logical32),
    };
    if survey.wave.as_ref().is_some_and(|decision| decision.width == WaveWidth::Native) {
        survey.mask_functions = mask_functions(sources);
    }
    survey
}

fn asked(width: WaveWidth) -> Survey {
    let nothing = WaveSpots::default;
    let decision = WaveDecision { width, asked: true, fixed: nothing(), sized: nothing() };
    Survey { wave: Some(decision), ..Survey::default() }
}

fn decide(sources: &[Source], table: &Table) -> Survey {
    let looks: Vec<Look> = sources.par_iter().map(|source| look(&source.path, table)).collect();
    let (mut fixed, mut sized) = (WaveSpots::default(), WaveSpots::default());
    let mut without_cuda = Vec::with_capacity(looks.len());
    for look in looks {
        without_cuda.push(look.without_cuda);
        fixed.add(look.fixed);
        sized.add(look.sized);
    }
    let width = WaveWidth::for_counts(fixed.count, sized.count);
    let wave = Some(WaveDecision { width, asked: false, fixed, sized });
    Survey { wave, without_cuda, ..Survey::default() }
}

/// A mask goes through so many functions of different files.
const ROUNDS: usize = 3;

/// Follows lane masks from file to file.
fn mask_functions(sources: &[Source]) -> MaskFunctions {
    let mut known = MaskFunctions::default();
    for _ in 0..ROUNDS {
        let found: Vec<MaskFunctions> = sources.par_iter().map(|source| masks_of(&source.path, &known)).collect();
        let before = known.clone();
        for more in found {
            known.extend(more);
        }
        if known == before {
            break;
        }
    }
    known
}

fn masks_of(path: &Utf8Path, known: &MaskFunctions) -> MaskFunctions {
    let looked = read_with(path, |bytes| {
        let document = telling(path, bytes)?;
        Some(MaskUses::of(&document, &Functions::of(&document), known).functions)
    });
    looked.ok().flatten().unwrap_or_default()
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

    fn add(&mut self, more: WaveSpots) {
        self.count += more.count;
        self.first = self.first.take().or(more.first);
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
#[derive(Default)]
struct Look {
    without_cuda: Option<usize>,
    fixed: WaveSpots,
    sized: WaveSpots,
}

/// Parts of what speaks for one width of a warp or the other; files without them are not read further.
const WORDS: &[&str] =
    &["warp", "Warp", "WARP", "lane", "mask", "__shfl", "__ballot", "<<<", "tiled_partition", "thread_block_tile"];

static SEARCHER: LazyLock<Option<Searcher>> = LazyLock::new(|| Searcher::new(WORDS));

/// The document of a file that may say something about warps.
fn telling(path: &Utf8Path, bytes: FileBytes<'_>) -> Option<Document> {
    let may_tell = SEARCHER.as_ref().is_none_or(|searcher| searcher.find(&*bytes).is_some());
    let file = may_tell.then(|| SourceFile::decode(path, bytes.into_vec()).ok()).flatten()?;
    Some(Document::new(file))
}

/// What cannot be read is told when it is converted.
fn look(path: &Utf8Path, table: &Table) -> Look {
    let looked = read_with(path, |bytes| {
        if !may_hold_cuda(&bytes, table) {
            return Look { without_cuda: Some(bytes.len()), ..Look::default() };
        }
        telling(path, bytes).map(|document| look_at(&document)).unwrap_or_default()
    });
    looked.unwrap_or_default()
}

fn look_at(document: &Document) -> Look {
    let evidence: WaveEvidence = Facts::wave_of(document);
    Look {
        without_cuda: None,
        fixed: WaveSpots::of(document, evidence.fixed.iter().map(|found| found.range)),
        sized: WaveSpots::of(document, evidence.sized.iter().copied()),
    }
}
