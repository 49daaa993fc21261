//! Misuse of the API by the program: told beside the status that a call returns, which programs often do not look at.

use hipshift_emulator::Checks;
use hipshift_emulator::memory::Kind;

use crate::messages::{found, warn};
use crate::runtime::gpu;

/// Tells of a call that makes no sense, unless checks are off.
pub(crate) fn misuse(message: &str) {
    if gpu().checks > Checks::None {
        found(message);
    }
}

/// At the end of the process: what was allocated and never freed. A note, as the end of the process frees it.
extern "C" fn leaks() {
    let Some(gpu) = crate::runtime::made() else { return };
    if gpu.checks < Checks::All {
        return;
    }
    for (kind, name) in [(Kind::Device, "device"), (Kind::Managed, "managed"), (Kind::Host, "host")] {
        let (count, bytes) = gpu.device.memory().usage(kind);
        if count > 0 {
            warn(&format!("note: {count} allocations of {name} memory were never freed, {bytes} bytes"));
        }
    }
}

/// Functions that the loader calls after all that the program itself does at its end.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = leaks;
