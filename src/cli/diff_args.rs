//! What can be typed after `hipshift diff`.

use camino::Utf8PathBuf;
use clap::{Args, ValueEnum};

use super::args::{FileSelection, PlainFormatWord, RuleOptions, TargetOptions};

#[derive(Debug, Args)]
pub(super) struct Diff {
    /// Files and directories; `-` reads standard input.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<Utf8PathBuf>,
    /// Lines shown around each change.
    #[arg(short = 'U', long, value_name = "N", default_value_t = 3)]
    pub(super) context: usize,
    /// Show old lines beside new ones, in the width of the terminal.
    #[arg(short = 'y', long, group = "form")]
    pub(super) side_by_side: bool,
    /// Show old words beside new ones.
    #[arg(long = "word-diff", group = "form")]
    pub(super) by_words: bool,
    /// How the differences are written.
    #[arg(long, value_enum, default_value_t = PlainFormatWord::Text, value_name = "FORMAT")]
    pub(super) format: PlainFormatWord,
    /// Do not page, however long the output is.
    #[arg(long)]
    pub(super) no_pager: bool,
    /// Write a patch for `git apply` or `patch -p1`; `-` is standard output.
    ///
    /// Without lines around the changes (`-U 0`), git asks for `git apply --unidiff-zero`.
    #[arg(long, value_name = "FILE", group = "form")]
    pub(super) patch: Option<Utf8PathBuf>,
    /// Write a series of patches for `git am`, which together do what `convert` does.
    ///
    /// Patches with CRLF line ends are quoted-printable, as `git am` would take CR off them.
    #[arg(long, value_enum, value_name = "WHAT", group = "form", requires = "output")]
    pub(super) split_by: Option<SplitWord>,
    /// Directory for the series; it is made if need be.
    #[arg(short, long, value_name = "DIR", requires = "split_by")]
    pub(super) output: Option<Utf8PathBuf>,
    #[command(flatten)]
    pub(super) selection: FileSelection,
    #[command(flatten)]
    pub(super) target: TargetOptions,
    #[command(flatten)]
    pub(super) rules: RuleOptions,
}

/// `--split-by`
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum SplitWord {
    /// One patch for each group of rules: headers, names, launches, masks and so on.
    Rule,
    /// One patch for each file.
    File,
    /// One patch for each directory.
    Directory,
}
