//! A real terminal for a process: what it shows, and keys for it.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pty_process::blocking::{Command, Pty, open};
use pty_process::{Size, blocking};

/// Slow machines need a while.
const PATIENCE: Duration = Duration::from_secs(30);

/// An empty screen.
fn parser(columns: u16, rows: u16) -> vt100::Parser {
    let [columns, rows] = [columns, rows].map(|size| std::num::NonZero::new(size).unwrap());
    vt100::Parser::new(rows, columns, 0)
}

/// hipshift in a terminal.
pub(crate) struct Session {
    child: std::process::Child,
    pty: Arc<Pty>,
    screen: Arc<Mutex<vt100::Parser>>,
    /// Follows what is written; ends when the process has.
    reader: Option<std::thread::JoinHandle<()>>,
}

impl Session {
    /// Starts hipshift in a terminal of 80 columns and 24 rows.
    pub(crate) fn start(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Session {
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(24, 80)).unwrap();
        let command = Command::new(env!("CARGO_BIN_EXE_hipshift")).args(arguments).current_dir(folder);
        let command = ["NO_COLOR", "VISUAL", "EDITOR"].into_iter().fold(command, blocking::Command::env_remove);
        let command = command.env("TERM", "xterm-256color").envs(environment.iter().copied());
        let child = command.spawn(pts).unwrap();
        let (pty, screen) = (Arc::new(pty), Arc::new(Mutex::new(parser(80, 24))));
        let (source, shown) = (Arc::clone(&pty), Arc::clone(&screen));
        // Reading from a terminal that nobody holds fails.
        let reader = Some(std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = (&*source).read(&mut bytes) {
                shown.lock().unwrap().process(&bytes[..count]);
            }
        }));
        Session { child, pty, screen, reader }
    }

    /// Presses keys.
    pub(crate) fn press(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
    }

    /// What the terminal shows.
    pub(crate) fn screen(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Whether anything on the screen is in colour.
    pub(crate) fn is_coloured(&self) -> bool {
        let parser = self.screen.lock().unwrap();
        let (rows, columns) = parser.screen().size();
        let (rows, columns) = (rows.get(), columns.get());
        let cell = |row, column| parser.screen().cell(row, column);
        let mut cells = (0..rows).flat_map(|row| (0..columns).filter_map(move |column| cell(row, column)));
        cells.any(|cell| cell.fgcolor() != vt100::Color::Default || cell.bold() || cell.inverse())
    }

    /// Waits until the screen holds `text`. What is drawn after it may be missing still.
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) {
        self.wait_until(&format!("`{text}`"), |screen| screen.contains(text));
    }

    /// Waits until the screen has text in its row `count`, counted from 1, and in no row behind.
    #[track_caller]
    pub(crate) fn wait_for_rows(&self, count: usize) {
        self.wait_until(&format!("{count} rows"), |screen| screen.lines().count() == count);
    }

    #[track_caller]
    fn wait_until(&self, what: &str, is_there: impl Fn(&str) -> bool) {
        let start = Instant::now();
        while !is_there(&self.screen()) {
            assert!(start.elapsed() < PATIENCE, "no {what} in:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Presses keys and waits until the screen holds `text`.
    #[track_caller]
    pub(crate) fn press_for(&self, keys: &str, text: &str) {
        self.press(keys);
        self.wait_for(text);
    }

    /// Gives the terminal another size.
    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        *self.screen.lock().unwrap() = parser(columns, rows);
        self.pty.resize(Size::new(rows, columns)).unwrap();
    }

    /// Waits for the end of the process; its exit code.
    #[track_caller]
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let start = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < PATIENCE, "it does not end:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(5));
        }
        let code = self.child.wait().unwrap().code();
        // What was written last may still be on its way.
        self.reader.take().unwrap().join().unwrap();
        (code, self.screen())
    }

    /// Ends the process as a crash would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It has ended, unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
