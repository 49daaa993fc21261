//! What can be typed. What it means is decided in `settings`.

use camino::Utf8PathBuf;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use serde::{Deserialize, Serialize};

use super::diff_args::Diff;
use super::init::Init;
use super::lint_args::Lint;
use super::lsp::Lsp;
use super::merge::ReportArguments;
use super::project::ProjectArguments;
use super::self_check::SelfCheck;
use super::shard::ShardOption;
use super::toolchain::Toolchain;
use super::validate::{RunProgram, StartChild, Validate};

/// Converts CUDA C++ projects to HIP for AMD GPUs, and lists everything it could not convert.
#[derive(Debug, Parser)]
#[command(name = "hipshift", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(after_help = "Exit codes: 0 clean, 1 findings remain, 2 trouble.")]
pub(super) struct Arguments {
    /// When to use colour; NO_COLOR is honoured.
    #[arg(long, global = true, value_enum, default_value_t = ColorWord::Auto, value_name = "WHEN")]
    pub(super) color: ColorWord,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Convert CUDA sources to HIP.
    Convert(Box<Convert>),
    /// Show what `convert` would change, or write it as a patch or a series of patches.
    #[command(after_help = "Exit codes: 0 nothing changes, 1 something would change, 2 trouble.")]
    Diff(Box<Diff>),
    /// Decide about each change, hunk by hunk, in the terminal; all later runs follow the decisions.
    #[command(after_help = "Exit codes: 0 all is decided, 1 something is undecided, 2 trouble.")]
    Review(Box<Review>),
    /// Say what a port needs, in CUDA sources; find what does not belong, in HIP sources.
    Lint(Box<Lint>),
    /// Show what a project consists of: programs and libraries with their sources, headers, macros, options; nothing is executed.
    #[command(after_help = "Exit codes: 0 all was read, 1 something could not be read, 2 trouble.")]
    Project(ProjectArguments),
    /// Write a configuration for a project, from what its build says, and show a plan for its port.
    #[command(after_help = "Exit codes: 0 done, 2 trouble, such as a configuration that is there already.")]
    Init(Init),
    /// Compile what `convert` makes for AMD GPUs, run the programs, and compare what they print.
    #[command(after_help = "Exit codes: 0 all well, 1 something failed, 2 trouble.")]
    Validate(Box<Validate>),
    /// Join the reports that the shards of a run wrote.
    Report(ReportArguments),
    /// Run an executable that was built for HIP on the emulator.
    #[command(
        after_help = "The exit code is that of the program; with several schedules, 0 if all end well with the same \
                            result, 1 if not."
    )]
    Run(RunProgram),
    /// Start a program that one under `run` starts, with the libraries of AMD's that it asks for.
    #[command(hide = true)]
    StartChild(StartChild),
    /// Serve an editor over standard input and output: findings, fixes, conversions, explanations (LSP).
    #[command(after_help = "Exit codes: 0 the editor left as the protocol says, 1 it did not, 2 trouble.")]
    Lsp(Lsp),
    /// Show what a CUDA name is called in HIP, or a HIP name in CUDA.
    Map(Map),
    /// Explain a rule by code or name; without one, list all rules.
    Explain(Explain),
    /// Convert changed CUDA sources again, and keep what was edited in the results since.
    #[command(after_help = "Exit codes: 0 clean, 1 conflicts or findings in what changed, 2 trouble.")]
    Update(Box<Update>),
    /// Take back the last run that changed files where they are; once more brings it back.
    #[command(after_help = "Exit codes: 0 undone, 2 trouble, or files were edited since.")]
    Undo(Undo),
    /// Let the project's configuration decide what is executed: its compiler and its options.
    Trust(Trust),
    /// Fetch a compiler for AMD GPUs and HIP's headers with the machine's own apt, without root.
    Toolchain(Toolchain),
    /// Show what is installed: tables, configuration, compiler, HIP, GPUs, executors; and how to get what is missing.
    Doctor(Doctor),
    /// Convert, compile and run a small program, and say what works here and what to do about the rest.
    #[command(after_help = "Exit codes: 0 a port can be converted and validated here, 1 it cannot, 2 trouble.")]
    SelfCheck(SelfCheck),
    /// Do as hipify-clang or hipify-perl does: their options, files and names.
    #[command(disable_help_flag = true)]
    Hipify {
        /// Options and files as those tools take them; `--as perl` chooses hipify-perl.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
        arguments: Vec<std::ffi::OsString>,
    },
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print a manual page: that of hipshift, or of one of its commands. `hipshift man convert | man -l -` shows it.
    Man(ManualPage),
}

