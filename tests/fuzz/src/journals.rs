//! Journals of runs: whatever one says, nothing outside of the project changes when a run is taken back or finished.

use std::fs;
use std::path::Path;

use camino::Utf8Path;
use hipshift::project::{Doors, Home, Staging, UndoOptions, undo};
use sha2::{Digest as _, Sha256};

use super::place::within;

const MINE: &str = "mine\n";
/// In a journal, these stand for the folder of the target and for the digest of a file.
const FOLDER: &str = "@FOLDER@";
const DIGEST: &str = "@DIGEST@";

/// The first byte chooses the run and what is done with it; the record follows, and behind a zero the notes.
pub fn run(bytes: &[u8]) {
    let Some((choice, text)) = bytes.split_first() else { return };
    within(|folder| {
        let (project, outside) = (folder.join("project"), folder.join("outside"));
        for place in [&project, &outside] {
            fs::create_dir_all(place).expect("a folder can be made");
            fs::write(place.join("mine"), MINE).expect("a file can be written");
        }
        let run = if choice & 1 == 0 { "next" } else { "last" };
        let journal = journals(folder).join(digest(project.as_os_str().as_encoded_bytes()));
        let _ = fs::remove_dir_all(&journal);
        fs::create_dir_all(journal.join(run).join("old")).expect("a folder can be made");
        let text = String::from_utf8_lossy(text).replace(FOLDER, &folder.display().to_string());
        let text = text.replace(DIGEST, &digest(MINE.as_bytes()));
        let (record, notes) = text.split_once('\0').unwrap_or((&text, ""));
        fs::write(journal.join(run).join("record.json"), record).expect("a file can be written");
        fs::write(journal.join(run).join("notes"), notes).expect("a file can be written");
        fs::write(journal.join(run).join("old/0"), MINE).expect("a file can be written");
        let Some(home) = Utf8Path::from_path(&project).and_then(|project| Home::at(project).ok()) else { return };
        if choice & 2 == 0 {
            let _ = undo(&home, UndoOptions { force: choice & 4 == 0, dry_run: choice & 8 != 0 });
        } else {
            let _ = Staging::journaled(home, Doors::named([Utf8Path::from_path(&project).expect("UTF-8")]), "convert");
        }
        let left: Vec<_> =
            fs::read_dir(&outside).expect("it is there").flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(left, ["mine"], "something was made or removed outside");
        assert_eq!(
            fs::read(outside.join("mine")).expect("it is there"),
            MINE.as_bytes(),
            "something was changed outside"
        );
        fs::remove_dir_all(project).expect("it was made");
    });
}

/// Where journals are, in a state folder of this process.
fn journals(folder: &Path) -> std::path::PathBuf {
    let state = std::env::var_os("XDG_STATE_HOME").expect("whoever starts this sets XDG_STATE_HOME");
    assert!(!Path::new(&state).starts_with(folder));
    Path::new(&state).join("hipshift/journals")
}

fn digest(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
