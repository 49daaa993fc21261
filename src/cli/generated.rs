//! What is generated from the arguments: completion scripts and manual pages.

use std::io::Write as _;

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_mangen::Man;

use super::args::{Arguments, ManualPage};
use super::exit::Exit;
use super::output;

/// Prints a completion script.
pub(super) fn completions(shell: clap_complete::Shell) -> anyhow::Result<Exit> {
    print(|script| {
        clap_complete::generate(shell, &mut Arguments::command(), "hipshift", script);
        Ok(())
    })
}

/// Prints the manual page of the program, or of one of its commands.
pub(super) fn manual(page: &ManualPage) -> anyhow::Result<Exit> {
    let mut program = Arguments::command();
    // Gives the commands the names and options that they have from the program: `hipshift-convert`, `--color`.
    program.build();
    let described = match &page.command {
        None => program,
        Some(name) => program.find_subcommand(name).cloned().with_context(|| unknown(&program, name))?,
    };
    print(|text| Man::new(described).render(text))
}

fn unknown(program: &clap::Command, name: &str) -> String {
    let names: Vec<_> = program.get_subcommands().map(clap::Command::get_name).collect();
    format!("there is no command `{name}`; there are {}", names.join(", "))
}

fn print(generate: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> anyhow::Result<Exit> {
    let mut text = Vec::new();
    generate(&mut text)?;
    let mut stdout = output::stdout();
    stdout.write_all(&text)?;
    stdout.flush()?;
    Ok(Exit::Clean)
}
