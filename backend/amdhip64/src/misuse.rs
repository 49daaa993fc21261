//! Misuse of the API by the program: told beside the status that a call returns, which programs often do not look at.

use hipshift_emulator::Checks;
use hipshift_emulator::memory::Kind;

use crate::error::{self, Error};
use crate::messages::{findings, found, is_wanted, number, warn};
use crate::runtime::gpu;

/// Tells of a call that makes no sense, unless checks are off.
pub(crate) fn misuse(message: &str) {
    if gpu().checks > Checks::None {
        found(message);
    }
}

/// The variable that has each call told that ends with an error.
const API_ERRORS: &str = "HIPSHIFT_API_ERRORS";
/// The variable that makes findings of memory that was never freed.
const LEAKS: &str = "HIPSHIFT_LEAKS";
/// The variable with the exit code of programs in which something was found.
const EXIT_CODE: &str = "HIPSHIFT_ERROR_EXITCODE";

/// Tells of a call that ended with an error, if that is wanted.
pub(crate) fn failed(name: &str, error: Error) {
    if is_wanted(API_ERRORS) {
        let (code, text) = (error::name(error as i32).to_string_lossy(), error::description(error as i32));
        found(&format!("{name} returned {code}: {}", text.to_string_lossy()));
    }
}

/// At the end of the process, after all that the program itself does: what was never freed, and the exit code.
extern "C" fn at_exit() {
    if crate::runtime::made().is_some() {
        crate::schedule::wait_at_end();
        crate::held_output::release();
    }
    leaks();
    if let Some(code) = number(EXIT_CODE)
        && findings() > 0
    {
        // SAFETY: null stands for all streams of C, whose content the end of the process would have written.
        unsafe { libc::fflush(std::ptr::null_mut()) };
        // SAFETY: ends the process; nothing of this library runs afterwards.
        unsafe { libc::_exit(code) };
    }
}

/// What was allocated and never freed. On the highest level of checks a note, as the end of the process frees it.
fn leaks() {
    let Some(gpu) = crate::runtime::made() else { return };
    let is_finding = is_wanted(LEAKS);
    if !is_finding && gpu.checks < Checks::All {
        return;
    }
    for (kind, name) in [(Kind::Device, "device"), (Kind::Managed, "managed"), (Kind::Host, "host")] {
        let (count, bytes) = gpu.device.memory().usage(kind);
        let message = format!("{count} allocations of {name} memory were never freed, {bytes} bytes");
        match count {
            0 => {}
            _ if is_finding => found(&message),
            _ => warn(&format!("note: {message}")),
        }
    }
}

/// Functions that the loader calls after all that the program itself does at its end.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = at_exit;
