//! What can be typed after `hipshift validate` and `hipshift run`.

use std::fs::File;
use std::time::Duration;

use anyhow::Context as _;
use camino::Utf8PathBuf;
use clap::{Args, Subcommand, ValueEnum};

use crate::cli::args::{FileSelection, RuleOptions, TargetOptions};
use crate::cli::shard::ShardOption;
use crate::validate::{Emulation, Limits, Setting, Streams, seeds};

/// `hipshift validate`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(in crate::cli) struct Validate {
    #[command(subcommand)]
    pub(super) command: Option<ValidateCommand>,
    /// Files and directories: CUDA sources, which are converted first, or HIP sources.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<Utf8PathBuf>,
    /// What runs the programs.
    #[arg(long, value_enum, default_value_t = ExecutorWord::Auto)]
    pub(super) executor: ExecutorWord,
    /// Folder of the compiler and of HIP's headers: ROCm, or one filled by `toolchain install`.
    #[arg(long, value_name = "DIR")]
    pub(super) toolchain: Option<Utf8PathBuf>,
    /// Compile here, and keep what was written: converted sources, objects, executables.
    #[arg(long, value_name = "DIR")]
    pub(super) keep: Option<Utf8PathBuf>,
    /// Folder for the compiler to search for included files.
    #[arg(short = 'I', long, value_name = "DIR")]
    pub(super) include_dir: Vec<Utf8PathBuf>,
    /// Option for the compiler, such as `--flag=-DN=4`.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub(super) flag: Vec<String>,
    /// File with what the programs should print. Without it, the output that was recorded in `expected/cuda.txt` beside
    /// a program's file with `main` is expected, if there is one.
    #[arg(long, value_name = "FILE")]
    pub(super) expect: Option<Utf8PathBuf>,
    /// Numbers in the output may differ by this share of the expected one.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub(super) relative: f64,
    /// Numbers in the output may differ by this much.
    #[arg(long, value_name = "AMOUNT", default_value_t = 0.0)]
    pub(super) absolute: f64,
    /// Lines of the output that match this regular expression are not compared.
    #[arg(long, value_name = "REGEX")]
    pub(super) ignore_lines: Vec<String>,
    #[command(flatten)]
    pub(super) given: GivenOptions,
    /// Mebibytes of address space that a program may use.
    #[arg(long, value_name = "MIB")]
    pub(super) memory: Option<u64>,
    /// How the CUDA build compiles each file; default: `compile_commands.json` in the first PATH, or in `build` there.
    #[arg(long, value_name = "FILE")]
    pub(super) compile_commands: Option<Utf8PathBuf>,
    /// Option of nvcc, which becomes one of the compiler for AMD GPUs, such as `--nvcc-flag=--use_fast_math`.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub(super) nvcc_flag: Vec<String>,
    /// How far compilation goes.
    #[arg(long, value_enum, default_value_t = StageWord::Link)]
    pub(super) stage: StageWord,
    /// Compile everything, also what earlier runs compiled and what has not changed since.
    #[arg(long)]
    pub(super) no_cache: bool,
    /// Also start the kernels that `[[validate.kernel]]` in `hipshift.toml` describes in other ways. Programs with `main`
    /// choose the sizes of their blocks themselves.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(super) vary: Option<VaryWord>,
    /// List what each kernel needs: registers, shared and scratch memory, and how many of its waves fit.
    #[arg(long)]
    pub(super) resources: bool,
    #[command(flatten)]
    pub(super) emulation: EmulationOptions,
    /// How the result is shown.
    #[arg(long, value_enum, default_value_t = ResultFormat::Text)]
    pub(super) format: ResultFormat,
    #[command(flatten)]
    pub(super) selection: FileSelection,
    #[command(flatten)]
    pub(super) part: ShardOption,
    #[command(flatten)]
    pub(super) target: TargetOptions,
    #[command(flatten)]
    pub(super) rules: RuleOptions,
}

