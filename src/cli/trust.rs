//! `hipshift trust`, and what asks for it.

use std::io::Write as _;

use anyhow::{Context as _, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::args::Trust;
use super::exit::Exit;
use super::output::screen;
use crate::project::{
    Config, compile_commands, distrust, find_compile_commands, find_config, is_trusted, powerful_flags, trust,
};
use crate::report::one_line;
use crate::toolchain::map_options;

pub(super) fn run(arguments: &Trust) -> anyhow::Result<Exit> {
    let files = files(&arguments.path)?;
    if files.is_empty() {
        bail!("there is no `hipshift.toml` and no `compile_commands.json` that holds for `{}`", arguments.path);
    }
    let mut out = screen();
    for (file, powers) in files {
        let context = || format!("trusting {file}");
        if arguments.revoke {
            let said = if distrust(&file).with_context(context)? { "is trusted no more" } else { "was not trusted" };
            writeln!(out, "{} {said}", one_line(file.as_str()))?;
            continue;
        }
        trust(&file).with_context(context)?;
        writeln!(out, "{} is trusted as it is now", one_line(file.as_str()))?;
        for power in &powers {
            writeln!(out, "  {}", one_line(power))?;
        }
        if !powers.is_empty() {
            writeln!(
                out,
                "  whoever can change the files that these name is trusted, too: only this text is compared"
            )?;
        }
    }
    out.flush()?;
    Ok(Exit::Clean)
}

/// The files that hold for a path, each with what it decides about programs.
fn files(path: &Utf8Path) -> anyhow::Result<Vec<(Utf8PathBuf, Vec<String>)>> {
    let mut files = Vec::new();
    let config = find_config(path).map(|file| Config::found(&file).map(|config| (file, config))).transpose()?;
    let mut commands = find_compile_commands(path);
    if let Some((file, config)) = config {
        commands = config.validate.compile_commands.clone().or(commands);
        let powers = config.table_powers(&file).into_iter().chain(powers_of(&config, &file));
        files.push((file, powers.collect()));
    }
    if let Some(file) = commands {
        files.push((file.clone(), powers_of_commands(&file)?));
    }
    Ok(files)
}

/// What a configuration at `file` decides about the programs that `validate` starts.
pub(super) fn powers_of(config: &Config, file: &Utf8Path) -> Vec<String> {
    let validate = &config.validate;
    let toolchain = validate.toolchain.iter().map(|folder| format!("toolchain = \"{folder}\""));
    let mapped = map_options(&validate.nvcc_flags, Utf8Path::new("."));
    let defines: Vec<String> = validate.define.iter().map(|name| format!("-D{name}")).collect();
    let standard: Vec<String> = validate.standard.iter().map(|standard| format!("-std={standard}")).collect();
    let flags = [&defines, &standard, &mapped.flags, &validate.flags].map(Vec::as_slice).concat();
    let flags = powerful_flags(&flags).into_iter().map(|flag| format!("the option `{flag}`"));
    toolchain.chain(flags).chain(validate.input_powers(file)).collect()
}

/// What a database of commands decides about the programs that `validate` starts.
pub(super) fn powers_of_commands(file: &Utf8Path) -> anyhow::Result<Vec<String>> {
    let mut powers = Vec::new();
    for command in compile_commands(file)? {
        powers.extend(powerful_flags(&map_options(&command.words, &command.directory).flags));
    }
    powers.sort();
    powers.dedup();
    Ok(powers.into_iter().map(|flag| format!("the option `{flag}`")).collect())
}

/// Refuses what a file of the project decides about programs, unless the user trusts it. `option` names the file
/// on the command line, which is as good; a command without such an option has none.
pub(super) fn require<'o>(
    file: &Utf8Path,
    powers: &[String],
    option: impl Into<Option<&'o str>>,
) -> anyhow::Result<()> {
    let Some(first) = powers.first() else { return Ok(()) };
    if is_trusted(file).with_context(|| format!("looking whether {file} is trusted"))? {
        return Ok(());
    }
    let more = if powers.len() > 1 { format!(" and {} more", powers.len() - 1) } else { String::new() };
    let or_name = option.into().map(|option| format!(", or name the file with `{option}`")).unwrap_or_default();
    bail!(
        "{} has {}{more}, which decides what is read or executed outside of the project; \
         look at it, then run `hipshift trust`{or_name}",
        one_line(file.as_str()),
        one_line(first)
    )
}
