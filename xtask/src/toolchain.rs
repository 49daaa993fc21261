//! Fetches what compiles HIP for AMD GPUs: headers of three HIP releases, device libraries and
//! clang. Everything is unpacked below one folder; the system stays unchanged and no root is needed.

mod apt;
mod fetch;
mod locate;
mod stamp;

use std::path::{self, Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

pub(crate) use self::fetch::with_dependencies;
pub(crate) use self::locate::{HipRelease, Toolchain, locate};
use crate::process::run_with_input;
use crate::repository_root;

/// Options of `xtask toolchain`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Fetch the headers, not the compiler
    #[arg(long)]
    headers_only: bool,
    /// HIP release whose headers to fetch
    #[arg(long, value_enum, default_value = "all")]
    hip: Releases,
    /// Folder to unpack into [default: target/toolchain]
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Fetch again what is there already
    #[arg(long)]
    refresh: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Releases {
    #[value(name = "7.2")]
    V7_2,
    #[value(name = "6.4")]
    V6_4,
    #[value(name = "5.7")]
    V5_7,
    All,
}

/// One HIP release and where its headers come from.
struct Release {
    choice: Releases,
    version: &'static str,
    /// Debian suites that carry it, best first: what a suite holds changes with time.
    suites: &'static [&'static str],
    /// Only the newest set of device libraries is needed: clang 22 uses it with every release.
    device_libraries: Option<&'static str>,
}

const RELEASES: &[Release] = &[
    Release {
        choice: Releases::V7_2,
        version: "7.2",
        suites: &["experimental", "sid"],
        device_libraries: Some("rocm-device-libs-22"),
    },
    Release { choice: Releases::V6_4, version: "6.4", suites: &["sid", "forky"], device_libraries: None },
    Release { choice: Releases::V5_7, version: "5.7", suites: &["trixie"], device_libraries: None },
];

/// One line of the closing table.
struct Part {
    name: String,
    version: String,
    path: PathBuf,
}

/// Fetches the wanted parts and prints what there is and where.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let dir = absolute_dir(arguments.dir.as_deref())?;
    let mut parts = Vec::new();
    for release in RELEASES {
        if arguments.hip == Releases::All || arguments.hip == release.choice {
            parts.extend(fetch::release(release, &dir, arguments.refresh)?);
        }
    }
    if !arguments.headers_only {
        parts.push(fetch::compiler(&dir, arguments.refresh)?);
    }
    print_table(&parts);
    if !arguments.headers_only && dir.join("hip-7.2").is_dir() {
        check(&locate(&dir, HipRelease::NEWEST)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Compiles one kernel, so that a part that is missing shows here and not in a long run.
#[expect(clippy::print_stdout, reason = "says that the parts work together")]
fn check(toolchain: &Toolchain) -> Result<()> {
    let kernel = "#include <hip/hip_runtime.h>\n#include <vector>\n__global__ void k(float *x) { *x = rsqrtf(*x); }\n";
    let output = run_with_input(toolchain.device_pass("gfx90a").args(["-fsyntax-only", "-"]), kernel);
    output.context("compiling a small kernel (a C++ standard library such as `libstdc++-12-dev` is needed)")?;
    println!("clang {} compiles a kernel against HIP {}", toolchain.compiler_version, toolchain.hip_version);
    Ok(())
}

/// Where the toolchain lives: the folder asked for, or the default one.
pub(crate) fn absolute_dir(asked: Option<&Path>) -> Result<PathBuf> {
    let dir = asked.map_or_else(|| repository_root().join("target/toolchain"), Path::to_path_buf);
    path::absolute(&dir).with_context(|| format!("resolving `{}`", dir.display()))
}

#[expect(clippy::print_stdout, reason = "the table is what the command is asked for")]
fn print_table(parts: &[Part]) {
    let width = |column: fn(&Part) -> usize| parts.iter().map(column).max().unwrap_or(0);
    let (name_width, version_width) = (width(|part| part.name.len()), width(|part| part.version.len()));
    for Part { name, version, path } in parts {
        println!("{name:name_width$}  {version:version_width$}  {}", path.display());
    }
}
