//! Finds a fetched toolchain again and starts its compiler.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;

use super::stamp::Stamp;
use crate::process::run;

/// What applies exported fixes, of the package `clang-tools-22`.
pub(super) const APPLY_REPLACEMENTS: &str = "clang-apply-replacements-22";

const TOOLS: &[&str] = &[
    "clang++-22",
    "clang-22",
    APPLY_REPLACEMENTS,
    "clang-offload-bundler-22",
    "ld.lld-22",
    "llvm-objdump-22",
    "llvm-readelf-22",
];

/// A HIP release whose headers the toolchain holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HipRelease {
    #[value(name = "7.2")]
    V7_2,
    #[value(name = "6.4")]
    V6_4,
    #[value(name = "5.7")]
    V5_7,
}

impl HipRelease {
    /// The release that everything is compared with unless another is asked for.
    pub(crate) const NEWEST: Self = Self::V7_2;

    /// Major and minor number.
    pub(crate) fn number(self) -> &'static str {
        match self {
            Self::V7_2 => "7.2",
            Self::V6_4 => "6.4",
            Self::V5_7 => "5.7",
        }
    }
}

/// A compiler with the HIP release it compiles against.
pub(crate) struct Toolchain {
    /// The release.
    pub(crate) release: HipRelease,
    /// `clang++`, or a script that starts it.
    pub(crate) compiler: PathBuf,
    /// First line of the compiler's `--version`, shortened to the version.
    pub(crate) compiler_version: String,
    /// What `--rocm-path` takes.
    pub(crate) rocm: PathBuf,
    /// Version of the package the HIP headers came from.
    pub(crate) hip_version: String,
    /// What `--rocm-device-lib-path` takes.
    pub(crate) device_libraries: PathBuf,
}

impl Toolchain {
    /// A command for the device pass of one target, still without a file and what to do with it.
    pub(crate) fn device_pass(&self, arch: &str) -> Command {
        let mut command = Command::new(&self.compiler);
        command.args(["-x", "hip", "-std=c++17", "--cuda-device-only"]);
        command.arg(format!("--offload-arch={arch}"));
        command.arg(format!("--rocm-path={}", self.rocm.display()));
        command.arg(format!("--rocm-device-lib-path={}", self.device_libraries.display()));
        if self.release != HipRelease::NEWEST {
            // Clang 22 no longer defines what the headers before 7.0 expect from the compiler.
            let lanes = if arch.starts_with("gfx9") { 64 } else { 32 };
            command
                .args(["__AMDGCN_WAVEFRONT_SIZE", "__AMDGCN_WAVEFRONT_SIZE__"].map(|name| format!("-D{name}={lanes}")));
        }
        command
    }
}

/// Finds a HIP release in `dir` and a compiler for it.
pub(crate) fn locate(dir: &Path, release: HipRelease) -> Result<Toolchain> {
    const ADVICE: &str = "run `cargo run -p xtask -- toolchain` first";
    let home = dir.join(format!("hip-{}", release.number()));
    let stamp =
        Stamp::read(&home).with_context(|| format!("there are no HIP headers in `{}`; {ADVICE}", dir.display()))?;
    // Those of the newest release serve all: the compiler is as new.
    let newest = dir.join(format!("hip-{}", HipRelease::NEWEST.number()));
    let device_libraries = bitcode(&newest);
    ensure!(device_libraries.is_dir(), "`{}` has no device libraries; {ADVICE}", newest.display());
    let compiler = installed_compiler().unwrap_or_else(|| own_compiler(dir));
    ensure!(compiler.is_file(), "there is no clang 22; {ADVICE}");
    Ok(Toolchain {
        release,
        compiler_version: compiler_version(&compiler)?,
        compiler,
        rocm: home.join("usr"),
        hip_version: stamp.version("libamdhip64-dev").unwrap_or("unknown").to_owned(),
        device_libraries,
    })
}

/// The folder of the device libraries inside an unpacked release.
pub(super) fn bitcode(home: &Path) -> PathBuf {
    home.join("usr/lib/llvm-22/lib/clang/22/amdgcn/bitcode")
}

/// `clang++-22` of the system, if it is installed.
pub(super) fn installed_compiler() -> Option<PathBuf> {
    installed("clang++-22")
}

/// A program of the system, if it is installed.
pub(super) fn installed(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Where the unpacked compiler is started from.
pub(super) fn own_compiler(dir: &Path) -> PathBuf {
    dir.join("bin/clang++-22")
}

/// The version a compiler reports, such as `22.1.8`.
pub(super) fn compiler_version(compiler: &Path) -> Result<String> {
    let output = run(Command::new(compiler).arg("--version"))?;
    let line = output.lines().next().unwrap_or_default();
    let version = line.split_whitespace().skip_while(|word| *word != "version").nth(1);
    Ok(version.unwrap_or(line).to_owned())
}

/// Writes scripts that start the unpacked tools, as far as they are missing: the libraries of these are
/// not where the system looks.
pub(super) fn write_wrappers(dir: &Path) -> Result<()> {
    let bin = dir.join("bin");
    fs::create_dir_all(&bin).with_context(|| format!("creating `{}`", bin.display()))?;
    for tool in TOOLS.iter().filter(|tool| dir.join("llvm/usr/bin").join(tool).exists()) {
        let script = bin.join(tool);
        if script.exists() {
            continue;
        }
        let text = format!(
            "#!/bin/sh\n\
             here=$(cd \"$(dirname \"$0\")/../llvm/usr\" && pwd) || exit 127\n\
             export LD_LIBRARY_PATH=\"$here/lib/x86_64-linux-gnu:$here/lib/llvm-22/lib${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}\"\n\
             exec \"$here/bin/{tool}\" \"$@\"\n"
        );
        fs::write(&script, text).with_context(|| format!("writing `{}`", script.display()))?;
        make_executable(&script)?;
    }
    Ok(())
}

#[cfg(unix)]
fn make_executable(script: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(script, mode).with_context(|| format!("making `{}` executable", script.display()))
}

#[cfg(not(unix))]
fn make_executable(_script: &Path) -> Result<()> {
    anyhow::bail!("the unpacked compiler runs on Linux only")
}
