//! Records what CUDA programs print and what kernels compute on an NVIDIA GPU, as what their conversions are compared with.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};

use super::execute::{Call, Ending, Setting, execute};
use super::expected::RECORDED;
use super::kernel::{Dialect, Kernel, LONGEST_DATA, driver, words};
use super::program::{Program, Unit};
use crate::regular_file::read_regular;

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

/// What became of a program, or of an array of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recording {
    /// Its output was written to this file.
    Written(Utf8PathBuf),
    /// This file had the same content already.
    Same(Utf8PathBuf),
    /// nvcc refused it, with these words.
    NotCompiled(String),
    /// It did not end with code 0; nothing was written.
    Failed(Ending),
}

impl Recorder<'_> {
    /// Compiles and runs a program, and keeps what it printed in `expected/cuda.txt` beside its file with `main`, or what
    /// the outputs of a kernel hold in `expected/KERNEL.ARRAY.npy` beside the file that defines it.
    ///
    /// Fails if nvcc or the program cannot be started, or a file cannot be written.
    pub fn record(&self, program: &Program) -> io::Result<Vec<Recording>> {
        let executable = self.folder.join("program");
        let mut command = Command::new(self.nvcc);
        command.args(self.flags).arg("-o").arg(&executable);
        match &program.kernel {
            Some(kernel) => {
                let path = self.folder.join("driver.cu");
                let source = kernel.source.canonicalize_utf8()?;
                fs::write(&path, driver(kernel, Dialect::Cuda, &source))?;
                command.arg(path);
            }
            None => drop(command.args(sources(program, self.units))),
        }
        let compiled = command.output()?;
        if !compiled.status.success() {
            return Ok(vec![Recording::NotCompiled(String::from_utf8_lossy(&compiled.stderr).into_owned())]);
        }
        let arguments = program.kernel.as_ref().map(|kernel| words(kernel, kernel.launch));
        let given = program.given.over(self.setting);
        let setting = Setting { arguments: arguments.as_deref().unwrap_or(given.arguments), ..given };
        let execution = execute(Call { program: &executable, folder: self.folder, setting })?;
        if execution.ending != Ending::Code(0) {
            return Ok(vec![Recording::Failed(execution.ending)]);
        }
        let Some(kernel) = &program.kernel else {
            return Ok(vec![keep(recorded_in(program, self.units), &execution.output)?]);
        };
        let outputs = kernel.outputs().map(|(array, _)| {
            let written = self.folder.join(format!("{}.npy", array.name));
            keep(kernel.recorded(array), &read_regular(written.as_std_path(), LONGEST_DATA)?)
        });
        outputs.collect()
    }

    /// A script for bash that records the same programs where hipshift is not installed.
    pub fn script(&self, programs: &[Program]) -> Result<String, shlex::QuoteError> {
        let variables = self.setting.environment.iter().map(|(name, value)| format!("{name}={value}"));
        let run: Vec<String> = ["env".to_owned()].into_iter().chain(variables).collect();
        let mut script = SCRIPT.replace("@RUN@", &quoted(&run)?);
        for program in programs {
            script.push_str(&match &program.kernel {
                Some(kernel) => self.kernel_in_script(kernel)?,
                None => self.program_in_script(program)?,
            });
        }
        script.push_str("exit \"$failed\"\n");
        Ok(script)
    }

    fn program_in_script(&self, program: &Program) -> Result<String, shlex::QuoteError> {
        let Setting { arguments, input, .. } = program.given.over(self.setting);
        let (arguments, input) = (quoted(arguments)?, quoted([input.map_or("/dev/null", Utf8Path::as_str)])?);
        let path = recorded_in(program, self.units);
        let flags = self.flags.iter().map(String::as_str);
        let words = ["record", path.as_str()].into_iter().chain(flags);
        let record = quoted(words.chain(sources(program, self.units).map(Utf8Path::as_str)))?;
        Ok(format!("given=({arguments}) input={input}\n{record}\n"))
    }

    fn kernel_in_script(&self, kernel: &Kernel) -> Result<String, shlex::QuoteError> {
        // The script knows its own folder, and nothing of this machine.
        let here = std::env::current_dir().ok().and_then(|folder| Utf8PathBuf::try_from(folder).ok());
        let inside = |path: &str| match &here {
            Some(here) => Utf8Path::new(path).strip_prefix(here).map_or(path.to_owned(), Utf8Path::to_string),
            None => path.to_owned(),
        };
        let words: Vec<String> = words(kernel, kernel.launch).iter().map(|word| inside(word)).collect();
        let prefix = kernel.source.with_file_name("expected").join(format!("{}.", kernel.name));
        let flags = quoted(self.flags)?;
        let outputs = quoted(kernel.outputs().map(|(array, _)| array.name.as_str()))?;
        Ok(format!(
            "words=({}) outputs=({outputs})\nrecord_kernel {} {flags} <<'END_OF_DRIVER'\n{}END_OF_DRIVER\n",
            quoted(&words)?,
            quoted([prefix.as_str()])?,
            driver(kernel, Dialect::Cuda, &kernel.source)
        ))
    }
}

