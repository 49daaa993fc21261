//! What projects bring along: commands of a build, decisions, baselines, manifests. All are read or refused.

use camino::Utf8Path;
use hipshift::project::{Baseline, Decisions, Home, Manifest, compile_commands};

use super::place::within;

/// The first byte chooses the kind of record.
pub fn run(bytes: &[u8]) {
    let Some((kind, text)) = bytes.split_first() else { return };
    within(|folder| {
        let Some(folder) = Utf8Path::from_path(folder) else { return };
        let name = ["compile_commands.json", ".hipshift/decisions.toml", "baseline.json", ".hipshift/manifest.json"];
        let name = name[usize::from(kind % 4)];
        let file = folder.join(name);
        std::fs::create_dir_all(folder.join(".hipshift")).expect("a folder can be made");
        std::fs::write(&file, text).expect("a file can be written");
        match kind % 4 {
            0 => drop(compile_commands(&file)),
            1 => {
                if let Ok(Some(decisions)) = Decisions::find(folder) {
                    // What is read is written so that the same is read again.
                    decisions.write().expect("decisions can be written");
                    let again = Decisions::find(folder).expect("decisions of ours are read").expect("they are there");
                    assert_eq!(again.len(), decisions.len());
                }
            }
            2 => drop(Baseline::read(&file)),
            _ => {
                let home = Home::at(folder).expect("the folder has a name");
                if let Ok(Some(manifest)) = Manifest::read(&home) {
                    let leads_out =
                        |path: &Utf8Path| path.is_absolute() || path.components().any(|part| part.as_str() == "..");
                    assert!(!manifest.files.keys().any(|path| leads_out(path.as_path())), "a result lies outside");
                }
            }
        }
        std::fs::remove_file(file).expect("it was written");
    });
}
