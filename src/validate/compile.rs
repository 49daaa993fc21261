//! Compiles the units of programs for their targets, and links them.

use std::io;
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

pub(super) use super::cache::Outcome;
use super::cache::{Cache, Call};
use super::crash::{crash, is_of_signal};
use super::message::{Gravity, Message, messages, once};
use super::precompiled::{Made, Precompiled, Start};
use super::program::{Program, Unit, is_c};
use super::resources::{Resources, join, resources};
use super::search::Search;
use crate::mapping::Target;
use crate::toolchain::{Libraries, LibrarySet, Toolchain};

/// How programs are compiled.
#[derive(Debug, Clone)]
pub struct Build<'b> {
    /// Compiler and headers.
    pub toolchain: &'b Toolchain,
    /// One executable holds code for all of them.
    pub targets: &'b [&'static Target],
    /// Where included files are looked for.
    pub search: &'b Search,
    /// What the user adds: definitions, the language standard, optimisation.
    pub flags: &'b [String],
    /// Where objects and executables go; it exists.
    pub folder: &'b Utf8Path,
    /// The folder of the `libamdhip64.so` that programs are linked with; without one they are only compiled.
    pub runtime: Option<&'b Utf8Path>,
    /// How far compilation goes.
    pub stage: Stage,
    /// Whether the compiler may make accesses of its own to addresses that are no multiple of their size, as AMD GPUs take them. Without
    /// that, only the program's are such.
    pub merges_bytes: bool,
    /// What earlier runs compiled.
    pub cache: Option<&'b Cache>,
}

/// How far compilation goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The compiler reads and checks; it makes no code.
    Syntax,
    /// It makes code for GPUs only.
    Device,
    /// It makes all code, and programs are linked if there is a runtime.
    Link,
}

/// What became of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The executable, unless there was an error or no runtime to link with.
    pub executable: Option<Utf8PathBuf>,
    /// What compiler and linker said.
    pub messages: Vec<Message>,
    /// Whether the linker refused what the compiler took.
    pub link_failed: bool,
    /// What each kernel needs on each target, if code was made.
    pub resources: Vec<Resources>,
}

