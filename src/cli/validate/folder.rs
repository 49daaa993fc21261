//! The folder of a run: the user's, or one that goes away in the end.

use anyhow::{Context as _, bail};
use camino::{Utf8Path, Utf8PathBuf};
use walkdir::{DirEntry, WalkDir};

use crate::private_folder::refuse_open_parents;
use crate::project::{refuse_brought_links, remove_on_interrupt};

/// The folder that everything is written to.
pub(in crate::cli) struct Folder {
    pub(in crate::cli) path: Utf8PathBuf,
    _temporary: Option<tempfile::TempDir>,
}

impl Folder {
    /// The folder `kept`, or a temporary one, for what is made of `inputs`.
    pub(in crate::cli) fn new(kept: Option<&Utf8Path>, inputs: &[Utf8PathBuf]) -> anyhow::Result<Folder> {
        if let Some(kept) = kept {
            refuse_brought_links(kept, inputs)?;
            std::fs::create_dir_all(kept).with_context(|| format!("making {kept}"))?;
            let path = kept.canonicalize_utf8()?;
            refuse_links(&path)?;
            refuse_separators(&path)?;
            mark(&path)?;
            return Ok(Folder { path, _temporary: None });
        }
        let base = std::env::temp_dir();
        let context = || format!("making a folder to build in {}, which TMPDIR chooses", base.display());
        refuse_open_parents(&base.join("hipshift")).with_context(context)?;
        let temporary = tempfile::Builder::new().prefix("hipshift-").tempdir_in(&base).with_context(context)?;
        let path = Utf8PathBuf::try_from(temporary.path().to_owned())?;
        refuse_separators(&path).with_context(context)?;
        remove_on_interrupt(&path);
        Ok(Folder { path, _temporary: Some(temporary) })
    }
}

/// What tells a folder that a run was kept in.
const MARK: &str = ".hipshift-run";

/// Marks the folder of a run that is kept. One that holds other files is somebody's, who would lose what has the name of ours.
fn mark(folder: &Utf8Path) -> anyhow::Result<()> {
    let mark = folder.join(MARK);
    if mark.is_file() {
        return Ok(());
    }
    if folder.read_dir_utf8()?.next().is_some() {
        bail!("`{folder}` holds files that no kept run of hipshift made; name an empty folder");
    }
    std::fs::write(&mark, "The files of a run of `hipshift validate`.\n").with_context(|| format!("writing {mark}"))
}

/// The library that programs load is found by a list of folders, which these characters part (`ld.so(8)`, `LD_LIBRARY_PATH`).
fn refuse_separators(folder: &Utf8Path) -> anyhow::Result<()> {
    match folder.as_str().find([':', ';']) {
        Some(_) => {
            bail!("`{folder}` has `:` or `;` in its path, so that no library is found there; choose another folder")
        }
        None => Ok(()),
    }
}

/// A folder that is kept may have come with a project, and the run, the compiler and the linker write below it by name.
fn refuse_links(folder: &Utf8Path) -> anyhow::Result<()> {
    let mut entries = WalkDir::new(folder).into_iter().filter_entry(|entry| !is_left_alone(entry));
    while let Some(entry) = entries.next().transpose().with_context(|| format!("looking through {folder}"))? {
        if entry.path_is_symlink() {
            bail!(
                "`{}` is a symbolic link, and nothing is written through links; remove it, or keep the run in another folder",
                entry.path().display()
            );
        }
    }
    Ok(())
}

/// What lies in the folder of a program's run is the program's, and the names of the runtime library are links that each run
/// replaces.
fn is_left_alone(entry: &DirEntry) -> bool {
    let parent = entry.path().parent().and_then(|parent| parent.file_name()?.to_str()).unwrap_or_default();
    entry.depth() == 2 && (parent == "runtime" || parent.starts_with("program-"))
}
