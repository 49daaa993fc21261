//! One line of a mapping table.

use super::version::VersionRange;

/// What a name names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A host function.
    Function,
    /// A type.
    Type,
    /// An enumerator or other constant.
    Constant,
    /// A macro.
    Macro,
    /// The path of a header as written in an include.
    Header,
    /// A namespace.
    Namespace,
    /// A function or variable of device code.
    Builtin,
}

impl Kind {
    const ALL: [Kind; 7] =
        [Kind::Function, Kind::Type, Kind::Constant, Kind::Macro, Kind::Header, Kind::Namespace, Kind::Builtin];

    /// The kind of a word in the tables.
    pub(super) fn from_word(word: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// The word for it in the tables and in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Function => "function",
            Kind::Type => "type",
            Kind::Constant => "constant",
            Kind::Macro => "macro",
            Kind::Header => "header",
            Kind::Namespace => "namespace",
            Kind::Builtin => "builtin",
        }
    }
}

/// How well HIP stands in for the CUDA name. Ordered from worst to best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Support {
    /// No counterpart.
    None,
    /// A counterpart that covers some uses only.
    Partial,
    /// A counterpart that behaves differently; the note says how.
    Differs,
    /// The same.
    Full,
}

impl Support {
    const ALL: [Support; 4] = [Support::None, Support::Partial, Support::Differs, Support::Full];

    /// The degree of a word in the tables.
    pub(super) fn from_word(word: &str) -> Option<Support> {
        Support::ALL.into_iter().find(|support| support.as_str() == word)
    }

    /// The word for it in the tables and in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Support::None => "none",
            Support::Partial => "partial",
            Support::Differs => "differs",
            Support::Full => "full",
        }
    }
}

/// A CUDA name and its HIP counterpart for a range of releases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The CUDA name.
    pub cuda: &'static str,
    /// The HIP name; empty if there is none.
    pub hip: &'static str,
    /// The name in AMD's own library (rocBLAS, MIOpen, …); empty if it is the HIP name.
    pub roc: &'static str,
    /// What the name names.
    pub kind: Kind,
    /// How well HIP supports it.
    pub support: Support,
    /// The releases that this line is about.
    pub range: VersionRange,
    /// What to know, for people.
    pub note: &'static str,
    /// The table that the line is in, such as `runtime` or `cublas`.
    pub library: &'static str,
}

/// Starts of the names of device functions that CUDA overloads for many types: those of warps, of atomics and of cache
/// hints (CUDA C++ Programming Guide, sections "Warp Shuffle Functions", "Warp Match Functions", "Warp Reduce Functions",
/// "Atomic Functions" and "Load/Store Functions Using Cache Hints").
const OVERLOADED: &[&str] = &["__shfl", "__match_", "__reduce_", "atomic", "__ld", "__st"];

impl Entry {
    /// What stands for the table of names that a user gives.
    pub(super) const OF_USER: &'static str = "user";

    /// Whether a user gave the name.
    pub fn is_of_user(&self) -> bool {
        self.library == Entry::OF_USER
    }

    /// Whether CUDA has a set of overloads of the name, one for each of many types.
    pub fn has_overloads(&self) -> bool {
        self.kind == Kind::Builtin && OVERLOADED.iter().any(|start| self.cuda.starts_with(start))
    }
}
