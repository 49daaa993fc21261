//! The command line: arguments to settings, results to text and exit codes.

mod args;
mod both_compilers;
mod compat;
mod convert;
mod decided;
mod diff;
mod diff_args;
mod doctor;
mod exit;
mod explain;
mod export_fixes;
mod generated;
mod helpers;
mod hipify;
mod init;
mod kept_options;
mod left_out;
mod lint;
mod lint_args;
mod lsp;
mod map;
mod merge;
mod narrowed;
mod output;
mod overwritten;
mod pager;
mod project;
mod review;
mod self_check;
mod series;
mod settings;
mod shard;
mod toolchain;
mod tracked;
mod trust;
mod undo;
mod update;
mod validate;
mod workers;

pub use exit::Exit;

use std::ffi::OsString;

use args::{Arguments, Command};
use clap::Parser as _;

/// Runs the command that the process was started with.
pub fn run() -> Exit {
    // These take their arguments as they were typed, so they come before the parser.
    let typed: Vec<OsString> = std::env::args_os().collect();
    if let [program, arguments @ ..] = typed.as_slice()
        && let Some(tool) = hipify::Tool::of_program(program)
    {
        return hipify::run(tool, arguments);
    }
    if let [_, command, arguments @ ..] = typed.as_slice()
        && command == "hipify"
    {
        return hipify::run(hipify::Tool::Clang, arguments);
    }
    let arguments = Arguments::parse_from(typed);
    output::set_color(arguments.color);
    let result = match arguments.command {
        Command::Convert(convert) => convert::run(&convert),
        Command::Diff(diff) => diff::run(&diff),
        Command::Review(review) => review::run(&review),
        Command::Lint(lint) => lint::run(&lint),
        Command::Init(init) => init::run(&init),
        Command::Project(project) => project::run(&project),
        Command::Validate(validate) => validate::run(&validate),
        Command::Report(report) => merge::run(&report),
        Command::Run(program) => validate::run_program(&program),
        Command::StartChild(program) => validate::start_child(&program),
        Command::Lsp(_) => lsp::run(),
        Command::Map(map) => map::run(&map),
        Command::Explain(explain) => explain::run(&explain),
        Command::Update(update) => update::run(&update),
        Command::Undo(undo) => undo::run(&undo),
        Command::Trust(trust) => trust::run(&trust),
        Command::Toolchain(toolchain) => toolchain::run(&toolchain),
        Command::Doctor(doctor) => doctor::run(&doctor),
        Command::SelfCheck(arguments) => self_check::run(&arguments),
        Command::Hipify { arguments } => return hipify::run(hipify::Tool::Clang, &arguments),
        Command::Completions { shell } => generated::completions(shell),
        Command::Man(page) => generated::manual(&page),
    };
    exit::of(result)
}
