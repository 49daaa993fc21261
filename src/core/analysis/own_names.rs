//! Names of CUDA's that files of a project declare as their own, for its other files.

use std::collections::BTreeSet;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use crate::syntax::{Call, Document, TokenIdx, split_arguments};

/// Whether a file is compiled by itself, so that what it keeps to itself is of no other file's business.
pub fn is_source(path: &Utf8Path) -> bool {
    matches!(path.extension(), Some("cu" | "cpp" | "cc" | "cxx" | "c"))
}

/// How many arguments a function takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Parameters {
    /// Those without a default.
    pub least: usize,
    /// All; `None` if it takes any number.
    pub most: Option<usize>,
}

impl Parameters {
    /// The parameters of the function whose name is at `name`, with or without a body.
    pub fn of(document: &Document, name: TokenIdx) -> Option<Parameters> {
        let declared = Call::at(document, name)?;
        let all = split_arguments(document, declared.open + 1..declared.close);
        let is_void = all.len() == 1 && all[0].len() == 1 && document.token_text(all[0].start) == "void";
        if is_void {
            return Some(Parameters { least: 0, most: Some(0) });
        }
        let has = |tokens: &std::ops::Range<TokenIdx>, punct: u8| tokens.clone().any(|idx| document.is(idx, punct));
        let takes_more = all.iter().any(|tokens| has(tokens, b'.'));
        let least = all.iter().filter(|tokens| !has(tokens, b'=') && !has(tokens, b'.')).count();
        Some(Parameters { least, most: (!takes_more).then_some(all.len()) })
    }

    /// Whether a call with so many arguments fits.
    pub fn take(self, count: usize) -> bool {
        count >= self.least && self.most.is_none_or(|most| count <= most)
    }
}

/// A declaration of a name that CUDA has, too, which other files see.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnName {
    /// The namespaces and classes around it; empty in the global scope.
    pub path: String,
    /// What a function takes.
    pub parameters: Option<Parameters>,
    /// The file that declares it.
    pub file: Utf8PathBuf,
    /// Where the declaration stands, and what it says.
    pub site: Site,
    /// The files that see what a header declares; all may, if it is not known.
    pub includers: Option<Arc<Includers>>,
    /// The scope that a `using` takes it from.
    pub using: Option<String>,
    /// Whether it is a function that calls may find by the types of their arguments.
    pub takes_own: bool,
}

impl OwnName {
    /// Whether a file sees the declaration; `None` if that is not clear.
    pub fn is_seen_by(&self, file: &Utf8Path) -> Option<bool> {
        let Some(includers) = self.includers.as_ref().filter(|_| self.site.is_in_header()) else { return Some(true) };
        match (includers.surely.contains(file), includers.perhaps.contains(file)) {
            (true, _) => Some(true),
            (false, true) => None,
            (false, false) => Some(false),
        }
    }

    /// Whether it is a macro that a file may see.
    pub fn is_macro_of(&self, file: &Utf8Path) -> bool {
        matches!(self.site, Site::Macro { .. }) && self.is_seen_by(file) != Some(false)
    }

    /// Whether a macro counts in what macros of a file stand for: these may be used where it is seen.
    pub fn is_beside(&self, file: &Utf8Path) -> bool {
        self.includers.as_ref().is_some_and(|includers| includers.beside.contains(file))
    }
}

/// The files of a project that include a header, themselves or by others.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Includers {
    /// The header, and those whose text says so.
    pub surely: BTreeSet<Utf8PathBuf>,
    /// Those that include something of which the text does not say what it is.
    pub perhaps: BTreeSet<Utf8PathBuf>,
    /// Those that are included beside a header with a macro, which counts in what their own macros stand for.
    pub beside: BTreeSet<Utf8PathBuf>,
}

/// Where a declaration stands that other files may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Site {
    /// In a header: it is declared for all who include that.
    Header,
    /// In a source: it is declared for those who have a prototype.
    Source,
    /// A prototype in a header, which may as well repeat one of CUDA's.
    Prototype,
    /// `using ::name;` in a namespace, which takes CUDA's own name over.
    TakenOver,
    /// A macro, for all who include its file.
    Macro {
        /// Whether no condition stands around it.
        always: bool,
    },
    /// In a header, in a branch beside one that includes CUDA's: whose the name is depends on the branch.
    Alternative,
}

impl Site {
    /// Whether those see the declaration who include its file.
    pub fn is_in_header(self) -> bool {
        matches!(self, Site::Header | Site::Alternative | Site::Macro { .. })
    }
}

/// Such names of all files of a project.
pub type OwnNames = FxHashMap<String, Vec<OwnName>>;
