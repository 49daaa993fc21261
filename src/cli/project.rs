//! `hipshift project`: what a project consists of.

use std::io::Write as _;

use anyhow::bail;
use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;

use super::args::{FileSelection, PlainFormatWord, RuleChoice, RuleOptions, TargetOptions};
use super::exit::Exit;
use super::output::stdout_for;
use super::settings::{Resolved, resolve};
use crate::project::{ProjectModel, Selection, project_model};
use crate::report::{write_model, write_model_json};

/// `hipshift project`
#[derive(Debug, Args)]
pub(super) struct ProjectArguments {
    /// The folder of the project.
    #[arg(default_value = ".", value_name = "DIR")]
    path: Utf8PathBuf,
    /// How the CUDA build compiles each file; default: `compile_commands.json` in DIR, or in `build` there.
    #[arg(long, value_name = "FILE")]
    compile_commands: Option<Utf8PathBuf>,
    /// How the answer is written.
    #[arg(long, value_enum, default_value_t = PlainFormatWord::Text, value_name = "FORMAT")]
    format: PlainFormatWord,
    /// Leave out files and directories that match.
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Configuration file; default: the nearest `hipshift.toml` above DIR.
    #[arg(long, value_name = "FILE")]
    config: Option<Utf8PathBuf>,
}

pub(super) fn run(arguments: &ProjectArguments) -> anyhow::Result<Exit> {
    let path = &arguments.path;
    if !path.is_dir() {
        bail!("`{path}` is no folder");
    }
    let files = FileSelection { exclude: arguments.exclude.clone(), ..FileSelection::default() };
    let choice = RuleChoice { config: arguments.config.clone(), ..RuleChoice::default() };
    let rules = RuleOptions { choice, ..RuleOptions::default() };
    let resolved = resolve(path, &files, &TargetOptions::default(), &rules)?;
    let model = model_of(path, &resolved, arguments.compile_commands.as_deref())?;
    let is_text = arguments.format == PlainFormatWord::Text;
    let mut out = stdout_for(is_text);
    if is_text {
        write_model(&mut out, path, &model)?;
    } else {
        write_model_json(&mut out, path, &model)?;
    }
    out.flush()?;
    Ok(if model.unread.is_empty() { Exit::Clean } else { Exit::Findings })
}

/// The model of a folder, with what is configured.
pub(super) fn model_of(
    path: &Utf8Path,
    resolved: &Resolved,
    database: Option<&Utf8Path>,
) -> anyhow::Result<ProjectModel> {
    let selection = Selection::new(&[], &resolved.exclude)?;
    let database = database.or(resolved.validate.compile_commands.as_deref());
    Ok(project_model(path, &selection, database)?)
}
