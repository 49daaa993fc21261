//! Where long output for people goes: a pager on a terminal, else standard output.

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::process::{Child, Command, Stdio};

/// Standard output, or a pager in front of it.
pub(super) enum Screen {
    /// Standard output itself.
    Direct(BufWriter<io::StdoutLock<'static>>),
    /// A pager that reads from us.
    Paged(Child),
}

impl Screen {
    /// Starts `$PAGER` or `less -FRX`, which ends by itself if all fits on the screen. Without a
    /// terminal, without leave (`wanted`) or without such a program there is no pager.
    pub(super) fn open(wanted: bool) -> Screen {
        let pager = wanted.then(start).flatten();
        pager.map_or_else(|| Screen::Direct(BufWriter::new(io::stdout().lock())), Screen::Paged)
    }

    /// Waits until the reader has seen enough.
    pub(super) fn close(self) -> io::Result<()> {
        match self {
            Screen::Direct(mut out) => pass_closed(out.flush()),
            Screen::Paged(mut child) => {
                drop(child.stdin.take());
                child.wait().map(drop)
            }
        }
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Screen::Direct(out) => out.write(bytes),
            Screen::Paged(child) => child.stdin.as_mut().map_or(Ok(0), |stdin| stdin.write(bytes)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Screen::Direct(out) => out.flush(),
            Screen::Paged(child) => child.stdin.as_mut().map_or(Ok(()), Write::flush),
        }
    }
}

/// Whoever closes the output has seen enough, which is no trouble.
pub(super) fn pass_closed(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn start() -> Option<Child> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let asked = std::env::var("PAGER").unwrap_or_else(|_| "less -FRX".to_owned());
    if asked.trim().is_empty() || asked.trim() == "cat" {
        return None;
    }
    // `$PAGER` is a line for the shell.
    let mut command = Command::new("sh");
    command.arg("-c").arg(&asked).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    let program = asked.split_whitespace().next().unwrap_or_default();
    let exists = Command::new("sh").args(["-c", "command -v -- \"$0\" > /dev/null", program]).status();
    exists.ok().filter(std::process::ExitStatus::success)?;
    command.spawn().ok()
}