#[derive(Debug, Args)]
pub(super) struct ManualPage {
    /// A command; without one, the page of hipshift itself.
    pub(super) command: Option<String>,
}

/// Colour in the output.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ColorWord {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that is typed or not")]
pub(super) struct Convert {
    /// Files and directories; `-` reads standard input and writes standard output.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<Utf8PathBuf>,
    /// Where the result goes: a file for one input file, else a directory.
    ///
    /// A directory mirrors the input tree. It is made if need be.
    #[arg(short, long, value_name = "PATH", conflicts_with = "in_place")]
    pub(super) output: Option<Utf8PathBuf>,
    /// Change the files where they are.
    #[arg(long)]
    pub(super) in_place: bool,
    /// Change files in place although the git work tree has uncommitted changes.
    #[arg(long, requires = "in_place")]
    pub(super) allow_dirty: bool,
    /// With `-o`, leave behind what is neither source nor build file.
    #[arg(long, requires = "output")]
    pub(super) sources_only: bool,
    /// Write no manifest for `hipshift update`, and with `-o` no journal for `hipshift undo`.
    #[arg(long)]
    pub(super) no_manifest: bool,
    /// Only report; write nothing.
    #[arg(long, conflicts_with_all = ["output", "in_place"])]
    pub(super) dry_run: bool,
    /// Write the edits for `clang-apply-replacements`, as clang-tidy does; `-` is standard output.
    ///
    /// The tool finds the file if its name ends with `.yaml`. It cannot give files other names.
    #[arg(long, value_name = "FILE", conflicts_with = "in_place")]
    pub(super) export_fixes: Option<Utf8PathBuf>,
    /// What is written where CUDA and HIP differ [default: hip, or guarded with `--build-mode option`].
    #[arg(long, value_enum, value_name = "FORM")]
    pub(super) emit: Option<EmitWord>,
    /// What becomes of files of CMake [default: replace].
    #[arg(long, value_enum, value_name = "MODE", conflicts_with = "no_build_files")]
    pub(super) build_mode: Option<BuildWord>,
    #[command(flatten)]
    pub(super) selection: FileSelection,
    #[command(flatten)]
    pub(super) part: ShardOption,
    #[command(flatten)]
    pub(super) target: TargetOptions,
    #[command(flatten)]
    pub(super) rules: RuleOptions,
    #[command(flatten)]
    pub(super) report: ReportOptions,
}

/// `--emit`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum EmitWord {
    /// The form for HIP.
    Hip,
    /// Both: HIP's under `#if`, CUDA's under `#else`.
    Guarded,
    /// No file changes; a header beside them has HIP's names for CUDA's, as far as that goes.
    CompatHeader,
}

/// `--build-mode`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum BuildWord {
    /// They build for HIP.
    Replace,
    /// They build for CUDA as before, and for HIP with `-DUSE_HIP=ON`; make and shells stay for CUDA.
    Option,
}

#[derive(Debug, Args)]
pub(super) struct Review {
    /// Files and directories.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<Utf8PathBuf>,
    /// Show the hunks although all of them are decided.
    #[arg(long)]
    pub(super) again: bool,
    /// Drop decisions that no fix is left for, and ask nothing.
    #[arg(long, conflicts_with = "again")]
    pub(super) prune: bool,
    #[command(flatten)]
    pub(super) selection: FileSelection,
    #[command(flatten)]
    pub(super) target: TargetOptions,
    #[command(flatten)]
    pub(super) rules: RuleChoice,
}

#[derive(Debug, Default, Clone, Args, Serialize, Deserialize)]
#[command(next_help_heading = "Files")]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct FileSelection {
    /// Take files that match, in place of all C++ and CUDA files.
    #[arg(long, value_name = "GLOB")]
    pub(super) include: Vec<String>,
    /// Leave out files and directories that match.
    #[arg(long, value_name = "GLOB")]
    pub(super) exclude: Vec<String>,
    /// Leave build files as they are: CMake, make, shell and others.
    #[arg(long)]
    pub(super) no_build_files: bool,
    /// Threads; default: one for each core.
    #[arg(short = 'j', long, value_name = "N")]
    #[serde(skip)]
    pub(super) threads: Option<usize>,
}