impl Built {
    /// Whether nobody refused anything.
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
        let starts: Vec<Option<Start>> = needed.iter().map(|at| self.start(&units[*at])).collect();
        let precompiled = Precompiled::new(starts.iter().flatten().cloned());
        let unit = |(at, start): (&usize, &Option<Start>)| {
            let passes = || self.passes(&units[*at]);
            let header = || precompiled.header(start.as_ref()?, self.folder, passes);
            self.unit(*at, &units[*at], header)
        };
        let compiled = needed.par_iter().zip(&starts).map(unit).collect::<io::Result<Vec<_>>>()?;
        let of_unit = |at: usize| needed.iter().position(|needed| *needed == at).map(|place| &compiled[place]);
        let link = |(number, program): (usize, &Program)| {
            let parts: Vec<&Compiled> = program.units.iter().filter_map(|at| of_unit(*at)).collect();
            self.link((number, program), units, &parts)
        };
        programs.par_iter().enumerate().map(link).collect()
    }

    fn unit<'m>(&self, number: usize, unit: &Unit, header: impl Fn() -> Option<&'m Made>) -> io::Result<Compiled> {
        let object = self.folder.join(format!("unit-{number}.o"));
        let call = Call { folder: self.folder, source: &unit.output, object: &object };
        let compile = || {
            if let Some(header) = header() {
                let outcome = header.used(self.command(unit), |command| call.compile(command))?;
                if outcome.code == Some(0) {
                    return Ok(outcome);
                }
            }
            call.compile(self.command(unit))
        };
        let outcome = match self.cache {
            Some(cache) => cache.compile(&self.command(unit), &call, compile)?,
            None => compile()?,
        };
        Ok(Compiled { object, messages: said(&outcome), resources: resources(&outcome.text) })
    }

    /// What the compiler is started with for a unit, up to the name of the object.
    fn command(&self, unit: &Unit) -> Command {
        let mut command = self.options(unit, self.targets);
        match self.stage {
            Stage::Device if is_c(&unit.output) => drop(command.arg("-fsyntax-only")),
            Stage::Syntax => drop(command.arg("-fsyntax-only")),
            Stage::Device => drop(command.arg("--cuda-device-only")),
            Stage::Link => {}
        }
        command.args(["-c", unit.output.as_str()]);
        command
    }

    /// What a unit has in common with others; C reads none of HIP's headers first.
    fn start(&self, unit: &Unit) -> Option<Start> {
        if is_c(&unit.output) {
            return None;
        }
        Start::of(&self.options(unit, self.targets), &unit.output)
    }

    /// A command for each pass of the compiler over a unit, without what it is to read.
    fn passes(&self, unit: &Unit) -> Vec<Command> {
        let one = |targets: &[&'static Target], word: &str| {
            let mut command = self.options(unit, targets);
            // Of what is for the other passes the driver says that nobody uses it.
            command.args([word, "-Wno-unused-command-line-argument"]);
            command
        };
        let device = self.targets.iter().map(|target| one(&[target], "--cuda-device-only"));
        let host = (self.stage != Stage::Device).then(|| one(self.targets, "--cuda-host-only"));
        host.into_iter().chain(device).collect()
    }

    /// The compiler with its options for a unit and some targets.
    fn options(&self, unit: &Unit, targets: &[&'static Target]) -> Command {
        let mut command = self.compiler(unit, targets);
        command.args(["-O2", "-fno-caret-diagnostics", "-fno-color-diagnostics"]);
        command.args(["-fdiagnostics-absolute-paths", "-ferror-limit=0"]);
        // The emulator names lines. Objects outlive the folder in the cache, so they must not name it.
        command.args(["-gline-tables-only", &format!("-fdebug-prefix-map={}={BUILD_ROOT}", self.folder)]);
        // A ballot that is kept in 32 bits, which no default warning is about.
        if !is_c(&unit.output) {
            command.args(["-Xarch_device", "-Wshorten-64-to-32"]);
            // What each kernel needs; the commands of `-v` tell the target that it is said of.
            command.args(["-v", "-Xarch_device", "-Rpass-analysis=kernel-resource-usage"]);
            // The host's pass ignores it, and says so in no message.
            if !self.merges_bytes {
                command.args(ALIGNED);
            }
        }
        // `-H` names all files that are read, in the passes for targets, too; `-MD` only those of the host's.
        command.args(["-H", &format!("-fmacro-prefix-map={}=.", self.folder)]);
        command.args(self.search.folders.iter().map(|folder| format!("-I{folder}")));
        command.args(plain_includes(unit.flags.iter()));
        // What is typed for C++ is none of C.
        let flags = self.flags.iter().filter(|flag| !is_c(&unit.output) || !flag.starts_with("-std=c++"));
        command.args(plain_includes(flags));
        command.args(self.search.last.iter().map(|folder| format!("-idirafter{folder}")));
        if let Some(overlay) = &self.search.overlay {
            command.args(["-ivfsoverlay", overlay.as_str()]);
        }
        command
    }

    /// The compiler for a unit: C has no code for GPUs, but may call HIP's runtime.
    fn compiler(&self, unit: &Unit, targets: &[&'static Target]) -> Command {
        if !is_c(&unit.output) {
            let mut command = self.toolchain.command(targets);
            command.arg("-std=c++17");
            return command;
        }
        let mut command = Command::new(&self.toolchain.compiler);
        command
            .args(["-fno-crash-diagnostics", "-x", "c", "-D__HIP_PLATFORM_AMD__", "-I"])
            .arg(self.toolchain.rocm.join("include"));
        command
    }

    /// Device code that calls other files is linked for each target, too.
    fn device_link(&self, program: &Program, units: &[Unit]) -> Vec<String> {
        let is_relocatable = |at: &usize| units[*at].flags.iter().any(|flag| flag == "-fgpu-rdc");
        if !program.units.iter().any(is_relocatable) {
            return Vec::new();
        }
        let targets = self.targets.iter().map(|target| format!("--offload-arch={}", target.name));
        let rocm = format!("--rocm-path={}", self.toolchain.rocm.display());
        let words = ["-fgpu-rdc", "--hip-link", "-no-hip-rt"].map(str::to_owned);
        words.into_iter().chain([rocm]).chain(targets).collect()
    }

    fn link(&self, (number, program): (usize, &Program), units: &[Unit], parts: &[&Compiled]) -> io::Result<Built> {
        let mut built = Built {
            executable: None,
            messages: once(parts.iter().flat_map(|part| part.messages.clone())),
            link_failed: false,
            resources: join(parts.iter().flat_map(|part| &part.resources)),
        };
        let Some(runtime) = self.runtime.filter(|_| built.is_compiled()) else { return Ok(built) };
        let executable = self.folder.join(format!("program-{number}"));
        let mut command = Command::new(&self.toolchain.compiler);
        command.args(self.device_link(program, units));
        command.args(parts.iter().map(|part| &part.object)).arg("-o").arg(&executable);
        // The clang driver links HIP's own library when it is asked for HIP; this one is named by its folder.
        command.arg(format!("-L{runtime}")).args(["-lamdhip64", "-pthread"]);
        let libraries = Libraries::beside(self.toolchain);
        let is_linked = |name: &&String| !libraries.as_ref().is_some_and(|libraries| libraries.has(name));
        command.args(program.libraries.iter().filter(is_linked).map(|name| format!("-l{name}")));
        command.args(libraries.iter().flat_map(Libraries::link_words));
        if runtime.join("libhiprtc.so").exists() {
            command.args(["-Wl,--as-needed", "-lhiprtc"]);
        }
        built.messages.extend(said(&Outcome::of(&command.output()?)));
        built.link_failed = !built.is_compiled();
        tell_of_libraries(&mut built.messages);
        built.executable = Some(executable).filter(|_| !built.link_failed);
        Ok(built)
    }
}

/// Words that keep the compiler from making accesses to odd addresses of its own.
pub(super) const ALIGNED: [&str; 4] = ["-Xclang", "-target-feature", "-Xclang", "-unaligned-access-mode"];

/// How linkers begin to say that a name is missing.
const UNDEFINED: [&str; 3] = ["undefined symbol: ", "undefined reference to `", "undefined reference to '"];

/// Says of functions of AMD's libraries that were not found how these are fetched.
fn tell_of_libraries(messages: &mut [Message]) {
    for message in messages.iter_mut().filter(|message| message.gravity == Gravity::Error) {
        let name = UNDEFINED.iter().find_map(|start| message.text.strip_prefix(start));
        if let Some(set) = name.and_then(LibrarySet::of_function) {
            message.text = format!("{}; `{}` fetches AMD's library", message.text, set.command());
        }
    }
}

/// Stands for the folder of the run in what objects say of their sources.
pub(super) const BUILD_ROOT: &str = "/hipshift-build";

/// An object file and what the compiler said about it.
struct Compiled {
    object: Utf8PathBuf,
    messages: Vec<Message>,
    resources: Vec<Resources>,
}

/// The messages of a process. One that failed without a message is an error with its last line.
pub(super) fn said(outcome: &Outcome) -> Vec<Message> {
    let mut found = messages(&outcome.text);
    if let Some(crash) = crash(&outcome.text) {
        found.retain(|message| !is_of_signal(message));
        found.push(crash);
    }
    // What the driver says about a step that has failed with a message of its own.
    found.retain(|message| !message.text.ends_with("(use -v to see invocation)"));
    if outcome.code != Some(0) && found.iter().all(|message| message.gravity != Gravity::Error) {
        let text = outcome.text.lines().last().unwrap_or("the compiler was stopped").to_owned();
        found.push(Message::new(Gravity::Error, text));
    }
    found
}

/// Hands `-include FILE` to clang's second stage: its driver would take `FILE.pch` or `FILE.gch` instead where that is, which is
/// no text, and of which `-H` does not tell.
fn plain_includes<'f>(mut flags: impl Iterator<Item = &'f String>) -> Vec<&'f str> {
    let mut plain = Vec::new();
    while let Some(flag) = flags.next() {
        match (flag == "-include").then(|| flags.next()).flatten() {
            Some(file) => plain.extend(["-Xclang", "-include", "-Xclang", file]),
            None => plain.push(flag),
        }
    }
    plain
}
