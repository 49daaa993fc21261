//! `hipshift toolchain`

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use camino::Utf8PathBuf;
use clap::{Args, Subcommand};

use super::exit::Exit;
use super::output::{note, screen};
use crate::mapping::RocmVersion;
use crate::toolchain::{Options, Part, System, default_folder, install};

/// `hipshift toolchain`
#[derive(Debug, Args)]
pub(super) struct Toolchain {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Fetch what `validate` compiles with into a folder of its own; the system stays as it is.
    ///
    /// Packages come from the sources that apt is configured with, and apt checks them. A run that was stopped goes on where
    /// it was; a second run only says what is there.
    Install(Install),
}

#[derive(Debug, Args)]
struct Install {
    /// Releases of HIP: 7.2, 6.4, 5.7. The newest is always fetched, as its device libraries serve all [default: 7.2].
    #[arg(long, value_name = "VERSION", value_delimiter = ',')]
    hip: Vec<RocmVersion>,
    /// Folder to unpack into [default: hipshift/toolchain in `XDG_DATA_HOME`, or in `~/.local/share`].
    #[arg(long, value_name = "DIR")]
    dir: Option<Utf8PathBuf>,
    /// Fetch again what is there already.
    #[arg(long)]
    refresh: bool,
}

pub(super) fn run(arguments: &Toolchain) -> anyhow::Result<Exit> {
    let Task::Install(arguments) = &arguments.task;
    let asked = arguments.dir.as_ref().map(|dir| dir.as_std_path().to_owned());
    let folder = asked.or_else(default_folder).context("there is no home folder; name one with `--dir`")?;
    let folder = std::path::absolute(&folder).with_context(|| format!("resolving {}", folder.display()))?;
    let options = Options { folder: &folder, releases: &arguments.hip, refresh: arguments.refresh, check: true };
    let parts = install(&System::default(), &options, &|step| note(&format!("looking at {step}")))?;
    write_parts(&parts, &folder)?;
    Ok(Exit::Clean)
}

fn write_parts(parts: &[Part], folder: &Path) -> std::io::Result<()> {
    let mut out = screen();
    let width = |column: fn(&Part) -> usize| parts.iter().map(column).max().unwrap_or(0);
    let (names, versions) = (width(|part| part.name.len()), width(|part| part.version.len()));
    for Part { name, version, path } in parts {
        writeln!(out, "{name:names$}  {version:versions$}  {}", path.display())?;
    }
    if default_folder().as_deref() != Some(folder) {
        writeln!(out, "`--toolchain {}` or `HIPSHIFT_TOOLCHAIN` chooses it", folder.display())?;
    }
    out.flush()
}
