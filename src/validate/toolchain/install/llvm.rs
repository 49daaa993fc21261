//! The compiler: that of the system where it is complete, else unpacked packages with scripts that start them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::apt::Apt;
use super::error::InstallError;
use super::folder::fetch_closure;
use super::process::run;
use super::stamp::Stamp;
use super::system::System;
use crate::regular_file::{LONGEST, read_regular, write_anew};
use crate::toolchain::find_program;

/// The packages that the compiler comes in.
const PACKAGES: &[&str] = &["clang-22", "clang-tools-22", "lld-22", "llvm-22"];

/// The source package that all of them are built from.
const SOURCE: &str = "llvm-toolchain-22";

/// What has to be there: compiler, bundler and linker for validation, the others for reading what they made.
const TOOLS: &[&str] = &[
    "clang++-22",
    "clang-22",
    "clang-apply-replacements-22",
    "clang-offload-bundler-22",
    "ld.lld-22",
    "llvm-objdump-22",
    "llvm-readelf-22",
];

/// The packages of the compiler, for those who install them into the system.
pub fn compiler_packages() -> &'static [&'static str] {
    PACKAGES
}

/// Makes sure that there is a compiler, and returns what starts it.
pub(super) fn fetch(system: &System, dir: &Path, refresh: bool) -> Result<PathBuf, InstallError> {
    if let Some(compiler) = installed(system) {
        return Ok(compiler);
    }
    let home = dir.join("llvm");
    if refresh || !Stamp::read(&home).is_some_and(|stamp| stamp.covers(PACKAGES)) {
        fetch_closure(&Apt::for_own_suites(system, dir, Some(SOURCE))?, &home, PACKAGES)?;
    }
    write_scripts(dir)?;
    Ok(dir.join("bin").join(TOOLS[0]))
}

/// The compiler of the system, if all of its tools are installed.
fn installed(system: &System) -> Option<PathBuf> {
    let is_complete = system.use_installed && TOOLS.iter().all(|tool| find_program(tool).is_some());
    if is_complete { find_program(TOOLS[0]) } else { None }
}

/// The version that a compiler reports, such as `22.1.8`.
pub(super) fn version(compiler: &Path) -> Result<String, InstallError> {
    let output = run(Command::new(compiler).arg("--version"))?;
    let line = output.lines().next().unwrap_or_default();
    let version = line.split_whitespace().skip_while(|word| *word != "version").nth(1);
    Ok(version.unwrap_or(line).to_owned())
}

/// Writes scripts that start the unpacked tools: the libraries of these are not where the system looks.
fn write_scripts(dir: &Path) -> Result<(), InstallError> {
    let bin = dir.join("bin");
    fs::create_dir_all(&bin).map_err(InstallError::io(&bin))?;
    let libraries = format!("$here/lib/{}-linux-gnu", std::env::consts::ARCH);
    for tool in TOOLS.iter().filter(|tool| dir.join("llvm/usr/bin").join(tool).exists()) {
        let text = format!(
            "#!/bin/sh\n\
             here=$(cd \"$(dirname \"$0\")/../llvm/usr\" && pwd) || exit 127\n\
             export LD_LIBRARY_PATH=\"{libraries}:$here/lib/llvm-22/lib${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}\"\n\
             exec \"$here/bin/{tool}\" \"$@\"\n"
        );
        write_script(&bin.join(tool), &text)?;
    }
    Ok(())
}

/// Writes a script, unless it is there as it should be: another process may be running it.
fn write_script(script: &Path, text: &str) -> Result<(), InstallError> {
    use std::os::unix::fs::PermissionsExt as _;
    if read_regular(script, LONGEST).is_ok_and(|found| found == text.as_bytes()) {
        return Ok(());
    }
    let new = script.with_extension("new");
    write_anew(&new, text.as_bytes()).map_err(InstallError::io(&new))?;
    fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).map_err(InstallError::io(&new))?;
    fs::rename(&new, script).map_err(InstallError::io(script))
}