/// How far compilation goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum StageWord {
    /// Only check names and types, of all files, with `main` or without.
    Syntax,
    /// Only make code for GPUs, of all files.
    Device,
    /// Make programs, and run them.
    Link,
}

/// What `--vary` changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum VaryWord {
    /// Narrower blocks that leave parts of waves: 1, 31, 33, 48 and 65 threads, and one less than usual. What comes out is
    /// compared between the two widths of waves.
    Block,
}

/// What runs programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ExecutorWord {
    /// AMD GPUs for the targets that they are, the emulator for all others.
    Auto,
    /// AMD GPUs of this machine, through ROCm.
    Gpu,
    /// The emulator that comes with hipshift.
    Emulator,
    /// AMD's emulation toolkit, for one `--arch`, with the library of ROCm.
    Rocjitsu,
    /// An NVIDIA GPU, for which nvcc compiles the converted code with headers that give CUDA's names to HIP's; checks of
    /// compute-sanitizer, if it is on PATH.
    Nvidia,
    /// Nothing: programs are only compiled.
    None,
}

/// Formats of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ResultFormat {
    /// A table for people.
    Text,
    /// One JSON document.
    Json,
    /// Test results.
    Junit,
    /// Messages of the compiler, for code scanning.
    Sarif,
    /// One page for people, which needs nothing else.
    Html,
}

/// Seconds that a program has where nothing else is said.
const TIMEOUT: u64 = 60;

/// What programs are given.
#[derive(Debug, Args)]
pub(super) struct GivenOptions {
    /// File that programs read from standard input; default: nothing.
    #[arg(long, value_name = "FILE")]
    stdin: Option<Utf8PathBuf>,
    /// Variable for the programs.
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    env: Vec<(String, String)>,
    /// Seconds after which a program is ended [default: 60].
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// Arguments for the programs.
    #[arg(last = true, value_name = "ARGUMENT")]
    arguments: Vec<String>,
}

impl GivenOptions {
    /// What programs are given, with a bound on their address space in bytes.
    pub(super) fn setting(&self, memory: Option<u64>) -> Setting<'_> {
        Setting {
            arguments: &self.arguments,
            input: self.stdin.as_deref(),
            environment: &self.env,
            limits: Limits { time: Duration::from_secs(self.timeout.unwrap_or(TIMEOUT)), memory },
        }
    }

    /// Whether arguments were typed.
    pub(super) fn has_arguments(&self) -> bool {
        !self.arguments.is_empty()
    }

    /// Whether an input was typed.
    pub(super) fn has_input(&self) -> bool {
        self.stdin.is_some()
    }

    /// Whether a bound on the time was typed.
    pub(super) fn has_timeout(&self) -> bool {
        self.timeout.is_some()
    }

    /// Fails at once if there is no such input, rather than with the first program.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let Some(path) = &self.stdin else { return Ok(()) };
        File::open(path).map(drop).with_context(|| format!("reading {path}"))
    }
}

/// What else can be done with programs.
#[derive(Debug, Subcommand)]
pub(super) enum ValidateCommand {
    /// Compile CUDA programs with nvcc, run them, and keep what they print in `expected/cuda.txt` beside each, and what kernels
    /// of `hipshift.toml` compute in `.npy` files there.
    Record(Record),
}

/// `hipshift validate record`
#[derive(Debug, Args)]
pub(super) struct Record {
    /// Files and directories with CUDA sources.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<Utf8PathBuf>,
    /// The compiler; default: `nvcc` on PATH.
    #[arg(long, value_name = "FILE")]
    pub(super) nvcc: Option<Utf8PathBuf>,
    /// Only write a script for bash that does all this where hipshift is not installed; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub(super) script: Option<Utf8PathBuf>,
    /// Folder for the compiler to search for included files.
    #[arg(short = 'I', long, value_name = "DIR")]
    pub(super) include_dir: Vec<Utf8PathBuf>,
    /// Option for the compiler, such as `--flag=-arch=sm_90`.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub(super) flag: Vec<String>,
    #[command(flatten)]
    pub(super) given: GivenOptions,
    #[command(flatten)]
    pub(super) selection: FileSelection,
}