#[derive(Debug, Default, Clone, Args, Serialize, Deserialize)]
#[command(next_help_heading = "Result")]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct TargetOptions {
    /// ROCm release to convert for, 5.7 to 7.2 [default: 7.2].
    #[arg(long, value_name = "VERSION")]
    pub(super) rocm: Option<String>,
    /// Targets that the result must run on [default: gfx90a,gfx942,gfx1100].
    #[arg(long, value_name = "GFX", value_delimiter = ',')]
    pub(super) arch: Vec<String>,
    /// How kernel launches are written [default: ggl].
    #[arg(long, value_enum, value_name = "STYLE")]
    pub(super) launch: Option<LaunchWord>,
    /// What blocks per multiprocessor become in `__launch_bounds__` [default: per-eu].
    #[arg(long, value_enum, value_name = "FORMULA")]
    pub(super) launch_bounds: Option<BoundsWord>,
    /// Lanes of a warp in the result [default: auto].
    #[arg(long, value_enum, value_name = "POLICY")]
    pub(super) wave_policy: Option<WaveWord>,
    /// Where definitions for warps of 32 lanes go [default: header for folders, inline for files named alone].
    #[arg(long, value_enum, value_name = "PLACE")]
    pub(super) helpers: Option<HelpersWord>,
    /// Name of the header that definitions go to [default: `hipshift_warp.h`].
    #[arg(long, value_name = "NAME")]
    pub(super) helpers_header: Option<String>,
    /// Extension of CUDA files in the result [default: keep].
    #[arg(long, value_enum, value_name = "EXT")]
    pub(super) ext: Option<ExtWord>,
    /// Names of hipBLAS (portable) or rocBLAS (AMD's own) [default: hip].
    #[arg(long, value_enum, value_name = "NAMES")]
    pub(super) blas: Option<LibraryWord>,
    /// Names of hipSPARSE or rocSPARSE [default: hip].
    #[arg(long, value_enum, value_name = "NAMES")]
    pub(super) sparse: Option<LibraryWord>,
    /// Names of hipRAND or rocRAND [default: hip].
    #[arg(long, value_enum, value_name = "NAMES")]
    pub(super) rand: Option<LibraryWord>,
    /// Names of hipSOLVER or rocSOLVER [default: hip].
    #[arg(long, value_enum, value_name = "NAMES")]
    pub(super) solver: Option<LibraryWord>,
    /// Convert program text in string literals, for run-time compilation.
    #[arg(long)]
    pub(super) strings: bool,
}

/// `--launch`
#[derive(Debug, Clone, Copy, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum LaunchWord {
    /// `hipLaunchKernelGGL(…)`
    Ggl,
    /// `kernel<<<…>>>(…)`
    Chevron,
}

/// `--launch-bounds`
#[derive(Debug, Clone, Copy, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum BoundsWord {
    /// Waves per execution unit, which is what the compiler counts.
    PerEu,
    /// The formula of ROCm's documents, which gives waves per compute unit.
    RocmDocs,
}

/// `--wave-policy`
#[derive(Debug, Clone, Copy, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WaveWord {
    /// 32, as CUDA has them; see `logical32`.
    Auto,
    /// 32 on every target, as in CUDA.
    Logical32,
    /// As many as a wave of the target has, 64 or 32; kernels in which a finding about waves stays open keep 32.
    Native,
}

/// `--helpers`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum HelpersWord {
    /// Into each file that uses them.
    Inline,
    /// To one header for each folder that is named: directly in it, or in the folder of `-o`.
    Header,
}

/// `--ext`
#[derive(Debug, Clone, Copy, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ExtWord {
    /// `.cu` and `.cuh` stay.
    Keep,
    /// `.hip` and `.hip.h`
    Hip,
    /// `.hip.cpp` and `.hip.hpp`
    #[value(name = "hip.cpp")]
    #[serde(rename = "hip.cpp")]
    HipCpp,
}

/// Which library's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum LibraryWord {
    /// The portable wrapper.
    Hip,
    /// AMD's own library.
    Roc,
}

#[derive(Debug, Default, Clone, Args, Serialize, Deserialize)]
#[command(next_help_heading = "Rules")]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct RuleOptions {
    /// Apply fixes, too, that may change behaviour.
    #[arg(long)]
    pub(super) unsafe_fixes: bool,
    /// Do not follow what `review` decided.
    #[arg(long)]
    pub(super) no_decisions: bool,
    #[command(flatten)]
    pub(super) choice: RuleChoice,
}

