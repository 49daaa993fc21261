//! Where output goes.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::settings::ExtensionStyle;

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// Each file where it is.
    InPlace,
    /// One input file to this file.
    File(Utf8PathBuf),
    /// All files below this directory, which mirrors the input.
    Directory(Utf8PathBuf),
}

/// Output that cannot be placed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// Two inputs have one output.
    #[error("`{first}` and `{second}` would both be written to `{output}`")]
    Collision {
        /// One input.
        first: Utf8PathBuf,
        /// The other.
        second: Utf8PathBuf,
        /// Their output.
        output: Utf8PathBuf,
    },
    /// The output directory lies within an input that is walked.
    #[error("the output directory `{0}` is the input itself; use `--in-place` to change files where they are")]
    OutputIsInput(Utf8PathBuf),
}

/// The output path of each `(root, file)`; the files lie below their root or are it.
pub fn place(
    files: &[(Utf8PathBuf, Utf8PathBuf)],
    destination: &Destination,
    extension: ExtensionStyle,
) -> Result<Vec<Utf8PathBuf>, LayoutError> {
    let mut outputs: FxHashMap<Utf8PathBuf, &Utf8Path> = FxHashMap::default();
    let mut inputs = Inputs { files, real: None };
    let mut placed = Vec::with_capacity(files.len());
    for (root, file) in files {
        let output = output_of(root, file, destination, extension);
        if *destination != Destination::InPlace && (output == *file || inputs.hold(&output)) {
            return Err(LayoutError::OutputIsInput(file.clone()));
        }
        if let Some(first) = outputs.insert(output.clone(), file) {
            return Err(LayoutError::Collision { first: first.to_owned(), second: file.clone(), output });
        }
        placed.push(output);
    }
    Ok(placed)
}

/// The inputs by their places, which are looked for once there is an output that one may be.
struct Inputs<'f> {
    files: &'f [(Utf8PathBuf, Utf8PathBuf)],
    real: Option<FxHashSet<Utf8PathBuf>>,
}

impl Inputs<'_> {
    /// Whether an input lies at `output`, by whatever name: `../project/x.cu`, or a folder that a link leads to.
    fn hold(&mut self, output: &Utf8Path) -> bool {
        let Ok(output) = output.canonicalize_utf8() else { return false };
        let real = || self.files.iter().filter_map(|(_, file)| file.canonicalize_utf8().ok()).collect();
        self.real.get_or_insert_with(real).contains(&output)
    }
}

fn output_of(root: &Utf8Path, file: &Utf8Path, destination: &Destination, extension: ExtensionStyle) -> Utf8PathBuf {
    let renamed = |path: &Utf8Path| match path.file_name().and_then(|name| extension.rename(name)) {
        Some(name) => path.with_file_name(name),
        None => path.to_owned(),
    };
    match destination {
        Destination::InPlace => renamed(file),
        Destination::File(output) => output.clone(),
        Destination::Directory(directory) => {
            let relative = file.strip_prefix(root).ok().filter(|relative| !relative.as_str().is_empty());
            let name = || Utf8Path::new(file.file_name().unwrap_or("output"));
            renamed(&directory.join(relative.unwrap_or_else(name)))
        }
    }
}
