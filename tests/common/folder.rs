//! A folder of files, and the real process run in it.

use std::collections::BTreeMap;
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
    let mut command = stateless(folder, arguments);
    command.env("XDG_STATE_HOME", state_home());
    command
}

/// A command that changes nothing; snapshots tell its environment.
pub(crate) fn stateless(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hipshift"));
    command.current_dir(folder).args(arguments).env_remove("NO_COLOR");
    command
}

/// Where journals of tests go, in place of the user's own folder.
pub(crate) fn state_home() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("state")
}

/// A file of the journal of the project at `root`.
pub(crate) fn journal(root: &Path, name: &str) -> PathBuf {
    let root = root.canonicalize().unwrap();
    state_home().join("hipshift/journals").join(digest(root.to_str().unwrap())).join(name)
}

/// The SHA-256 of a text in hexadecimal digits.
pub(crate) fn digest(text: &str) -> String {
    use std::fmt::Write as _;
    let mut digits = String::new();
    for byte in <sha2::Sha256 as sha2::Digest>::digest(text) {
        write!(digits, "{byte:02x}").unwrap();
    }
    digits
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

/// All files below `folder` with their bytes, git's own excepted.
pub(crate) fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = walkdir::WalkDir::new(folder).into_iter().filter_entry(|entry| {
        // What git and hipshift keep for themselves.
        !matches!(entry.file_name().to_str(), Some(".git" | ".hipshift"))
    });
    let files = entries.map(Result::unwrap).filter(|entry| entry.file_type().is_file());
    let inside = |path: &Path| path.strip_prefix(folder).unwrap().to_owned();
    files.map(|entry| (inside(entry.path()), std::fs::read(entry.path()).unwrap())).collect()
}

#[track_caller]
pub(crate) fn assert_same(found: &Path, expected: &Path, how: &str) {
    let (found, expected) = (tree(found), tree(expected));
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{how}");
    for (path, bytes) in &found {
        let (text, wanted) = (String::from_utf8_lossy(bytes), String::from_utf8_lossy(&expected[path]));
        assert_eq!(text, wanted, "{how}: {}", path.display());
        assert_eq!(*bytes, expected[path], "{how}: {}", path.display());
    }
}
