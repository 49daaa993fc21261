//! Results of an earlier run that still hold, as nothing that the compiler read has changed.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use hipshift::toolchain::Toolchain;

use super::files;

/// Empties `logs`, unless what it holds was made by the same compiler and headers, with the same words, from `folders`
/// as they are.
pub(super) fn forget_outdated(
    logs: &Path,
    (toolchain, command): (&Toolchain, &Command),
    folders: &[&Path],
) -> Result<()> {
    let inputs = inputs((toolchain, command), folders)?;
    let note = logs.join("inputs");
    if fs::read_to_string(&note).is_ok_and(|known| known == inputs) {
        return Ok(());
    }
    if logs.exists() {
        fs::remove_dir_all(logs).with_context(|| format!("removing `{}`", logs.display()))?;
    }
    fs::create_dir_all(logs).with_context(|| format!("creating `{}`", logs.display()))?;
    fs::write(&note, inputs).with_context(|| format!("writing `{}`", note.display()))
}

/// All that a compilation depends on, in lines.
fn inputs((toolchain, command): (&Toolchain, &Command), folders: &[&Path]) -> Result<String> {
    let version = |version: Option<String>| version.unwrap_or_default();
    let mut lines = vec![version(toolchain.compiler_version()), version(toolchain.header_version())];
    lines.push(format!("{command:?}"));
    for folder in folders {
        lines.push(files::Digest::of_files(folder, &files::below(folder)?)?.hash);
    }
    Ok(lines.join("\n") + "\n")
}

/// Keeps the exit code of a compilation beside its log.
pub(super) fn keep_code(log: &Path, code: Option<i32>) -> Result<()> {
    let path = log.with_extension("code");
    let text = code.map_or_else(String::new, |code| code.to_string());
    fs::write(&path, text).with_context(|| format!("writing `{}`", path.display()))
}

/// The exit code that was kept, if the compilation that it is of ended by itself.
pub(super) fn kept_code(log: &Path) -> Option<i32> {
    fs::read_to_string(log.with_extension("code")).ok()?.parse().ok()
}
