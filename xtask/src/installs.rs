//! Installs hipshift in each way that README names, uses what is installed with nothing else around, and says how long it took.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};

use crate::dist::Kind;
use crate::process::run as run_program;
use crate::repository_root;
use crate::tools::from_python;

/// The release of maturin that makes wheels.
const MATURIN: &str = "maturin==1.16.0";

/// Options of `xtask installs`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Ways to install; default: all
    #[arg(value_enum)]
    ways: Vec<Way>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Way {
    /// `cargo install --path .`
    Cargo,
    /// `cargo install --git`, with what is committed here; everything is compiled anew
    Git,
    /// A wheel, installed into an empty Python environment
    Wheel,
    /// The archive with a static program, unpacked
    Archive,
    /// The package for Debian, unpacked without root
    Deb,
}

/// Tries the ways, one after the other.
#[expect(clippy::print_stdout, reason = "says what was tried")]
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let ways = if arguments.ways.is_empty() { Way::value_variants() } else { &arguments.ways };
    for way in ways {
        let name = way.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        let folder = repository_root().join("target/installs").join(&name);
        let begun = Instant::now();
        let program = way.install(&folder).with_context(|| format!("installing by {name}"))?;
        println!("{name}: installed in {:.0} s", begun.elapsed().as_secs_f32());
        println!("{}", try_out(&program, &folder).with_context(|| format!("using {}", program.display()))?);
    }
    Ok(ExitCode::SUCCESS)
}

impl Way {
    /// Installs below `folder`, and returns the program, which has to be alone there.
    fn install(self, folder: &Path) -> Result<PathBuf> {
        let program = match self {
            Way::Cargo => cargo_install(&[OsStr::new("--path"), repository_root().as_os_str()], folder)?,
            Way::Git => {
                let address = format!("file://{}", repository_root().display());
                let revision = run_program(Command::new("git").arg("rev-parse").arg("HEAD"))?;
                cargo_install(&["--git", &address, "--rev", revision.trim(), "hipshift"].map(OsStr::new), folder)?
            }
            Way::Wheel => return wheel(folder),
            Way::Archive => return unpacked_archive(folder),
            Way::Deb => return unpacked_deb(folder),
        };
        let names: Vec<_> = fs::read_dir(folder.join("bin"))?.flatten().map(|entry| entry.file_name()).collect();
        ensure!(names == ["hipshift"], "more than the program was installed: {names:?}");
        Ok(program)
    }
}

fn cargo_install(source: &[&OsStr], folder: &Path) -> Result<PathBuf> {
    let mut command = Command::new("cargo");
    command.args(["install", "--locked", "--force", "--root"]).arg(folder).args(source);
    run_program(&mut command)?;
    Ok(folder.join("bin/hipshift"))
}

fn wheel(folder: &Path) -> Result<PathBuf> {
    let tools = repository_root().join("target/tools/maturin");
    from_python(&tools, "maturin", MATURIN)?;
    let wheels = folder.join("wheels");
    fs::remove_dir_all(&wheels).ok();
    let mut maturin = Command::new(tools.join("bin/maturin"));
    run_program(maturin.args(["build", "--release", "--out"]).arg(&wheels).current_dir(repository_root()))?;
    let made = fs::read_dir(&wheels)?.flatten().next().context("maturin made no wheel")?.path();
    let home = folder.join("venv");
    run_program(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&home))?;
    run_program(Command::new(home.join("bin/pip")).args(["install", "--no-index", "--no-deps"]).arg(&made))?;
    Ok(home.join("bin/hipshift"))
}

fn unpacked_archive(folder: &Path) -> Result<PathBuf> {
    let archive = Kind::Archive.make()?;
    fs::remove_dir_all(folder).ok();
    fs::create_dir_all(folder)?;
    run_program(Command::new("tar").arg("-xzf").arg(&archive).args(["--strip-components=1", "-C"]).arg(folder))?;
    let program = folder.join("hipshift");
    let kind = run_program(Command::new("ldd").arg(&program));
    ensure!(kind.is_err() || kind?.contains("statically linked"), "the program needs libraries of the system");
    shows_manual(&folder.join("man/hipshift-convert.1"))?;
    Ok(program)
}

fn unpacked_deb(folder: &Path) -> Result<PathBuf> {
    let package = Kind::Deb.make()?;
    fs::remove_dir_all(folder).ok();
    fs::create_dir_all(folder)?;
    run_program(Command::new("dpkg-deb").arg("-x").arg(&package).arg(folder))?;
    let page = folder.join("usr/share/man/man1/hipshift-convert.1.gz");
    ensure!(page.is_file(), "the package has no manual pages");
    Ok(folder.join("usr/bin/hipshift"))
}

/// Whether `man` reads a page without complaints, where there is one.
fn shows_manual(page: &Path) -> Result<()> {
    let Ok(man) = Command::new("man").args(["--warnings", "-l", "-Tutf8"]).arg(page).stdin(Stdio::null()).output()
    else {
        return Ok(());
    };
    let complaints = String::from_utf8_lossy(&man.stderr).into_owned();
    ensure!(man.status.success() && complaints.is_empty(), "man says {complaints}");
    ensure!(String::from_utf8_lossy(&man.stdout).contains("CUDA"), "the manual page says nothing");
    Ok(())
}

/// Converts a project and runs the self-check in an environment that knows neither this repository nor Rust.
fn try_out(program: &Path, folder: &Path) -> Result<String> {
    let home = folder.join("home");
    fs::remove_dir_all(&home).ok();
    fs::create_dir_all(&home)?;
    let toolchain = repository_root().join("target/toolchain");
    ensure!(toolchain.is_dir(), "`hipshift toolchain install --dir target/toolchain` fetches what it compiles with");
    let command = || {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", &home).env("HIPSHIFT_TOOLCHAIN", &toolchain);
        command.current_dir(&home).stdin(Stdio::null());
        command
    };
    let project = repository_root().join("fixtures/vector_add");
    run_program(command().arg("convert").arg(&project).args(["-o", "converted"]))?;
    ensure!(home.join("converted/src/main.cu").is_file(), "nothing was converted");
    run_program(command().arg("validate").arg(&project).args(["--executor", "emulator"]))?;
    run_program(command().arg("self-check"))
}
