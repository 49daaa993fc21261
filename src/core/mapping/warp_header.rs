//! The header with all definitions for warps of 32 lanes.

use super::intrinsics::{IntrinsicKind, Intrinsics, WRITTEN_BY_US};

/// What the header is called unless the user names it.
pub const WARP_HEADER: &str = "hipshift_warp.h";

/// How its first line goes on behind the version.
const MARK: &str = ": CUDA's warp functions for 32 lanes.";

/// The text of the header. Its definitions are guarded one by one, not as a whole: where headers of two releases meet, each brings what the
/// other lacks. It holds all definitions, whoever uses them, so that each part of a run and each later one writes the same.
pub fn warp_header() -> String {
    let entries = Intrinsics::builtin().map(Intrinsics::entries).unwrap_or_default();
    let names = entries.iter().filter(|entry| entry.kind == IntrinsicKind::Lanes).map(|entry| &*entry.cuda);
    let definitions = Intrinsics::builtin().map(|table| table.definitions(names)).unwrap_or_default();
    format!(
        "{WRITTEN_BY_US}{version}{MARK}\n\
         //\n\
         // A warp of CUDA's has 32 lanes, a wave of an AMD GPU has 64 or 32. Each function here does for the 32 lanes that the\n\
         // calling one belongs to what CUDA's function of the same name does for a warp: `hipshift_ballot_sync` is\n\
         // `__ballot_sync`. Masks have 32 bits, as in CUDA; lanes that are not active do not count.\n\
         //\n\
         // `hipshift convert` writes this file, and `hipshift update` renews it. Each definition has a guard of its own, so that\n\
         // files that bring their own (`--helpers inline`) and such headers of other folders and releases may stand beside it.\n\
         #pragma once\n\
         \n\
         #include <hip/hip_runtime.h>\n\
         \n\
         // Compilers of the host alone know none of HIP's functions for lanes.\n\
         #if defined(__HIP__)\n\
         \n\
         {definitions}\n\
         #endif\n",
        version = env!("CARGO_PKG_VERSION"),
        definitions = definitions.replace("#endif\n#ifndef", "#endif\n\n#ifndef"),
    )
}

/// Whether a file is such a header, of whatever version.
pub fn is_warp_header(text: &[u8]) -> bool {
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.starts_with(WRITTEN_BY_US.as_bytes()) && line.ends_with(MARK.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_known_by_its_first_line() {
        assert!(is_warp_header(warp_header().as_bytes()));
        assert!(is_warp_header(b"// Written by hipshift 0.0.1: CUDA's warp functions for 32 lanes.\r\n"));
        assert!(!is_warp_header(b"// Written by hipshift 0.1.0 with `convert --emit compat-header`\n"));
        assert!(!is_warp_header(b"#pragma once\n"));
    }

    #[test]
    fn the_header_needs_no_other_table() {
        let table = Intrinsics::builtin().unwrap();
        let lanes = |name: &str| table.get(name).is_some_and(|entry| entry.kind == IntrinsicKind::Lanes);
        let entries = table.entries().iter().filter(|entry| entry.kind == IntrinsicKind::Lanes);
        for entry in entries {
            assert!(entry.needs.iter().all(|name| lanes(name)), "{}", entry.cuda);
        }
    }
}
