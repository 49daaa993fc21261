//! Which release of ROCm a program was built for, where that changes what numbers mean.

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
        Err(_) => fs::read("/proc/self/exe").is_ok_and(|program| asks_for_old_library(&program)),
    })
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
        assert!(asks_for_old_library(b"\0libamdhip64.so.5\0libc.so.6\0"));
        assert!(!asks_for_old_library(b"\0libamdhip64.so.55\0libamdhip64.so.7\0"));
    }
}
