//! `hipshift toolchain`

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use camino::Utf8PathBuf;
use clap::{Args, Subcommand};

use super::exit::Exit;
use super::output::{note, screen};
use crate::mapping::RocmVersion;
use crate::project::refuse_brought_links;
use crate::toolchain::{
    LIBRARY_SETS, LibrarySet, Options, Part, System, default_folder, install, install_libraries, remove_libraries,
};

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
    /// Remove AMD's libraries that `install --libraries` fetched; the compiler and the headers stay.
    Remove(Remove),
}

#[derive(Debug, Args)]
struct Install {
    /// Releases of HIP: 7.2, 6.4, 5.7. The newest is always fetched, as its device libraries serve all [default: 7.2].
    #[arg(long, value_name = "VERSION", value_delimiter = ',')]
    hip: Vec<RocmVersion>,
    /// Also fetch AMD's own libraries, which programs then run with on the emulator: rand, blas, fft, sparse, solver, all.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    libraries: Vec<String>,
    /// Folder to unpack into [default: hipshift/toolchain in `XDG_DATA_HOME`, or in `~/.local/share`].
    #[arg(long, value_name = "DIR")]
    dir: Option<Utf8PathBuf>,
    /// Fetch again what is there already.
    #[arg(long)]
    refresh: bool,
}

#[derive(Debug, Args)]
struct Remove {
    /// Which libraries: rand, blas, fft, sparse, solver, all.
    #[arg(long, value_name = "NAME", value_delimiter = ',', required = true)]
    libraries: Vec<String>,
    /// Folder that they were fetched into [default: as for `install`].
    #[arg(long, value_name = "DIR")]
    dir: Option<Utf8PathBuf>,
}

pub(super) fn run(arguments: &Toolchain) -> anyhow::Result<Exit> {
    match &arguments.task {
        Task::Install(arguments) => fetch(arguments),
        Task::Remove(arguments) => remove(arguments),
    }
}

/// The folder that was named, or the usual one.
fn folder(asked: Option<&Utf8PathBuf>) -> anyhow::Result<PathBuf> {
    if let Some(dir) = asked {
        refuse_brought_links(dir, &[])?;
    }
    let asked = asked.map(|dir| dir.as_std_path().to_owned());
    let folder = asked.or_else(default_folder).context("there is no home folder; name one with `--dir`")?;
    std::path::absolute(&folder).with_context(|| format!("resolving {}", folder.display()))
}

/// The libraries of a list of names.
fn sets(names: &[String]) -> anyhow::Result<Vec<&'static LibrarySet>> {
    if names.iter().any(|name| name == "all") {
        return Ok(LIBRARY_SETS.iter().collect());
    }
    let known = || LIBRARY_SETS.iter().map(|set| set.name).collect::<Vec<_>>().join(", ");
    let find = |name: &String| {
        LibrarySet::find(name).with_context(|| format!("no library `{name}`; there are {}, all", known()))
    };
    names.iter().map(find).collect()
}

fn remove(arguments: &Remove) -> anyhow::Result<Exit> {
    let removed = remove_libraries(&folder(arguments.dir.as_ref())?, &sets(&arguments.libraries)?)?;
    note(&if removed.is_empty() {
        "nothing of that is there".to_owned()
    } else {
        format!("removed {}", removed.join(", "))
    });
    Ok(Exit::Clean)
}

fn fetch(arguments: &Install) -> anyhow::Result<Exit> {
    let (folder, sets) = (folder(arguments.dir.as_ref())?, sets(&arguments.libraries)?);
    let options = Options { folder: &folder, releases: &arguments.hip, refresh: arguments.refresh, check: true };
    let mut parts = install(&System::default(), &options, &|step| note(&format!("looking at {step}")))?;
    parts.extend(install_libraries(&System::default(), &folder, &sets, arguments.refresh, &note)?);
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