/// Which rules run.
#[derive(Debug, Default, Clone, Args, Serialize, Deserialize)]
#[command(next_help_heading = "Rules")]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct RuleChoice {
    /// Run these rules only: codes, names or a group's letter.
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    pub(super) select: Vec<String>,
    /// Do not run these rules.
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    pub(super) ignore: Vec<String>,
    /// Configuration file; default: the nearest `hipshift.toml` above the first path.
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub(super) config: Option<Utf8PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub(super) struct ReportOptions {
    /// How the report is written.
    #[arg(long, value_enum, default_value_t = FormatWord::Text, value_name = "FORMAT")]
    pub(super) format: FormatWord,
    /// List how often each rule was applied.
    #[arg(long)]
    pub(super) stats: bool,
    /// Show each finding with its line.
    #[arg(short, long, conflicts_with = "quiet")]
    pub(super) verbose: bool,
    /// Report trouble only.
    #[arg(short, long)]
    pub(super) quiet: bool,
}

/// `--format`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatWord {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For tables.
    Csv,
}

/// `--format` of commands whose output is no table
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PlainFormatWord {
    /// For people.
    Text,
    /// For programs.
    Json,
}

#[derive(Debug, Args)]
pub(super) struct Map {
    /// Names of CUDA or HIP; parts of names find similar ones.
    #[arg(required = true, value_name = "NAME")]
    pub(super) names: Vec<String>,
    /// ROCm release [default: 7.2].
    #[arg(long, value_name = "VERSION")]
    pub(super) rocm: Option<String>,
    /// How the answer is written.
    #[arg(long, value_enum, default_value_t = PlainFormatWord::Text, value_name = "FORMAT")]
    pub(super) format: PlainFormatWord,
    /// The same as `--format json`.
    #[arg(long, conflicts_with = "format")]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct Explain {
    /// A rule's code or name, such as `A003`.
    #[arg(value_name = "RULE")]
    pub(super) rule: Option<String>,
    /// How the answer is written.
    #[arg(long, value_enum, default_value_t = PlainFormatWord::Text, value_name = "FORMAT")]
    pub(super) format: PlainFormatWord,
}

#[derive(Debug, Args)]
pub(super) struct Doctor {
    /// How the answer is written.
    #[arg(long, value_enum, default_value_t = PlainFormatWord::Text, value_name = "FORMAT")]
    pub(super) format: PlainFormatWord,
}

#[derive(Debug, Args)]
pub(super) struct Undo {
    /// A directory of the project, or the one that `convert -o` wrote to.
    #[arg(default_value = ".", value_name = "PATH")]
    pub(super) path: Utf8PathBuf,
    /// Undo edits, too, that were made to the files since.
    #[arg(long)]
    pub(super) force: bool,
    /// Only say what would be undone.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// How the report is written.
    #[arg(long, value_enum, default_value_t = ShortFormatWord::Text, value_name = "FORMAT")]
    pub(super) format: ShortFormatWord,
}

#[derive(Debug, Args)]
pub(super) struct Trust {
    /// A directory or file of the project.
    #[arg(default_value = ".", value_name = "PATH")]
    pub(super) path: Utf8PathBuf,
    /// Trust its configuration no more.
    #[arg(long)]
    pub(super) revoke: bool,
}

/// `--format` of `undo` and `update`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ShortFormatWord {
    /// For people.
    Text,
    /// For programs.
    Json,
}

#[derive(Debug, Args)]
pub(super) struct Update {
    /// The CUDA sources as they are now, in place of those given to `convert`, in the same order.
    #[arg(value_name = "SOURCE")]
    pub(super) sources: Vec<Utf8PathBuf>,
    /// The results, which `convert` wrote; default: those around the current directory.
    #[arg(short, long, value_name = "DIR")]
    pub(super) output: Option<Utf8PathBuf>,
    /// Only say what would be done.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// How the report is written.
    #[arg(long, value_enum, default_value_t = ShortFormatWord::Text, value_name = "FORMAT")]
    pub(super) format: ShortFormatWord,
    #[command(flatten)]
    pub(super) selection: FileSelection,
    #[command(flatten)]
    pub(super) target: TargetOptions,
    #[command(flatten)]
    pub(super) rules: RuleOptions,
}