/// The script up to the first program. `@RUN@` stands for what sets the variables that programs are given.
const SCRIPT: &str = r#"#!/usr/bin/env bash
# Compiles CUDA programs with nvcc, runs them, and keeps what they print in expected/cuda.txt beside each, and what
# kernels compute in .npy files there. Run it in the folder that holds their sources. NVCC names another compiler.
set -uo pipefail
here=$PWD
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
failed=0

record() {
    local expected=$1
    shift
    if ! "${NVCC:-nvcc}" "$@" -o "$build/program"; then
        echo "not compiled: $expected"
        failed=1
    elif (cd "$build" && @RUN@ ./program ${given[@]+"${given[@]}"}) <"$input" >"$build/output"; then
        mkdir -p "$(dirname "$expected")"
        cp "$build/output" "$expected"
        echo "recorded: $expected"
    else
        echo "failed, not recorded: $expected"
        failed=1
    fi
}

# Takes the program that starts a kernel from standard input. Of "words", those behind the sizes are files.
record_kernel() {
    local prefix=$1 files=() file output
    shift
    cat >"$build/driver.cu"
    for file in "${words[@]:7}"; do
        case $file in /*) files+=("$file") ;; *) files+=("$here/$file") ;; esac
    done
    if ! "${NVCC:-nvcc}" "$@" -I "$here" "$build/driver.cu" -o "$build/program"; then
        echo "not compiled: $prefix"
        failed=1
    elif (cd "$build" && @RUN@ ./program "${words[@]:0:7}" ${files[@]+"${files[@]}"}) </dev/null; then
        for output in "${outputs[@]}"; do
            mkdir -p "$(dirname "$prefix$output.npy")"
            cp "$build/$output.npy" "$prefix$output.npy"
            echo "recorded: $prefix$output.npy"
        done
    else
        echo "failed, not recorded: $prefix"
        failed=1
    fi
}

"#;

fn quoted<'w, W: AsRef<str> + ?Sized + 'w>(
    words: impl IntoIterator<Item = &'w W>,
) -> Result<String, shlex::QuoteError> {
    shlex::try_join(words.into_iter().map(AsRef::as_ref))
}

/// Writes a file unless it has the same content already.
fn keep(path: Utf8PathBuf, content: &[u8]) -> io::Result<Recording> {
    if read_regular(path.as_std_path(), LONGEST_DATA).is_ok_and(|known| known == content) {
        return Ok(Recording::Same(path));
    }
    let folder = path.parent().unwrap_or(Utf8Path::new(""));
    if folder.is_symlink() {
        return Err(io::Error::other(format!("`{folder}` is a link, and nothing is written through one")));
    }
    fs::create_dir_all(folder)?;
    // The new file takes the place of a link.
    let mut new = tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o644)).tempfile_in(folder)?;
    new.write_all(content)?;
    new.persist(&path).map_err(|error| error.error)?;
    Ok(Recording::Written(path))
}

fn sources<'u>(program: &'u Program, units: &'u [Unit]) -> impl Iterator<Item = &'u Utf8Path> {
    program.units.iter().map(|&at| units[at].source.as_path())
}

/// The file that holds what a program printed.
fn recorded_in(program: &Program, units: &[Unit]) -> Utf8PathBuf {
    units[program.units[0]].source.with_file_name(RECORDED)
}
