//! Reports that are joined, and why that may fail.

/// A report of a part, and what people call it.
#[derive(Debug, Clone, Copy)]
pub struct PartReport<'r> {
    /// The file.
    pub name: &'r str,
    /// What is in it.
    pub text: &'r str,
}

/// Reports that make no whole.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// It cannot be read.
    #[error("`{name}` is no report that can be merged: {message}")]
    Unreadable {
        /// The file.
        name: String,
        /// What is wrong with it.
        message: String,
    },
    /// It was not written with `--shard`.
    #[error("`{0}` is no report of a shard; `--shard K/N` writes them")]
    Whole(String),
    /// Parts of different wholes.
    #[error("`{first}` and `{second}` are of different runs: {what} differs")]
    Different {
        /// A file.
        first: String,
        /// Another one.
        second: String,
        /// In what they differ.
        what: String,
    },
    /// A part is there more than once.
    #[error("`{first}` and `{second}` are both shard {shard}")]
    Twice {
        /// A file.
        first: String,
        /// Another one.
        second: String,
        /// Which part.
        shard: String,
    },
    /// Parts are not there.
    #[error("not all is there: no report of shard {0}")]
    Missing(String),
    /// The parts leave something out or tell it twice.
    #[error("the reports together do not tell each file or program once; were all made from the same sources?")]
    Uneven,
}

pub(super) fn unreadable(name: &str, message: &(impl ToString + ?Sized)) -> MergeError {
    MergeError::Unreadable { name: name.to_owned(), message: message.to_string() }
}
