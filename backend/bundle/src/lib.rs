//! The emulator's library as bytes in the program: `cargo install` and Python's wheels take programs, and leave libraries behind.
//!
//! Builds without optimisation do without it, as the library lies beside them; `build.rs` tells both apart.
#![forbid(unsafe_code)]

/// The emulator's library, to the byte, with what tells it from other builds; nothing if this build does without.
#[cfg(bundled)]
pub const EMULATOR: Option<(&[u8], &str)> =
    Some((include_bytes!(concat!(env!("OUT_DIR"), "/libamdhip64.so")), env!("HIPSHIFT_BUNDLE_DIGEST")));

/// The emulator's library, to the byte, with what tells it from other builds; nothing if this build does without.
#[cfg(not(bundled))]
pub const EMULATOR: Option<(&[u8], &str)> = None;
