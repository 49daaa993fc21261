//! `hipshift init`: a configuration for a project, and a plan for its port.

use std::io::Write as _;

use anyhow::bail;
use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;

use super::args::{FileSelection, PlainFormatWord, RuleOptions, TargetOptions};
use super::exit::Exit;
use super::lint::find_sources;
use super::output::{note, stdout_for};
use super::project::model_of;
use super::settings::{Resolved, resolve_with};
use super::workers::in_pool;
use crate::project::{
    Doors, FileReport, LintRun, Looked, Selection, Staging, database_of, find_config, lint_files, planned_libraries,
    proposed_config, survey_of,
};
use crate::report::{Plan, write_plan, write_plan_json};

/// The file that is written.
const FILE_NAME: &str = "hipshift.toml";

/// `hipshift init`
#[derive(Debug, Args)]
pub(super) struct Init {
    /// The folder of the project.
    #[arg(default_value = ".", value_name = "DIR")]
    path: Utf8PathBuf,
    /// Replace the `hipshift.toml` that is there.
    #[arg(long)]
    force: bool,
    /// Show what would be written, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// How the CUDA build compiles each file; default: `compile_commands.json` in DIR, or in `build` there.
    #[arg(long, value_name = "FILE")]
    compile_commands: Option<Utf8PathBuf>,
    /// ROCm release to convert for, 5.7 to 7.2 [default: 7.2].
    #[arg(long, value_name = "VERSION")]
    rocm: Option<String>,
    /// Targets that the result must run on [default: gfx90a,gfx942,gfx1100].
    #[arg(long, value_name = "GFX", value_delimiter = ',')]
    arch: Vec<String>,
    /// How the plan is shown.
    #[arg(long, value_enum, default_value_t = PlainFormatWord::Text, value_name = "FORMAT")]
    format: PlainFormatWord,
    /// Threads; default: one for each core.
    #[arg(short = 'j', long, value_name = "N")]
    threads: Option<usize>,
}

pub(super) fn run(arguments: &Init) -> anyhow::Result<Exit> {
    let folder = &arguments.path;
    if !folder.is_dir() {
        bail!("`{folder}` is no folder");
    }
    let file = folder.join(FILE_NAME);
    let is_there = file.symlink_metadata().is_ok();
    if is_there && !arguments.force && !arguments.dry_run {
        bail!("{file} is there already; `--force` replaces it, and `--dry-run` shows what would be written");
    }
    // What is there, in the folder or above it, is about to count no more.
    let target =
        TargetOptions { rocm: arguments.rocm.clone(), arch: arguments.arch.clone(), ..TargetOptions::default() };
    let resolved = resolve_with((folder, None), &FileSelection::default(), &target, &RuleOptions::default())?;
    let model = model_of(folder, &resolved, arguments.compile_commands.as_deref())?;
    let database = database_of(&model, folder, arguments.compile_commands.as_deref());
    let text = proposed_config(&model, &resolved.settings, database.as_deref());
    let reports = in_pool(arguments.threads, || lint(folder, &resolved))??;
    if !arguments.dry_run {
        let staging = Staging::to(Doors::named([folder.as_path()]));
        staging.write(&file, text.as_bytes(), &file)?;
        staging.commit()?;
    }
    let is_text = arguments.format == PlainFormatWord::Text;
    let mut out = stdout_for(is_text);
    let (libraries, written) = (planned_libraries(&model), !arguments.dry_run);
    let plan =
        Plan { folder, model: &model, libraries: &libraries, reports: &reports, config: (&file, &text), written };
    let write = if is_text { write_plan } else { write_plan_json };
    write(&mut out, &plan)?;
    out.flush()?;
    tell_hidden(folder);
    Ok(Exit::Clean)
}

/// The nearest configuration holds alone.
fn tell_hidden(folder: &Utf8Path) {
    let above = folder.canonicalize_utf8().ok().and_then(|folder| find_config(folder.parent()?));
    if let Some(above) = above {
        note(&format!("{above} does not hold for {folder} where that has a configuration of its own"));
    }
}

/// What linting finds, for the estimate.
fn lint(folder: &Utf8Path, resolved: &Resolved) -> anyhow::Result<Vec<FileReport>> {
    let selection = Selection::new(&resolved.include, &resolved.exclude)?;
    let sources = find_sources(&[folder.to_owned()], &selection, resolved.build_files)?.files;
    let run = LintRun { decisions: resolved.decisions.as_ref(), ..LintRun::new(&resolved.table, &resolved.settings) };
    let looked: Vec<Looked<'_>> = sources.iter().map(Looked::from).collect();
    let survey = survey_of(&looked, (run.table, run.settings), run.decisions);
    Ok(lint_files(&sources, (&survey, run), &Staging::default(), || {})?)
}
