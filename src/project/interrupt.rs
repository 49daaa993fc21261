//! Ctrl-C while a run writes: it ends as on a full disk, with nothing left behind.
//!
//! As long as there is nothing to be put in order, the process ends at once.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// How many runs write.
static WRITING: AtomicUsize = AtomicUsize::new(0);
/// Whether one of them is to end.
static WANTED: AtomicBool = AtomicBool::new(false);
/// Folders that go with the process.
static FOLDERS: Mutex<Vec<Utf8PathBuf>> = Mutex::new(Vec::new());
static LISTENER: Once = Once::new();

/// As long as it lives, a signal makes the next change of the disk fail.
#[derive(Debug)]
pub(super) struct Writing(());

impl Writing {
    pub(super) fn begin() -> Writing {
        WRITING.fetch_add(1, Ordering::SeqCst);
        LISTENER.call_once(listen);
        Writing(())
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        WRITING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Fails once after a signal: taking back what was done so far is no reason to end again.
pub(super) fn check() -> io::Result<()> {
    if WANTED.swap(false, Ordering::SeqCst) { Err(io::Error::other("interrupted")) } else { Ok(()) }
}

/// Has a folder of temporary files removed when a signal ends the process.
pub fn remove_on_interrupt(folder: &Utf8Path) {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).push(folder.to_owned());
    LISTENER.call_once(listen);
}

fn listen() {
    // Without it a signal ends the process as ever, and the next run puts in order what is left.
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let is_second = WANTED.swap(true, Ordering::SeqCst);
            if WRITING.load(Ordering::SeqCst) == 0 || is_second {
                for folder in &*FOLDERS.lock().unwrap_or_else(PoisonError::into_inner) {
                    let _ = std::fs::remove_dir_all(folder);
                }
                std::process::exit(128 + signal);
            }
        }
    });
}
