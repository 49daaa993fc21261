//! Compiles the units of programs for their targets, and links them.

use std::io;
use std::process::Output;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

use super::message::{Gravity, Message, messages};
use super::program::{Program, Unit};
use crate::mapping::Target;
use crate::toolchain::Toolchain;

/// How programs are compiled.
#[derive(Debug, Clone)]
pub struct Build<'b> {
    /// Compiler and headers.
    pub toolchain: &'b Toolchain,
    /// One executable holds code for all of them.
    pub targets: &'b [&'static Target],
    /// Folders that are searched for included files.
    pub include: &'b [Utf8PathBuf],
    /// What the user adds: definitions, the language standard, optimisation.
    pub flags: &'b [String],
    /// Where objects and executables go; it exists.
    pub folder: &'b Utf8Path,
    /// The folder of the `libamdhip64.so` that programs are linked with; without one they are only compiled.
    pub runtime: Option<&'b Utf8Path>,
}

/// What became of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The executable, unless there was an error or no runtime to link with.
    pub executable: Option<Utf8PathBuf>,
    /// What compiler and linker said.
    pub messages: Vec<Message>,
}

impl Built {
    /// Whether all units were compiled, and the program was linked if it was to be.
    pub fn is_compiled(&self) -> bool {
        self.messages.iter().all(|message| message.gravity != Gravity::Error)
    }
}

impl Build<'_> {
    /// Compiles all units that programs need, in parallel, each once, and then links the programs.
    ///
    /// Fails if the compiler cannot be started. What it says about a program is in its result.
    pub fn programs(&self, programs: &[Program], units: &[Unit]) -> io::Result<Vec<Built>> {
        let needed: Vec<usize> =
            (0..units.len()).filter(|at| programs.iter().any(|program| program.units.contains(at))).collect();
        let compiled = needed.par_iter().map(|at| self.unit(*at, &units[*at])).collect::<io::Result<Vec<_>>>()?;
        let of_unit = |at: usize| needed.iter().position(|needed| *needed == at).map(|place| &compiled[place]);
        let link = |(number, program): (usize, &Program)| {
            let parts: Vec<&Compiled> = program.units.iter().filter_map(|at| of_unit(*at)).collect();
            self.link(number, &parts)
        };
        programs.par_iter().enumerate().map(link).collect()
    }

    fn unit(&self, number: usize, unit: &Unit) -> io::Result<Compiled> {
        let object = self.folder.join(format!("unit-{number}.o"));
        let mut command = self.toolchain.command(self.targets);
        command.args(["-c", "-O2", "-std=c++17", "-fno-caret-diagnostics", "-fno-color-diagnostics"]);
        command.args(["-fdiagnostics-absolute-paths", "-ferror-limit=0"]);
        // A ballot that is kept in 32 bits, which no default warning is about.
        command.args(["-Xarch_device", "-Wshorten-64-to-32"]);
        command.args(self.include.iter().map(|folder| format!("-I{folder}")));
        command.args(self.flags).arg(&unit.output).arg("-o").arg(&object);
        let messages = said(&command.output()?);
        Ok(Compiled { object, messages })
    }

    fn link(&self, number: usize, parts: &[&Compiled]) -> io::Result<Built> {
        let mut built =
            Built { executable: None, messages: parts.iter().flat_map(|part| part.messages.clone()).collect() };
        let Some(runtime) = self.runtime.filter(|_| built.is_compiled()) else { return Ok(built) };
        let executable = self.folder.join(format!("program-{number}"));
        let mut command = std::process::Command::new(&self.toolchain.compiler);
        command.args(parts.iter().map(|part| &part.object)).arg("-o").arg(&executable);
        // The clang driver links HIP's own library when it is asked for HIP; this one is named by its folder.
        command.arg(format!("-L{runtime}")).args(["-lamdhip64", "-pthread"]);
        built.messages.extend(said(&command.output()?));
        if built.is_compiled() {
            built.executable = Some(executable);
        }
        Ok(built)
    }
}

/// An object file and what the compiler said about it.
struct Compiled {
    object: Utf8PathBuf,
    messages: Vec<Message>,
}

/// The messages of a process. One that failed without a message is an error with its last line.
fn said(output: &Output) -> Vec<Message> {
    let text = String::from_utf8_lossy(&output.stderr);
    let mut found = messages(&text);
    if !output.status.success() && found.iter().all(|message| message.gravity != Gravity::Error) {
        let text = text.lines().last().map_or_else(|| output.status.to_string(), str::to_owned);
        found.push(Message { gravity: Gravity::Error, place: None, text, notes: Vec::new(), rule: None });
    }
    found
}
