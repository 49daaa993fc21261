//! Names in code and what they mean, as rules see them.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::analysis::{Declaration, HandedAt, Own, Place, TokenRanges};
use crate::mapping::{Entry, Family};
use crate::source::TextRange;
use crate::syntax::TokenIdx;

/// For each name: where the file declares something else by it, and each `using` that brings it, with its path.
pub(super) type UsedNames = FxHashMap<String, (Vec<TokenIdx>, Vec<(TokenIdx, String)>)>;

/// A name in code.
#[derive(Debug, Clone)]
pub struct Name<'d> {
    /// Its token.
    pub token: TokenIdx,
    /// Its bytes; a qualified name that the tables know as such has its qualifier in it.
    pub range: TextRange,
    /// What it spells.
    pub text: Cow<'d, str>,
    /// What it means.
    pub meaning: Meaning<'d>,
}

/// What a name means, for the release and libraries of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning<'d> {
    /// HIP calls it otherwise.
    Renamed(&'d str, &'d Entry),
    /// HIP calls it the same.
    Same(&'d Entry),
    /// HIP has it in other releases only.
    OtherRelease(&'d Entry),
    /// HIP has no counterpart.
    Missing(&'d Entry),
    /// It is not CUDA's at all.
    Own(Owner),
    /// A condition of the preprocessor names it.
    Tested,
    /// It tells compiler, pass, GPU or version; the rules about conditions deal with it.
    Toolchain,
    /// A part of a name that `##` puts together.
    Pasted,
    /// It is CUDA's or the project's own; which, the types decide.
    Undecided(&'d Entry),
    /// It is of a library of NVIDIA's that no table covers.
    OfLibrary(&'static Family),
    /// It is spelt like one of CUDA's, and nobody knows it.
    Unknown,
}

/// Whose a name is that only looks like one of CUDA's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// This file declares it.
    File(Declaration),
    /// A class has it as a member.
    Class,
    /// A namespace or class that is not CUDA's qualifies it; the token of the qualifier.
    Scope(TokenIdx),
    /// Another file of the project declares it.
    Project,
    /// The settings list it.
    Listed,
}

/// The declarations of the file that make one name the project's own.
#[derive(Default)]
pub(super) struct AllAnew {
    pub(super) list: Vec<Anew>,
    /// By the tokens of the names: numbers in the list.
    pub(super) by_token: FxHashMap<TokenIdx, usize>,
    /// By the paths of namespaces and classes.
    pub(super) by_path: FxHashMap<String, Vec<usize>>,
    /// Those in parts of the file, and what these parts are; none is in a macro.
    pub(super) locals: Vec<usize>,
    pub(super) parts: TokenRanges,
    /// Those that are in no such scope, or in macros.
    pub(super) others: Vec<usize>,
}

/// A declaration of the file that makes a name the project's own.
pub(super) struct Anew {
    pub(super) own: Own,
    /// Where it is visible.
    pub(super) place: Place,
    /// Whether it stands in a directive.
    pub(super) is_in_macro: bool,
}

/// What becomes of the start of a name.
#[derive(Debug)]
pub(super) enum Started<'d> {
    /// No use was seen, or none that makes a name that HIP spells otherwise.
    Open,
    /// All names start with this in HIP; with those whose meaning differs.
    Renamed(String, Vec<(String, &'d Entry)>),
    /// Uses make names of CUDA's that HIP spells otherwise, and nothing serves them all.
    Broken(Box<Broken<'d>>),
}

/// Uses that no start serves.
#[derive(Debug)]
pub(super) struct Broken<'d> {
    /// A name of CUDA's that HIP spells otherwise.
    pub(super) name: String,
    /// Where it is made.
    pub(super) at: &'d HandedAt,
    /// Why the start cannot change.
    pub(super) reason: String,
    /// Where that is.
    pub(super) reason_at: &'d HandedAt,
}
