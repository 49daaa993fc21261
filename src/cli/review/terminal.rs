//! The terminal of a review: single keys, whole screens, and everything as it was afterwards.

use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write as _};
use std::sync::Once;
use std::time::Duration;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use crossterm::style::Print;
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use crossterm::{execute, queue};

use super::state::Key;
use crate::project::do_on_interrupt;

/// How often is looked whether the terminal is still there.
const WATCH: Duration = Duration::from_secs(1);

/// The terminal while a review has it. Dropping it gives it back.
pub(super) struct Terminal {
    out: BufWriter<Stdout>,
}

/// What happened.
pub(super) enum Input {
    Key(Key),
    /// Columns and rows.
    Resized(usize, usize),
}

impl Terminal {
    /// Takes the terminal.
    pub(super) fn open() -> io::Result<Terminal> {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            give_back_on_panic();
            end_with_the_terminal();
            do_on_interrupt(give_back);
        });
        enable_raw_mode()?;
        let mut terminal = Terminal { out: BufWriter::new(io::stdout()) };
        execute!(terminal.out, EnterAlternateScreen, Hide)?;
        // Watches the size from here on; otherwise a change before the first key is read would go unseen.
        poll(Duration::ZERO)?;
        Ok(terminal)
    }

    /// Shows rows from the top of the screen, all of which they fill.
    pub(super) fn draw(&mut self, rows: &[String]) -> io::Result<()> {
        for (row, number) in rows.iter().zip(0..) {
            // Behind a row as wide as the screen, clearing would take its last character.
            queue!(self.out, MoveTo(0, number), Clear(ClearType::UntilNewLine), Print(row))?;
        }
        self.out.flush()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// Columns and rows. A terminal that does not know has 80 and 24.
pub(super) fn screen_size() -> (usize, usize) {
    let (columns, rows) = size().unwrap_or((0, 0));
    if columns == 0 || rows == 0 { (80, 24) } else { (usize::from(columns), usize::from(rows)) }
}

/// Waits until something happens.
pub(super) fn next_input() -> io::Result<Input> {
    loop {
        match read()? {
            Event::Key(event) if event.kind != KeyEventKind::Release => {
                if let Some(key) = key(event) {
                    return Ok(Input::Key(key));
                }
            }
            Event::Resize(columns, rows) => return Ok(Input::Resized(usize::from(columns), usize::from(rows))),
            _ => {}
        }
    }
}

/// Makes the terminal what it was. Nothing can be done if that fails.
fn give_back() {
    let _ = execute!(io::stdout(), Show, LeaveAlternateScreen);
    let _ = disable_raw_mode();
}

/// A message about a panic must not go to the screen that is about to vanish.
fn give_back_on_panic() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        give_back();
        report(info);
    }));
}

/// Ends the process when the terminal was closed and the signal that says so is ignored: crossterm would go on reading
/// nothing for ever. All decisions are kept by then.
fn end_with_the_terminal() {
    std::thread::spawn(|| {
        while io::stdin().is_terminal() {
            std::thread::sleep(WATCH);
        }
        std::process::exit(2);
    });
}

fn key(event: KeyEvent) -> Option<Key> {
    if event.modifiers.contains(KeyModifiers::CONTROL) {
        return match event.code {
            KeyCode::Char('c' | 'd') => Some(Key::Interrupt),
            KeyCode::Char('h') => Some(Key::Backspace),
            _ => None,
        };
    }
    Some(match event.code {
        KeyCode::Char(character) => Key::Char(character),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        _ => return None,
    })
}
