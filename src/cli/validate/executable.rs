//! What `hipshift run` starts: the file that a name stands for, if it is a program.

use std::ffi::OsStr;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};

use crate::regular_file::open_regular;
use crate::toolchain::find_program;

/// The file of a program: a path, or what has that name in a folder of `PATH`, as for a shell. A name that the present folder has,
/// too, is refused: whoever typed it may have meant that one.
pub(super) fn executable(program: &OsStr) -> anyhow::Result<PathBuf> {
    let path = find(program)?;
    check(&path).with_context(|| format!("`{}` is no program", path.display()))?;
    Ok(path)
}

fn find(program: &OsStr) -> anyhow::Result<PathBuf> {
    let here = Path::new(program);
    if program.as_encoded_bytes().contains(&b'/') {
        return Ok(here.to_owned());
    }
    let name = program.display();
    let found = program.to_str().and_then(find_program);
    // Options of `run` stand before it, so that such a name was no path by mistake.
    let is_here = !program.is_empty() && here.symlink_metadata().is_ok();
    match found {
        Some(path) if is_here => {
            bail!("`{name}` is in this folder and on PATH; write `./{name}` or `{}`", path.display())
        }
        Some(path) => Ok(path),
        None if is_here => bail!("`{name}` is not on PATH; `./{name}` is the one of this folder"),
        None => bail!("`{name}` is not on PATH"),
    }
}

/// The longest head that is looked at: room for 65,535 segments of 56 bytes each.
const LONGEST_TABLE: u64 = 65_535 * SEGMENT as u64;

/// Bytes of the head of a file and of a segment's description in ELF with 64 bits. Source: System V ABI, "Object Files".
const HEAD: usize = 64;
const SEGMENT: usize = 56;

/// The kind of a segment that is loaded.
const LOADED: u64 = 1;

/// Fails if the system cannot start a file, or would hand it to the shell: something else than a file, one without the beginning of a
/// program, or with a part of it only.
fn check(path: &Path) -> anyhow::Result<()> {
    let mut file = open_regular(path, u64::MAX)?;
    let length = file.metadata()?.len();
    ensure!(length > 0, "it is empty");
    let mut head = Vec::new();
    file.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
    if head.starts_with(b"#!") {
        return Ok(());
    }
    ensure!(head.starts_with(b"\x7fELF"), "it is neither in the format ELF nor a script that begins with `#!`");
    // The fifth byte tells the class, the sixth the order of bytes; others than those of this machine are the system's business.
    if head.get(4..6).is_some_and(|kind| kind != [2, 1]) {
        return Ok(());
    }
    let truncated = "a part of it is missing";
    ensure!(head.len() == HEAD, truncated);
    let (start, count) = (number(&head, 32, 8), number(&head, 56, 2));
    let end = start.checked_add(count * SEGMENT as u64).filter(|end| *end <= length).context(truncated)?;
    let table = read_part(&mut file, start, (end - start).min(LONGEST_TABLE))?;
    let loaded = || table.chunks_exact(SEGMENT).filter(|segment| number(segment, 0, 4) == LOADED);
    ensure!(loaded().next().is_some(), "nothing of it is loaded, as of an object file");
    for segment in loaded() {
        let end = number(segment, 8, 8).checked_add(number(segment, 32, 8));
        ensure!(end.is_some_and(|end| end <= length), truncated);
    }
    Ok(())
}

fn read_part(file: &mut std::fs::File, start: u64, bytes: u64) -> io::Result<Vec<u8>> {
    let mut part = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(bytes).read_to_end(&mut part)?;
    Ok(part)
}

/// The number of up to eight bytes at a place, the lowest first; zero behind the end.
fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    let bytes = bytes.get(at..at + size).unwrap_or_default();
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(bytes: &[u8], why: &str) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app");
        std::fs::write(&path, bytes).unwrap();
        let error = executable(path.as_os_str()).unwrap_err();
        assert!(format!("{error:#}").ends_with(why), "{error:#}");
        assert!(error.to_string().ends_with("app` is no program"), "{error}");
    }

    #[test]
    fn files_that_the_system_cannot_start_are_refused() {
        refused(b"", "it is empty");
        refused(b"int main() {}\n", "begins with `#!`");
        let own = std::env::current_exe().unwrap();
        assert_eq!(executable(own.as_os_str()).unwrap(), own);
        let whole = read_part(&mut std::fs::File::open(&own).unwrap(), 0, 4096).unwrap();
        for length in [5, 63, 64, 100, 4096] {
            refused(&whole[..length], "a part of it is missing");
        }
    }
}
