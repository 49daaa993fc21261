//! Standard output and standard error. Findings go to the first, everything else to the second.

use std::io::{self, Write};

use super::args::ColorWord;
use crate::report::{Visible, message as visible_message};

/// Sets when colour is used.
pub(super) fn set_color(when: ColorWord) {
    match when {
        ColorWord::Auto => anstream::ColorChoice::Auto,
        ColorWord::Always => anstream::ColorChoice::Always,
        ColorWord::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Standard output, buffered, for programs: all that is written is part of what they read.
pub(super) fn stdout() -> impl Write {
    io::BufWriter::new(io::stdout().lock())
}

/// Standard output, buffered; colour is dropped where it is not wanted.
fn coloured_stdout() -> impl Write {
    io::BufWriter::new(anstream::stdout().lock())
}

/// Standard output for people: what a terminal would hide is shown.
pub(super) fn screen() -> impl Write {
    Visible::new(coloured_stdout())
}

/// Standard output for people, with the styles of findings and differences.
pub(super) fn styled_screen() -> impl Write {
    Visible::styled(coloured_stdout())
}

/// Standard output for findings or differences, for people or for programs.
pub(super) fn styled_stdout_for(people: bool) -> Box<dyn Write> {
    if people { Box::new(styled_screen()) } else { Box::new(stdout()) }
}

/// Standard output for people or for programs.
pub(super) fn stdout_for(people: bool) -> Box<dyn Write> {
    if people { Box::new(screen()) } else { Box::new(stdout()) }
}

/// Standard error.
pub(super) fn stderr() -> impl Write {
    anstream::stderr().lock()
}

/// A longer line of a message names or quotes what no person wrote.
const LONGEST_LINE: usize = 1000;

/// A message as people are shown it: of a line that fills the screen, the begin and the end.
fn shown(message: &str) -> String {
    let cut = |line: &str| {
        let length = line.chars().count();
        if length <= LONGEST_LINE {
            return line.to_owned();
        }
        let part = |from: usize| line.chars().skip(from).take(LONGEST_LINE / 2).collect::<String>();
        format!("{} … {}", part(0), part(length - LONGEST_LINE / 2))
    };
    visible_message(&message.split('\n').map(cut).collect::<Vec<_>>().join("\n"))
}

/// Shows an error.
pub(super) fn error(message: &str) {
    // Nothing can be done if standard error is closed.
    let _ = writeln!(stderr(), "error: {}", shown(message));
}

/// Shows a warning.
pub(super) fn warning(message: &str) {
    let _ = writeln!(stderr(), "warning: {}", shown(message));
}

/// Shows a note.
pub(super) fn note(message: &str) {
    let _ = writeln!(stderr(), "note: {}", shown(message));
}
