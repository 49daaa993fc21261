//! What a project may reach by the links and names that it brings along: nothing outside of itself.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::home::{resolved, work_tree_of};

/// The top of the project that `folder`, absolute and without links, lies in: the work tree of git, or else the folder. All that a
/// user has is no project.
pub(super) fn project_top(folder: &Utf8Path) -> &Utf8Path {
    work_tree_of(folder).filter(|top| !holds_home(top)).unwrap_or(folder)
}

/// Whether all that a user has lies in `folder`, absolute and without links.
pub(super) fn holds_home(folder: &Utf8Path) -> bool {
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    home.is_some_and(|home| home.starts_with(folder))
}

/// Fails if a file that came with the project in `folder` is a link to one outside of it, whose lines messages would show.
pub(super) fn refuse_way_out(path: &Utf8Path, folder: &Utf8Path) -> io::Result<()> {
    let (Ok(real), Ok(folder)) = (path.canonicalize_utf8(), folder.canonicalize_utf8()) else {
        // Who reads it is told what is wrong.
        return Ok(());
    };
    if real.starts_with(project_top(&folder)) {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "it leads to `{real}`, outside of the project, where nothing is read that was not named"
    )))
}

/// Fails if the name of an output, as it was typed, leads through a link that may have come with what is converted: one in the
/// present folder or below it, in a folder of `inputs`, or in a work tree of git that holds one of these.
pub fn refuse_brought_links(output: &Utf8Path, inputs: &[Utf8PathBuf]) -> io::Result<()> {
    // `link/` and `link/.` are the link, too; asked for by such a name, the system tells of what it leads to.
    let output: Utf8PathBuf = output.components().collect();
    let mut tops = vec![resolved(Utf8Path::new("."))?];
    for input in inputs.iter().filter(|input| *input != "-") {
        let folder = if input.is_dir() { input.as_path() } else { input.parent().unwrap_or(Utf8Path::new(".")) };
        tops.push(resolved(folder)?);
    }
    let tops: Vec<Utf8PathBuf> = tops.iter().map(|top| project_top(top).to_owned()).collect();
    for path in output.ancestors().filter(|path| path.is_symlink()) {
        let folder = resolved(path.parent().unwrap_or(Utf8Path::new(".")))?;
        if tops.iter().any(|top| folder.starts_with(top)) {
            let leads = path.read_link_utf8().map(|to| format!(" to `{to}`")).unwrap_or_default();
            return Err(io::Error::other(format!(
                "`{path}` is a symbolic link{leads} that may have come with the project; name what it leads to"
            )));
        }
    }
    Ok(())
}
