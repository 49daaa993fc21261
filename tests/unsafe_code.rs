//! Where code is that the compiler does not vouch for, and how much: in the library that programs load, and where the emulator
//! touches their memory. Whoever adds some writes it down here.

use crate::common;

use std::fs;

/// Files with the number of their unsafe blocks, functions, implementations and attributes, and what these are for.
const KNOWN: &[(&str, usize, &str)] = &[
    ("backend/amdhip64/src/abi.rs", 6, "pointers of a program that calls as HIP says"),
    ("backend/amdhip64/src/awaited.rs", 2, "values that a stream waits for"),
    ("backend/amdhip64/src/c_streams.rs", 3, "C streams of the program"),
    ("backend/amdhip64/src/call.rs", 3, "functions that programs find by name, and where results are written"),
    ("backend/amdhip64/src/children.rs", 12, "functions of C that start programs, with the texts that they take"),
    ("backend/amdhip64/src/device.rs", 1, "a structure of the program is filled"),
    ("backend/amdhip64/src/launch.rs", 1, "arguments of a kernel are read where the program put them"),
    ("backend/amdhip64/src/loaded.rs", 4, "an image in the memory of the program"),
    ("backend/amdhip64/src/markers.rs", 7, "functions that programs find by name"),
    ("backend/amdhip64/src/messages.rs", 2, "the end of the program"),
    ("backend/amdhip64/src/names.rs", 4, "this library, and functions of it by their names"),
    ("backend/amdhip64/src/operation.rs", 1, "values that a stream writes"),
    ("backend/amdhip64/src/own_libraries.rs", 1, "the frames of a call"),
    ("backend/amdhip64/src/program_end.rs", 3, "what is told when a program ends, and how it ends"),
    ("backend/amdhip64/src/region.rs", 2, "copies and fills"),
    ("backend/amdhip64/src/registry.rs", 3, "what a program registers before `main`"),
    ("backend/amdhip64/src/rtc.rs", 4, "texts and sizes of a program"),
    ("backend/amdhip64/src/texture.rs", 1, "descriptions of textures"),
    ("backend/amdhip64/src/unsupported.rs", 1, "functions that programs find by name"),
    ("backend/emulator/src/memory/access.rs", 10, "memory of kernels, checked against its blocks"),
    ("backend/emulator/src/memory/block.rs", 2, "the memory itself"),
];

/// Crates that have none, and say so themselves.
const SAFE: &[&str] = &["src/main.rs", "src/lib.rs", "src/core/lib.rs", "src/validate/lib.rs", "xtask/src/main.rs"];

/// How often `unsafe` stands in code: not in comments, nor in texts and names.
fn count(text: &str) -> usize {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let ways = ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern", "unsafe trait", "unsafe("];
    code.map(|line| ways.iter().map(|way| line.matches(way).count()).sum::<usize>()).sum()
}

#[test]
fn unsafe_code_is_where_it_is_known_to_be() {
    let mut found = Vec::new();
    for path in ["src", "backend", "xtask"].iter().flat_map(|folder| common::files_below(folder, &["rs"])) {
        let shown = common::shown(&path);
        let number = count(&fs::read_to_string(&path).unwrap());
        if number > 0 && !shown.contains("/tests/") {
            found.push((shown, number));
        }
    }
    let known: Vec<(String, usize)> = KNOWN.iter().map(|(path, number, _)| ((*path).to_owned(), *number)).collect();
    assert_eq!(found, known, "`tests/unsafe_code.rs` says what is unsafe and why");
}

#[test]
fn all_other_crates_forbid_it() {
    for path in SAFE {
        let text = fs::read_to_string(common::root().join(path)).unwrap();
        assert!(text.contains("#![forbid(unsafe_code)]"), "{path}");
    }
}
