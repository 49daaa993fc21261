//! The streams of C, which the program prints to.

use std::io::Write as _;

use hipshift_emulator::Stream;

unsafe extern "C" {
    /// The standard output of C, which holds back what the program has printed so far.
    static stdout: *mut libc::FILE;
}

/// Writes to where output of the program goes.
pub(crate) fn write(stream: Stream, text: &[u8]) {
    match stream {
        // SAFETY: the stream is open as long as the program runs, and the text is of that length.
        Stream::Output => unsafe {
            libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout);
        },
        // As with `fprintf`, nobody is told of a closed stream.
        Stream::Error => drop(std::io::stderr().lock().write_all(text)),
    }
}

/// Writes what the standard output holds back.
pub(crate) fn flush() {
    // SAFETY: the stream is open as long as the program runs.
    unsafe { libc::fflush(stdout) };
}
