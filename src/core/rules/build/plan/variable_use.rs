//! How the value of a variable of CMake's is read: as a list of options, or as a text with blanks between them.

/// How the value of a variable is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Each value is one option.
    List,
    /// Blanks stand between the options.
    Text,
    /// In both ways, or in one that is not known.
    Both,
    /// The file does not read it.
    Nowhere,
}
