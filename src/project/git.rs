//! Asks git whether work could be lost.

use std::process::Command;

use camino::Utf8Path;

/// git is there but does not answer.
#[derive(Debug, thiserror::Error)]
#[error("`git status` failed in {path}: {message}")]
pub struct GitError {
    path: String,
    message: String,
}

/// Whether the git work tree around `path` has changes that are not committed. `false` outside
/// of a work tree, or where there is no git.
pub fn is_dirty(path: &Utf8Path) -> Result<bool, GitError> {
    let directory = if path.is_dir() {
        path
    } else {
        path.parent().filter(|p| !p.as_str().is_empty()).unwrap_or(Utf8Path::new("."))
    };
    let git = |arguments: &[&str]| Command::new("git").arg("-C").arg(directory).args(arguments).output();
    let Ok(inside) = git(&["rev-parse", "--is-inside-work-tree"]) else { return Ok(false) };
    if !inside.status.success() {
        return Ok(false);
    }
    let error = |message: String| GitError { path: directory.to_string(), message };
    let status = git(&["status", "--porcelain"]).map_err(|e| error(e.to_string()))?;
    if !status.status.success() {
        return Err(error(String::from_utf8_lossy(&status.stderr).trim().to_owned()));
    }
    Ok(!status.stdout.is_empty())
}
