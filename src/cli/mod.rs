//! The command line: arguments to settings, results to text and exit codes.

mod args;
mod convert;
mod doctor;
mod exit;
mod explain;
mod map;
mod output;
mod settings;

pub use exit::Exit;

use args::{Arguments, Command};
use clap::Parser as _;

/// Runs the command that the process was started with.
pub fn run() -> Exit {
    let arguments = Arguments::parse();
    output::set_color(arguments.color);
    let result = match arguments.command {
        Command::Convert(convert) => convert::run(&convert),
        Command::Map(map) => map::run(&map),
        Command::Explain(explain) => explain::run(&explain),
        Command::Doctor => doctor::run(),
        Command::Completions { shell } => output::completions(shell),
    };
    exit::of(result)
}
