//! Which code is that of AMD's own libraries, written for GPUs of AMD alone.

use std::env;
use std::ffi::c_int;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::abi::Address;

/// The variable that names the folders that the libraries lie in, with colons between them; `hipshift` sets it.
const VARIABLE: &str = "HIPSHIFT_LIBRARIES";

/// The folders as the system names them in its list of mappings: without links.
static FOLDERS: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let named = env::var_os(VARIABLE).unwrap_or_default();
    env::split_paths(&named).filter_map(|folder| fs::canonicalize(folder).ok()).collect()
});

/// Whether an address lies in a file of one of these folders.
pub(crate) fn is_in_library(address: Address) -> bool {
    !FOLDERS.is_empty() && fs::read_to_string("/proc/self/maps").is_ok_and(|maps| is_in(&maps, address.get(), &FOLDERS))
}

/// Frames of this library that lie between a call and who makes it, at most.
const FRAMES: u8 = 64;

/// Whether one of these libraries makes the call that is under way: code that it has compiled is its own.
pub(crate) fn is_caller() -> bool {
    if FOLDERS.is_empty() {
        return false;
    }
    let mut frames = [std::ptr::null_mut(); FRAMES as usize];
    // SAFETY: writes so many addresses at most.
    let count = unsafe { libc::backtrace(frames.as_mut_ptr(), c_int::from(FRAMES)) };
    let frames = frames.into_iter().take(usize::try_from(count).unwrap_or(0)).map(|frame| frame.addr() as u64);
    let Ok(maps) = fs::read_to_string("/proc/self/maps") else { return false };
    let own = file_at(&maps, is_caller as fn() -> bool as usize as u64);
    let caller = frames.filter_map(|frame| file_at(&maps, frame)).find(|file| Some(*file) != own);
    caller.is_some_and(|file| FOLDERS.iter().any(|folder| file.starts_with(folder)))
}

/// The same by lines such as `7f00-7f80 r--p 00000000 fe:00 1234   /folder/library.so`.
fn is_in(maps: &str, address: u64, folders: &[PathBuf]) -> bool {
    file_at(maps, address).is_some_and(|file| folders.iter().any(|folder| file.starts_with(folder)))
}

/// The file that is mapped where an address is.
fn file_at(maps: &str, address: u64) -> Option<&Path> {
    let holds = |line: &&str| {
        let range = line.split_once(' ').and_then(|(range, _)| range.split_once('-'));
        let ends = range.map(|(from, to)| (u64::from_str_radix(from, 16), u64::from_str_radix(to, 16)));
        matches!(ends, Some((Ok(from), Ok(to))) if (from..to).contains(&address))
    };
    maps.lines().find(holds).and_then(|line| Some(Path::new(&line[line.find('/')?..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_the_addresses_that_they_are_at() {
        let maps = "1000-2000 r--p 00000000 fe:00 7    /libraries/a b/one.so\n2000-3000 r--p 00000000 fe:00 8  /own/two.so\n\
                    3000-4000 rw-p 00000000 00:00 0\n";
        let folders = [PathBuf::from("/libraries/a b")];
        let found = [0xfff, 0x1000, 0x1fff, 0x2000, 0x3000, 0x4000].map(|at| is_in(maps, at, &folders));
        assert_eq!(found, [false, true, true, false, false, false]);
        assert!(!is_in(maps, 0x1000, &["/libraries/a".into()]));
    }

    #[test]
    fn without_the_variable_no_code_is_that_of_libraries() {
        assert!(!is_in_library(Address::new(std::ptr::from_ref(VARIABLE.as_bytes()).addr() as u64)));
    }
}
