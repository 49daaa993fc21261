//! A folder of files, and the real process run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder that goes when the test ends.
pub(crate) struct Folder(pub(crate) tempfile::TempDir);

impl Folder {
    pub(crate) fn new(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (path, text) in files {
            folder.write(path, text.as_bytes());
        }
        folder
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, bytes: &[u8]) {
        std::fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        std::fs::write(self.path(path), bytes).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        String::from_utf8_lossy(&std::fs::read(self.path(path)).unwrap()).into_owned()
    }

    /// All files, those left out that hipshift keeps for itself.
    pub(crate) fn names(&self, path: &str) -> Vec<String> {
        let root = self.path(path);
        let is_own = |entry: &walkdir::DirEntry| entry.file_name() != ".hipshift";
        let files = walkdir::WalkDir::new(&root).sort_by_file_name().into_iter().filter_entry(is_own).flatten();
        let files = files.filter(|entry| entry.file_type().is_file());
        files.map(|entry| entry.path().strip_prefix(&root).unwrap().display().to_string()).collect()
    }
}

pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    command.current_dir(folder).args(arguments).env_remove("NO_COLOR");
    command
}

pub(crate) fn hipshift(folder: &Folder, arguments: &[&str]) -> Output {
    command(folder.0.path(), arguments).output().unwrap()
}

#[track_caller]
pub(crate) fn check(folder: &Folder, arguments: &[&str], code: i32, message: &str) {
    let output = hipshift(folder, arguments);
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(text.contains(message), "no `{message}` in: {text}");
}

/// Runs git in a folder.
pub(crate) fn git(folder: &Folder, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]);
    assert!(command.args(arguments).current_dir(folder.0.path()).status().unwrap().success());
}

/// Commits all that is there.
pub(crate) fn commit(folder: &Folder) {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "-q", "-m", "state"]);
}
