//! Targets of CMake while they are described.

use camino::Utf8PathBuf;

use crate::project::model::types::{Place, TargetKind};

/// Something that a target gets, and who gets it.
#[derive(Debug, Clone)]
pub(super) struct Handed {
    pub(super) text: String,
    /// Whether the target itself gets it.
    pub(super) own: bool,
    /// Whether those that use the target get it.
    pub(super) others: bool,
}

/// What folders and targets get.
#[derive(Debug, Clone, Default)]
pub(super) struct Usage {
    /// Folders of headers, absolute or with generator expressions.
    pub(super) include: Vec<Handed>,
    pub(super) definitions: Vec<Handed>,
    pub(super) options: Vec<Handed>,
    pub(super) libraries: Vec<Handed>,
}

/// A folder with a file of CMake.
#[derive(Debug, Clone, Default)]
pub(super) struct Directory {
    pub(super) source: Utf8PathBuf,
    pub(super) usage: Usage,
    /// Options of all sources of a language, by language, as they are where the file ends.
    pub(super) flags: Vec<(&'static str, String)>,
}

/// A target.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) kind: TargetKind,
    /// Number of its folder.
    pub(super) directory: usize,
    /// Sources as they are written, from the folder of the project on, or with generator expressions.
    pub(super) sources: Vec<String>,
    pub(super) usage: Usage,
    /// Language standards, by language.
    pub(super) standards: Vec<(&'static str, String)>,
    /// Whether device code of its sources is linked.
    pub(super) is_separable: bool,
    pub(super) place: Place,
}
