//! What can be typed after `hipshift lint`.

use camino::Utf8PathBuf;
use clap::{Args, ValueEnum};

use super::args::{FileSelection, RuleOptions, TargetOptions};
use super::shard::ShardOption;

#[derive(Debug, Args)]
pub(super) struct Lint {
    /// Files and directories; `-` reads standard input.
    #[arg(default_value = ".", value_name = "PATH")]
    pub(super) paths: Vec<Utf8PathBuf>,
    /// Apply safe fixes to the files; CUDA sources become HIP as `convert --in-place` would make them.
    ///
    /// With `-` the fixed text goes to standard output. `--unsafe-fixes` adds fixes that may change behaviour.
    #[arg(long)]
    pub(super) fix: bool,
    /// Fix files although the git work tree has uncommitted changes.
    #[arg(long, requires = "fix")]
    pub(super) allow_dirty: bool,
    /// Gravity from which on a finding makes the exit code 1.
    #[arg(long, value_enum, default_value_t = FailOnWord::Warning, value_name = "SEVERITY")]
    pub(super) fail_on: FailOnWord,
    /// Show how much work a port is: automatic, review, rewrite.
    #[arg(long)]
    pub(super) estimate: bool,
    /// How the report is written.
    #[arg(long, value_enum, default_value_t = LintFormatWord::Text, value_name = "FORMAT")]
    pub(super) format: LintFormatWord,
    #[command(flatten)]
    pub(super) scope: LintScope,
    #[command(flatten)]
    pub(super) selection: FileSelection,
    #[command(flatten)]
    pub(super) part: ShardOption,
    #[command(flatten)]
    pub(super) target: TargetOptions,
    #[command(flatten)]
    pub(super) rules: RuleOptions,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Which findings count")]
pub(super) struct LintScope {
    /// Leave out findings that this file holds.
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<Utf8PathBuf>,
    /// Write all findings to this file, for `--baseline`.
    #[arg(long, value_name = "FILE", conflicts_with = "fix")]
    pub(super) write_baseline: Option<Utf8PathBuf>,
    /// Only lines that differ from this git commit.
    #[arg(long, value_name = "REF")]
    pub(super) since: Option<String>,
    /// Look at the files that are staged, as they are in git's index.
    #[arg(long, conflicts_with = "fix")]
    pub(super) staged: bool,
}

/// `--fail-on`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOnWord {
    /// Errors.
    Error,
    /// Errors and warnings.
    Warning,
    /// All findings.
    Info,
    /// Nothing.
    Never,
}

/// `--format` of `lint`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LintFormatWord {
    /// For people: each finding with its line.
    Text,
    /// For people: a line each.
    Concise,
    /// One document.
    Json,
    /// One object on a line each.
    Jsonl,
    /// SARIF 2.1.0.
    Sarif,
    /// Workflow commands of GitHub.
    Github,
    /// A code quality report of GitLab.
    Gitlab,
    /// The XML of `JUnit`.
    Junit,
    /// One file for a browser.
    Html,
}
