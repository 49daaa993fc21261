//! What single programs are given, by `[[validate.program]]` of the configuration; the command line wins.

use std::time::Duration;

use anyhow::bail;

use super::args::GivenOptions;
use crate::cli::output::note;
use crate::project::ProgramConfig;
use crate::validate::{Given, Program};

/// Gives programs what the configuration says. An entry without a program is named in a note.
pub(super) fn give(programs: &mut [Program], configs: &[ProgramConfig], typed: &GivenOptions) -> anyhow::Result<()> {
    for (number, config) in configs.iter().enumerate() {
        if configs[..number].iter().any(|earlier| earlier.name == config.name) {
            note(&format!("`[[validate.program]]` speaks of `{}` twice; the last entry counts", config.name));
        }
        if let Some(path) = config.stdin.as_ref().filter(|path| !path.is_file()) {
            bail!("`{path}`, which `{}` is to read, is no file", config.name);
        }
        let Some(program) = programs.iter_mut().find(|program| program.name == config.name) else {
            note(&format!("`[[validate.program]]` speaks of `{}`, and no program is called so", config.name));
            continue;
        };
        program.given = Given {
            arguments: config.arguments.clone().filter(|_| !typed.has_arguments()),
            input: config.stdin.clone().filter(|_| !typed.has_input()),
            time: config.timeout.map(Duration::from_secs).filter(|_| !typed.has_timeout()),
        };
    }
    Ok(())
}
