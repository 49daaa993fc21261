//! The end of the program: what is waited for, and told of.

use hipshift_emulator::Checks;
use hipshift_emulator::memory::Kind;

use crate::event::EVENTS;
use crate::held_output;
use crate::messages::{findings, found, is_wanted, number, warn};
use crate::runtime;
use crate::schedule;
use crate::stream::STREAMS;

/// The variable that makes findings of memory that was never freed.
const LEAKS: &str = "HIPSHIFT_LEAKS";
/// The variable with the exit code of programs in which something was found.
const EXIT_CODE: &str = "HIPSHIFT_ERROR_EXITCODE";

/// At the end of the process, after all that the program itself does: what was never freed, and the exit code.
extern "C" fn at_exit() {
    if runtime::made().is_some() {
        schedule::wait_at_end();
        held_output::release();
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

/// What was allocated and never freed, made and never destroyed. On the highest level of checks a note, as the end of the process frees it.
fn leaks() {
    let Some(gpu) = runtime::made() else { return };
    let is_finding = is_wanted(LEAKS);
    if !is_finding && gpu.checks < Checks::All {
        return;
    }
    let tell = |count, message: &str| match count {
        0 => {}
        _ if is_finding => found(message),
        _ => warn(&format!("note: {message}")),
    };
    for (kind, name) in [(Kind::Device, "device"), (Kind::Managed, "managed"), (Kind::Host, "host")] {
        let (count, bytes) = gpu.device.memory().usage(kind);
        tell(count, &format!("{count} allocations of {name} memory were never freed, {bytes} bytes"));
    }
    for (count, name) in [(STREAMS.count(), "streams"), (EVENTS.count(), "events")] {
        tell(count, &format!("{count} {name} were never destroyed"));
    }
}

/// Functions that the loader calls after all that the program itself does at its end.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = at_exit;
