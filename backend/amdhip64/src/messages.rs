//! What goes to the terminal: output of kernels, faults, and why a call could not be served.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use hipshift_emulator::{Fault, HostServices, Stream};

use crate::{c_streams, held_output};

/// Writes one message, each line with the name of the tool. Nothing can be done where that fails.
pub(crate) fn warn(message: &str) {
    let mut stream = std::io::stderr().lock();
    for line in message.lines() {
        let _ = writeln!(stream, "hipshift: {line}");
    }
}

/// The variable that names the file that takes findings, one on each line, beside the terminal.
const FINDINGS: &str = "HIPSHIFT_FINDINGS";

/// How many defects were told.
static FOUND: AtomicUsize = AtomicUsize::new(0);

/// How many defects of the program were told.
pub(crate) fn findings() -> usize {
    FOUND.load(Ordering::Relaxed)
}

/// Whether a variable asks for something.
pub(crate) fn is_wanted(variable: &str) -> bool {
    env::var(variable).is_ok_and(|value| !value.is_empty() && value != "0")
}

/// The number in a variable, if there is one.
pub(crate) fn number(variable: &str) -> Option<i32> {
    env::var(variable).ok()?.parse().ok()
}

/// What begins the lines about libraries: `hipshift validate` knows them by it.
const LIBRARY_NOTE: &str = "note: in a library, ";

/// Tells of a defect of the program.
pub(crate) fn found(message: &str) {
    FOUND.fetch_add(1, Ordering::Relaxed);
    note(message);
}

/// Writes a message to the terminal and to the file of findings.
fn note(message: &str) {
    warn(message);
    let Some(path) = env::var_os(FINDINGS) else { return };
    let written = OpenOptions::new().create(true).append(true).open(&path);
    let written = written.and_then(|mut file| writeln!(file, "{}", message.replace('\n', " ")));
    if let Err(error) = written {
        warn(&format!("{}: {error}", path.to_string_lossy()));
    }
}

/// Ends the process with code 2, as `hipshift` does where it is called in a wrong way: going on would be something else than
/// what was asked for. What the program printed until then is not lost.
pub(crate) fn refuse(message: &str) -> ! {
    warn(message);
    // SAFETY: null stands for all streams of C.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    // SAFETY: ends the process; nothing of this library or of the program runs afterwards.
    unsafe { libc::_exit(2) }
}

/// Ends the process as `abort` does. What the program printed until then is not lost.
pub(crate) fn end_process() -> ! {
    held_output::release();
    c_streams::flush();
    std::process::abort()
}

/// Output of kernels goes where that of the program goes.
pub(crate) struct CStreams;

impl HostServices for CStreams {
    fn print(&self, stream: Stream, text: &[u8]) {
        held_output::print(stream, text);
    }

    fn report(&self, finding: &Fault, is_of_library: bool) {
        if is_of_library {
            // No defect of the program.
            note(&format!("{LIBRARY_NOTE}{finding}"));
        } else {
            found(&finding.to_string());
        }
    }
}
