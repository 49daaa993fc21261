//! Ctrl-C while a run writes: it ends as on a full disk, with nothing left behind.
//!
//! As long as there is nothing to be put in order, the process ends at once.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::door::Place;

/// How many runs write.
static WRITING: AtomicUsize = AtomicUsize::new(0);
/// How many of them put their files in place.
static PLACING: AtomicUsize = AtomicUsize::new(0);
/// Whether one of them is to end.
static WANTED: AtomicBool = AtomicBool::new(false);
/// Folders that go with the process.
static FOLDERS: Mutex<Vec<Utf8PathBuf>> = Mutex::new(Vec::new());
/// Files that wait to be put in place.
static WAITING: Mutex<Vec<Place>> = Mutex::new(Vec::new());
/// What is done before the process ends.
static LAST: OnceLock<fn()> = OnceLock::new();
static LISTENER: Once = Once::new();

/// How long a run has time to end by itself. One that is busy with a file does not look.
const PATIENCE: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(20);

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
        if WRITING.fetch_sub(1, Ordering::SeqCst) == 1 {
            WAITING.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
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

/// Has something done when a signal ends the process.
pub fn do_on_interrupt(last: fn()) {
    let _ = LAST.set(last);
    LISTENER.call_once(listen);
}

/// Makes a file that goes when a signal ends the process before it is put in place.
pub(super) fn create_waiting(place: &Place) -> io::Result<std::fs::File> {
    let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    let file = place.create()?;
    if WRITING.load(Ordering::SeqCst) > 0 {
        waiting.push(place.clone());
    }
    Ok(file)
}

/// As long as it lives, files are put in place, which takes its time and is not cut off.
#[derive(Debug)]
pub(super) struct Placing(());

impl Placing {
    /// Begins, unless the process ends now.
    pub(super) fn begin() -> Placing {
        // Whoever removes what waits is not disturbed.
        let _waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        PLACING.fetch_add(1, Ordering::SeqCst);
        Placing(())
    }
}

impl Drop for Placing {
    fn drop(&mut self) {
        PLACING.fetch_sub(1, Ordering::SeqCst);
    }
}

fn listen() {
    // Without it a signal ends the process as ever, and the next run puts in order what is left.
    let Ok(mut signals) = Signals::new(signals()) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let is_second = WANTED.swap(true, Ordering::SeqCst);
            if WRITING.load(Ordering::SeqCst) == 0 || is_second {
                end(signal);
            }
            std::thread::spawn(move || end_later(signal));
        }
    });
}

/// The signals that end a run. One that is ignored, as `nohup` has it, stays so.
fn signals() -> Vec<i32> {
    let hangs_up = [SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
    [SIGINT, SIGTERM].into_iter().chain(hangs_up).collect()
}

/// Whether the process was started with a signal ignored, as far as the system tells.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Ends the process if the run has not ended by itself, and puts nothing in place.
fn end_later(signal: i32) {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline || PLACING.load(Ordering::SeqCst) > 0 {
        if WRITING.load(Ordering::SeqCst) == 0 {
            return;
        }
        std::thread::sleep(PAUSE);
    }
    end(signal);
}

fn end(signal: i32) -> ! {
    // Nobody makes a file or begins to put files in place while this holds the list.
    let waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    if PLACING.load(Ordering::SeqCst) == 0 {
        // What the journal tells of besides is put in order by the next run.
        for place in &*waiting {
            let _ = place.remove_file();
        }
    }
    for folder in &*FOLDERS.lock().unwrap_or_else(PoisonError::into_inner) {
        let _ = std::fs::remove_dir_all(folder);
    }
    if let Some(last) = LAST.get() {
        last();
    }
    std::process::exit(128 + signal);
}
