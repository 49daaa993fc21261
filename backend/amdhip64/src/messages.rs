//! What the library says on the error stream: faults of kernels, and why a call could not be served.

use std::io::Write as _;

/// Writes one message, each line with the name of the tool. Nothing can be done where that fails.
pub(crate) fn warn(message: &str) {
    let mut stream = std::io::stderr().lock();
    for line in message.lines() {
        let _ = writeln!(stream, "hipshift: {line}");
    }
}
