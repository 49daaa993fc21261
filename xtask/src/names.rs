//! Compares the mapping tables with real HIP headers and writes what was found.
//!
//! A table may claim a HIP name for a release only if the headers of that release have it. The
//! outcome is committed, so that a reader of the tables sees on what they rest without fetching
//! anything.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a development task reports on the terminal")]

mod claim;
mod finding;
mod library;
mod presence;
mod release;
mod report;
mod scan;
mod table;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;

use self::presence::Presence;
use self::release::CHECKED;
use self::tree::Tree;
use crate::repository_root;

/// Options of `xtask names`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Folder with one unpacked `usr` per release, below `7.2` or `hip-7.2` [default: target/toolchain]
    #[arg(long)]
    headers: Option<PathBuf>,
    /// Compare with the committed files instead of writing them
    #[arg(long)]
    check: bool,
}

/// Reads tables and headers, then writes or compares the two result files.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = repository_root();
    let folder = arguments.headers.clone().unwrap_or_else(|| root.join("target/toolchain"));
    let trees = read_trees(&folder)?;
    let rows = table::read_all(&root.join("mappings"))?;
    let presence = Presence::of(&rows, &trees);
    let findings = finding::all(&rows, &presence);
    for finding in &findings {
        println!("{finding}");
    }
    let outputs = [
        (root.join("tests/data/hip_names.csv"), report::csv(&presence)?),
        (root.join("docs/hip-names.md"), report::markdown(&rows, &presence, &trees)),
    ];
    // The page also tells the versions of the packages, which move on by themselves.
    let compared = if arguments.check { 1 } else { outputs.len() };
    let stale = outputs
        .iter()
        .take(compared)
        .map(|(path, text)| deliver(path, text, arguments.check))
        .collect::<Result<Vec<bool>>>()?
        .contains(&true);
    eprintln!("{} rows, {} names, {} findings", rows.len(), presence.len(), findings.len());
    Ok(if stale || !findings.is_empty() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn read_trees(folder: &Path) -> Result<Vec<Tree>> {
    let trees =
        CHECKED.iter().filter_map(|release| Tree::find(folder, *release).transpose()).collect::<Result<Vec<Tree>>>()?;
    if trees.len() < CHECKED.len() {
        bail!("`{}` lacks headers of some release; `./test` fetches them", folder.display());
    }
    Ok(trees)
}

/// Writes the file, or says whether the committed one differs.
fn deliver(path: &Path, text: &str, check: bool) -> Result<bool> {
    if check {
        let committed = fs::read_to_string(path).unwrap_or_default();
        if committed != text {
            println!("`{}` is out of date; run `cargo run -p xtask -- names`", path.display());
        }
        return Ok(committed != text);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("creating `{}`", folder.display()))?;
    }
    fs::write(path, text).with_context(|| format!("writing `{}`", path.display()))?;
    Ok(false)
}
