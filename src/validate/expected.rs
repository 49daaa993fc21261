//! What programs should print: the text that a run names, or the one that was recorded beside a program.

use std::borrow::Cow;
use std::io;

use camino::Utf8Path;

use super::compare::Tolerance;
use crate::regular_file::read_regular;

/// Where the output of a program on an NVIDIA GPU is looked for, from the folder of its file with `main`.
pub(super) const RECORDED: &str = "expected/cuda.txt";

/// No program prints more for a person to compare.
const LONGEST_TEXT: u64 = 256 << 20;

/// What programs should print, and what counts as the same.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    /// The text for all programs of the run. Without one, each has its own in `expected/cuda.txt` beside its file with
    /// `main`; without that, it only has to end with code 0.
    pub output: Option<String>,
    /// What counts as equal.
    pub tolerance: Tolerance,
}

impl Expected {
    /// What the program whose `main` is in this file should print, if anything says so.
    ///
    /// Fails if there is a recorded output that cannot be read, or a link to a file outside of the program's folder: what
    /// differs is shown, and nobody who hands a project over should see other files so.
    pub fn for_program(&self, main: &Utf8Path) -> io::Result<Option<Cow<'_, str>>> {
        if let Some(output) = &self.output {
            return Ok(Some(Cow::Borrowed(output)));
        }
        let path = main.with_file_name(RECORDED);
        let text = stays_in(&path, main.parent()).and_then(|()| read_regular(path.as_std_path(), LONGEST_TEXT));
        match text.and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other)) {
            Ok(text) => Ok(Some(Cow::Owned(text))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io::Error::new(error.kind(), format!("reading {path}: {error}"))),
        }
    }
}

/// Fails if a path leads out of the folder through links, or nowhere.
fn stays_in(path: &Utf8Path, folder: Option<&Utf8Path>) -> io::Result<()> {
    let folder = folder.filter(|folder| *folder != "").unwrap_or(Utf8Path::new("."));
    let real = path.canonicalize()?;
    if real.starts_with(folder.canonicalize()?) {
        return Ok(());
    }
    Err(io::Error::other(format!("it leads to {}, outside of the program's folder", real.display())))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_lies_beside_a_program_is_expected_unless_the_run_names_a_text() {
        let folder = tempfile::tempdir().unwrap();
        let main = Utf8Path::from_path(folder.path()).unwrap().join("main.cu");
        let nothing = Expected::default();
        assert_eq!(nothing.for_program(&main).unwrap(), None);
        fs::create_dir(folder.path().join("expected")).unwrap();
        fs::write(folder.path().join("expected/cuda.txt"), "PASS\n").unwrap();
        assert_eq!(nothing.for_program(&main).unwrap().as_deref(), Some("PASS\n"));
        let named = Expected { output: Some("42\n".to_owned()), ..Expected::default() };
        assert_eq!(named.for_program(&main).unwrap().as_deref(), Some("42\n"));
        fs::write(folder.path().join("expected/cuda.txt"), [0xff]).unwrap();
        assert!(nothing.for_program(&main).is_err());
    }

    #[test]
    fn a_recorded_output_is_no_way_to_other_files() {
        let folder = tempfile::tempdir().unwrap();
        let own = Utf8Path::from_path(folder.path()).unwrap().join("program");
        let main = own.join("main.cu");
        fs::create_dir_all(own.join("data")).unwrap();
        fs::write(folder.path().join("secret"), "secret\n").unwrap();
        std::os::unix::fs::symlink("../../secret", own.join("data/cuda.txt")).unwrap();
        std::os::unix::fs::symlink("data", own.join("expected")).unwrap();
        let refused = Expected::default().for_program(&main).unwrap_err().to_string();
        assert!(refused.contains("outside of the program's folder"), "{refused}");
        fs::remove_file(own.join("data/cuda.txt")).unwrap();
        fs::write(own.join("data/cuda.txt"), "PASS\n").unwrap();
        assert_eq!(Expected::default().for_program(&main).unwrap().as_deref(), Some("PASS\n"));
    }
}
