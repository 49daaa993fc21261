//! Which release of ROCm a program was built for, where that changes what numbers mean.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::{env, fs};

/// The version of the headers that the program was compiled with, as `validate` sets it: `5.7.31921`.
const VARIABLE: &str = "HIPSHIFT_ROCM";

/// The library that programs for ROCm 5 ask for.
const OLD_LIBRARY: &[u8] = b"libamdhip64.so.5\0";

/// Whether the program was built for ROCm 5 or older.
pub(crate) fn is_before_6() -> bool {
    static BEFORE_6: OnceLock<bool> = OnceLock::new();
    *BEFORE_6.get_or_init(|| match env::var(VARIABLE) {
        Ok(release) => is_old(&release),
        Err(_) => fs::read(program()).is_ok_and(|program| asks_for_old_library(&program)),
    })
}

/// The file of the program. Where a loader was started with it, as `hipshift run` does for AMD's libraries
/// (`ld-linux-x86-64.so.2 --library-path FOLDERS PROGRAM`), that is not the file of the process.
fn program() -> PathBuf {
    let process = fs::read_link("/proc/self/exe").unwrap_or_default();
    let is_loader = process.file_name().is_some_and(|name| name.as_bytes().starts_with(b"ld-linux"));
    let line = if is_loader { fs::read("/proc/self/cmdline").unwrap_or_default() } else { Vec::new() };
    let named = started_by_loader(&line).map(|program| PathBuf::from(OsStr::from_bytes(program)));
    named.unwrap_or_else(|| "/proc/self/exe".into())
}

/// The program in a command line of a loader, whose words end with zeros.
fn started_by_loader(line: &[u8]) -> Option<&[u8]> {
    let mut words = line.split(|byte| *byte == 0).skip(1);
    (words.next()? == b"--library-path").then(|| words.nth(1))?
}

fn is_old(release: &str) -> bool {
    release.split('.').next().and_then(|major| major.parse().ok()).is_some_and(|major: u32| major < 6)
}

fn asks_for_old_library(program: &[u8]) -> bool {
    program.windows(OLD_LIBRARY.len()).any(|part| part == OLD_LIBRARY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_told_apart() {
        assert!(is_old("5.7"));
        assert!(!is_old("6.0") && !is_old("10.1") && !is_old(""));
        assert_eq!(started_by_loader(b"/l/ld-linux-x86-64.so.2\0--library-path\0/a:/b\0./p\0x\0"), Some(&b"./p"[..]));
        assert_eq!(started_by_loader(b"./p\0x\0y\0z\0"), None);
        assert!(asks_for_old_library(b"\0libamdhip64.so.5\0libc.so.6\0"));
        assert!(!asks_for_old_library(b"\0libamdhip64.so.55\0libamdhip64.so.7\0"));
    }
}