/// How the emulator runs programs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Emulator")]
pub(super) struct EmulationOptions {
    /// What is checked while kernels run.
    #[arg(long, value_enum, default_value_t = ChecksWord::Default, value_name = "LEVEL")]
    pub(super) checks: ChecksWord,
    /// What becomes of a kernel that accesses memory past the end of an allocation or of its LDS, which is a finding.
    #[arg(long, value_enum, default_value_t = BoundsWord::Exact, value_name = "WHICH")]
    bounds: BoundsWord,
    /// Do the work of streams when it is submitted, by the thread that submits it, in place of beside the program.
    #[arg(long)]
    sync: bool,
    /// Tell of each call of HIP that ends with an error.
    #[arg(long)]
    pub(super) api_errors: bool,
    /// Tell at the end of memory that was never freed, and of streams and events that were never destroyed.
    #[arg(long)]
    pub(super) leaks: bool,
    /// Stop a block after so many instructions of its waves.
    #[arg(long, value_name = "N")]
    pub(super) step_limit: Option<u64>,
    /// Let blocks and waves take turns in another order; a seed always gives the same one.
    #[arg(long, value_name = "N")]
    pub(super) schedule_seed: Option<u64>,
    /// Run so many times, each with another seed, and compare.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(super) schedules: Option<u64>,
}

impl EmulationOptions {
    pub(super) fn emulation(&self) -> Emulation {
        Emulation {
            checks: self.checks.word(),
            granules: self.bounds == BoundsWord::Granule,
            streams: if self.sync { Streams::AtOnce } else { Streams::Beside },
            api_errors: self.api_errors,
            leaks: self.leaks,
            step_limit: self.step_limit,
            seeds: seeds(self.schedule_seed, self.schedules),
            starter: std::env::current_exe().ok(),
            ..Emulation::default()
        }
    }
}

/// Levels of checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ChecksWord {
    /// Bounds of memory only.
    None,
    /// What a correct program never does: races in LDS, barriers that not all come to, waiting forever.
    Default,
    /// Also what libraries do on purpose: reads of memory that was never written, lanes that read inactive ones.
    All,
}

impl ChecksWord {
    fn word(self) -> &'static str {
        match self {
            ChecksWord::None => "none",
            ChecksWord::Default => "default",
            ChecksWord::All => "all",
        }
    }
}

/// Which accesses past the end of memory stop a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum BoundsWord {
    /// All of them.
    Exact,
    /// Those that hardware does not let pass: outside of the 4 KiB pages of an allocation. LDS past the granules of a block reads as
    /// zero and is not written.
    Granule,
}

/// `hipshift run`
#[derive(Debug, Args)]
pub(in crate::cli) struct RunProgram {
    /// Target to emulate, such as gfx90a, gfx942, gfx1030, gfx1100 or gfx1201.
    #[arg(long, value_name = "TARGET", default_value = "gfx90a")]
    pub(super) arch: String,
    #[command(flatten)]
    pub(super) emulation: EmulationOptions,
    /// Exit code of the program if something was found in it, in place of its own, unless a signal ends it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    pub(super) error_exitcode: Option<u8>,
    /// An executable that was built for HIP, and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub(super) command: Vec<std::ffi::OsString>,
}

/// `hipshift start-child`
#[derive(Debug, Args)]
pub(in crate::cli) struct StartChild {
    /// The program.
    pub(super) program: std::path::PathBuf,
    /// What it is told that it is called, and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub(super) words: Vec<std::ffi::OsString>,
}

/// `NAME=VALUE`
fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}
