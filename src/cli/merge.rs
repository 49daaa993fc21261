//! `hipshift report`

use std::io::Write as _;

use anyhow::{Context as _, bail};
use camino::Utf8PathBuf;
use clap::{Args, Subcommand, ValueEnum};

use super::exit::Exit;
use super::output::stdout;
use crate::project::read_named;
use crate::report::{MergeFormat, PartReport, merge_reports};

/// `hipshift report`
#[derive(Debug, Args)]
pub(super) struct ReportArguments {
    #[command(subcommand)]
    command: ReportCommand,
}

#[derive(Debug, Subcommand)]
enum ReportCommand {
    /// Join the reports of all shards, in any order, into the one that a single run would have written.
    #[command(after_help = "Exit codes: 0 merged, 2 trouble, such as a shard that is missing.")]
    Merge(Merge),
}

#[derive(Debug, Args)]
struct Merge {
    /// Reports of all shards of one run, in one format.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<Utf8PathBuf>,
    /// Format of the reports [default: what the first one is].
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<MergeWord>,
}

/// `--format` of `report merge`
#[derive(Debug, Clone, Copy, ValueEnum)]
enum MergeWord {
    /// One document.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// The XML of `JUnit`.
    Junit,
}

impl MergeWord {
    fn format(self) -> MergeFormat {
        match self {
            MergeWord::Json => MergeFormat::Json,
            MergeWord::Sarif => MergeFormat::Sarif,
            MergeWord::Junit => MergeFormat::Junit,
        }
    }
}

pub(super) fn run(
    ReportArguments { command: ReportCommand::Merge(arguments) }: &ReportArguments,
) -> anyhow::Result<Exit> {
    let read = |path: &Utf8PathBuf| read_named(path).with_context(|| format!("reading {path}"));
    let texts = arguments.files.iter().map(read).collect::<anyhow::Result<Vec<String>>>()?;
    let reports: Vec<PartReport<'_>> =
        arguments.files.iter().zip(&texts).map(|(path, text)| PartReport { name: path.as_str(), text }).collect();
    let format = arguments.format.map(MergeWord::format).or_else(|| MergeFormat::of(texts.first()?));
    let Some(format) = format else { bail!("`{}` is neither JSON, SARIF nor JUnit", arguments.files[0]) };
    let merged = merge_reports(&reports, format)?;
    let mut out = stdout();
    out.write_all(&merged)?;
    out.flush()?;
    Ok(Exit::Clean)
}
