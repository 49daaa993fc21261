//! A look at all files before the first is converted, for what the project decides as a whole.

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;
use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

use super::convert::Source;
use super::read::read_with;
use crate::analysis::{Facts, WaveEvidence, WaveWidth};
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
    /// For each source the size in bytes of a file that surely holds no CUDA.
    pub(super) without_cuda: Vec<Option<usize>>,
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
    /// What stands on it, cut off after 60 characters.
    pub text: String,
}

/// Looks at all files. Nothing is read if the settings leave nothing to decide.
pub fn survey(sources: &[Source], table: &Table, settings: &Settings) -> Survey {
    if settings.wave_policy != WavePolicy::Auto {
        let width = match settings.wave_policy {
            WavePolicy::Native => WaveWidth::Native,
            WavePolicy::Auto | WavePolicy::Logical32 => WaveWidth::Logical32,
        };
        let decision = WaveDecision { width, asked: true, fixed: WaveSpots::default(), sized: WaveSpots::default() };
        return Survey { wave: Some(decision), without_cuda: Vec::new() };
    }
    let looks: Vec<Look> = sources.par_iter().map(|source| look(&source.path, table)).collect();
    let mut decision = WaveDecision {
        width: WaveWidth::Logical32,
        asked: false,
        fixed: WaveSpots::default(),
        sized: WaveSpots::default(),
    };
    let mut without_cuda = Vec::with_capacity(looks.len());
    for look in looks {
        without_cuda.push(look.without_cuda);
        decision.fixed.add(look.fixed);
        decision.sized.add(look.sized);
    }
    if decision.fixed.count == 0 && decision.sized.count > 0 {
        decision.width = WaveWidth::Native;
    }
    Survey { wave: Some(decision), without_cuda }
}

impl WaveSpots {
    fn of(document: &Document, places: &[TextRange]) -> WaveSpots {
        let first = places.first().map(|&place| WaveSpot {
            path: document.file().path.clone(),
            line: document.position(place.start()).line,
            text: line_text(document, place),
        });
        WaveSpots { count: places.len(), first }
    }

    fn add(&mut self, more: WaveSpots) {
        self.count += more.count;
        self.first = self.first.take().or(more.first);
    }
}

fn line_text(document: &Document, place: TextRange) -> String {
    let (text, at) = (document.text(), usize::from(place.start()));
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    line.trim().chars().take(60).collect()
}

/// What one file says.
#[derive(Default)]
struct Look {
    without_cuda: Option<usize>,
    fixed: WaveSpots,
    sized: WaveSpots,
}

/// Parts of what speaks for one width of a warp or the other; files without them are not read further.
const WORDS: &[&str] = &["warp", "Warp", "WARP", "lane", "__shfl", "<<<", "tiled_partition", "thread_block_tile"];

static SEARCHER: LazyLock<Option<Searcher>> = LazyLock::new(|| Searcher::new(WORDS));

/// What cannot be read is told when it is converted.
fn look(path: &Utf8Path, table: &Table) -> Look {
    let looked = read_with(path, |bytes| {
        if !may_hold_cuda(bytes, table) {
            return Look { without_cuda: Some(bytes.len()), ..Look::default() };
        }
        let may_tell = SEARCHER.as_ref().is_none_or(|searcher| searcher.find(bytes).is_some());
        let file = may_tell.then(|| SourceFile::decode(path, bytes.to_vec()).ok()).flatten();
        file.map(|file| look_at(&Document::new(file))).unwrap_or_default()
    });
    looked.unwrap_or_default()
}

fn look_at(document: &Document) -> Look {
    let evidence: WaveEvidence = Facts::wave_of(document);
    Look {
        without_cuda: None,
        fixed: WaveSpots::of(document, &evidence.fixed),
        sized: WaveSpots::of(document, &evidence.sized),
    }
}
