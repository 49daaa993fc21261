//! Where the compiler looks for included files.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::json;

use crate::regular_file::write_anew;

/// Where included files are looked for, beside the options of each file.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Folders before those of the files.
    pub folders: Vec<Utf8PathBuf>,
    /// Folders after all others.
    pub last: Vec<Utf8PathBuf>,
    /// A file that names others which are read in place of those that are found, as [`write_overlay`] writes it. nvcc takes none.
    pub overlay: Option<Utf8PathBuf>,
}

/// Writes a file that has clang read the second file of each pair where it finds the first (Clang, option `-ivfsoverlay`): absolute
/// paths without links.
pub fn write_overlay(path: &Utf8Path, pairs: &[(Utf8PathBuf, Utf8PathBuf)]) -> io::Result<()> {
    let roots = pairs.iter().map(|(found, read)| json!({ "name": found, "type": "file", "external-contents": read }));
    let text = json!({ "version": 0, "case-sensitive": "true", "roots": roots.collect::<Vec<_>>() });
    write_anew(path.as_std_path(), text.to_string().as_bytes())
}
