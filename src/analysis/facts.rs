//! All that the analysis of one file found, and what a project adds.

use rustc_hash::FxHashSet;

use super::aliases::Aliases;
use super::conditions::Conditions;
use super::declared::Declared;
use super::excluded::excluded;
use super::functions::Functions;
use crate::source::TextRange;
use crate::syntax::Document;

/// What one file means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Functions with a body.
    pub functions: Functions,
    /// CUDA-like names that the file declares.
    pub declared: Declared,
    /// Other names of namespaces.
    pub aliases: Aliases,
    /// What its `#if`s test.
    pub conditions: Conditions,
    /// Blocks that the preprocessor skips whatever macros are defined.
    pub excluded: Vec<TextRange>,
    /// Whether `warpSize` stands anywhere in the file, so that it may count on the size of the wave.
    pub mentions_warp_size: bool,
}

impl Facts {
    /// Analyses a file.
    pub fn of(document: &Document) -> Facts {
        let functions = Functions::of(document);
        let declared = Declared::of(document, &functions);
        let (aliases, conditions) = (Aliases::of(document), Conditions::of(document));
        let excluded = excluded(document, &conditions);
        let mentions_warp_size = memchr::memmem::find(document.text().as_bytes(), b"warpSize").is_some();
        Facts { functions, declared, aliases, conditions, excluded, mentions_warp_size }
    }
}

/// What the other files of a run mean for one file; empty when a file is looked at alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectFacts {
    /// File names (without directory) of the project's own files that are renamed.
    pub renamed_files: FxHashSet<String>,
}
