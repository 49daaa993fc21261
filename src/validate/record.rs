//! Records what CUDA programs print on an NVIDIA GPU, as what their conversions are compared with.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};

use super::execute::{Call, Ending, Setting, execute};
use super::expected::RECORDED;
use super::program::{Program, Unit};

/// How programs are compiled with nvcc and run.
#[derive(Debug, Clone, Copy)]
pub struct Recorder<'r> {
    /// The compiler.
    pub nvcc: &'r Path,
    /// Its options, without those that name files.
    pub flags: &'r [String],
    /// The units of all programs.
    pub units: &'r [Unit],
    /// What every program is given.
    pub setting: Setting<'r>,
    /// Where programs are built and run.
    pub folder: &'r Utf8Path,
}

/// What became of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recording {
    /// Its output was written to this file.
    Written(Utf8PathBuf),
    /// This file had the same text already.
    Same(Utf8PathBuf),
    /// nvcc refused it, with these words.
    NotCompiled(String),
    /// It did not end with code 0; nothing was written.
    Failed(Ending),
}

impl Recorder<'_> {
    /// Compiles and runs a program, and keeps what it printed in `expected/cuda.txt` beside its file with `main`.
    ///
    /// Fails if nvcc or the program cannot be started, or the file cannot be written.
    pub fn record(&self, program: &Program) -> io::Result<Recording> {
        let executable = self.folder.join("program");
        let mut command = Command::new(self.nvcc);
        command.args(self.flags).args(sources(program, self.units)).arg("-o").arg(&executable);
        let compiled = command.output()?;
        if !compiled.status.success() {
            return Ok(Recording::NotCompiled(String::from_utf8_lossy(&compiled.stderr).into_owned()));
        }
        let execution = execute(Call { program: &executable, folder: self.folder, setting: self.setting })?;
        if execution.ending != Ending::Code(0) {
            return Ok(Recording::Failed(execution.ending));
        }
        let path = recorded_in(program, self.units);
        if fs::read(&path).is_ok_and(|known| known == execution.output) {
            return Ok(Recording::Same(path));
        }
        fs::create_dir_all(path.parent().unwrap_or(Utf8Path::new("")))?;
        fs::write(&path, execution.output)?;
        Ok(Recording::Written(path))
    }

    /// A script for bash that records the same programs where hipshift is not installed.
    pub fn script(&self, programs: &[Program]) -> Result<String, shlex::QuoteError> {
        let quoted = |words: &[&str]| shlex::try_join(words.iter().copied());
        let Setting { arguments, input, environment, .. } = self.setting;
        let variables: Vec<String> = environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let run: Vec<&str> = ["env"].into_iter().chain(variables.iter().map(String::as_str)).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let input = quoted(&[input.map_or("/dev/null", Utf8Path::as_str)])?;
        let (run, arguments) = (quoted(&run)?, quoted(&arguments)?);
        let mut script = format!(
            r#"#!/usr/bin/env bash
# Compiles CUDA programs with nvcc, runs them, and keeps what they print in expected/cuda.txt beside each.
# Run it in the folder that holds their sources. NVCC names another compiler.
set -uo pipefail
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
failed=0

record() {{
    local expected=$1
    shift
    if ! "${{NVCC:-nvcc}}" "$@" -o "$build/program"; then
        echo "not compiled: $expected"
        failed=1
    elif (cd "$build" && {run} ./program {arguments}) <{input} >"$build/output"; then
        mkdir -p "$(dirname "$expected")"
        cp "$build/output" "$expected"
        echo "recorded: $expected"
    else
        echo "failed, not recorded: $expected"
        failed=1
    fi
}}

"#
        );
        for program in programs {
            let path = recorded_in(program, self.units);
            let flags = self.flags.iter().map(String::as_str);
            let words = ["record", path.as_str()].into_iter().chain(flags);
            let words: Vec<&str> = words.chain(sources(program, self.units).map(Utf8Path::as_str)).collect();
            script.push_str(&quoted(&words)?);
            script.push('\n');
        }
        script.push_str("exit \"$failed\"\n");
        Ok(script)
    }
}

fn sources<'u>(program: &'u Program, units: &'u [Unit]) -> impl Iterator<Item = &'u Utf8Path> {
    program.units.iter().map(|&at| units[at].source.as_path())
}

/// The file that holds what a program printed.
fn recorded_in(program: &Program, units: &[Unit]) -> Utf8PathBuf {
    units[program.units[0]].source.with_file_name(RECORDED)
}
