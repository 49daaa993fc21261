//! `hipshift undo`, and what all commands do that change files where they are.

use std::io::Write as _;

use anyhow::{Context as _, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::args::{ShortFormatWord, Undo};
use super::exit::Exit;
use super::output::{note, stdout_for};
use crate::project::{Decisions, Doors, Home, Staging, UndoOptions, cut_off, describe_recovered, undo, undoable};
use crate::report::{write_undone, write_undone_json};

pub(super) fn run(arguments: &Undo) -> anyhow::Result<Exit> {
    let home = undoable(&arguments.path)?;
    let options = UndoOptions { force: arguments.force, dry_run: arguments.dry_run };
    let undone = undo(&home, options)?;
    let refused = !undone.edited.is_empty() && !arguments.force;
    let done = !refused && !arguments.dry_run;
    let mut out = stdout_for(arguments.format == ShortFormatWord::Text);
    match arguments.format {
        ShortFormatWord::Json => write_undone_json(&mut out, &undone, done)?,
        ShortFormatWord::Text if refused && !arguments.dry_run => {}
        ShortFormatWord::Text => write_undone(&mut out, &undone, done)?,
    }
    out.flush()?;
    if refused {
        let list: Vec<String> = undone.edited.iter().map(|path| format!("`{path}`")).collect();
        bail!("edited since the run: {}; nothing was undone; `--force` undoes the edits, too", list.join(", "));
    }
    Ok(Exit::Clean)
}

/// The home of files that change where they are.
pub(super) fn home_of(paths: &[Utf8PathBuf], decisions: Option<&Decisions>) -> anyhow::Result<Home> {
    let home = Home::of(paths);
    let home = home.with_context(|| format!("looking for {}", paths.first().map_or(".", |path| path.as_str())))?;
    // What was decided follows the files, and is written with them.
    Ok(match decisions {
        Some(decisions) => home.with(decisions.home()),
        None => home,
    })
}

/// Where a run puts its results that can be undone afterwards. A run that was cut off is dealt with first.
pub(super) fn open_staging(home: Home, named: &[Utf8PathBuf]) -> anyhow::Result<Staging> {
    let typed: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let (staging, recovered) =
        Staging::journaled(home, Doors::named(named.iter().map(Utf8PathBuf::as_path)), &typed.join(" "))?;
    if let Some(recovered) = recovered {
        note(&describe_recovered(&recovered));
    }
    Ok(staging)
}

/// Says that `path` may hold a mixture of old and new files, if a run there was cut off.
pub(super) fn note_cut_off(path: &Utf8Path) {
    if let Some(home) = cut_off(path) {
        let root = home.root();
        note(&format!("a run that changes files below {root} goes on or was cut off; `hipshift undo` takes it back"));
    }
}
