//! Nothing grows faster than its input: many kinds of text, doubled five times, take at most a little more than twice
//! the processor time and memory each time.
//!
//! `HIPSHIFT_GROWTH=name cargo test --test growth` looks at the kinds of this name only, and shows the figures.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test that cannot go on fails")]
#![cfg(unix)]

mod kinds;

use std::fs;
use std::process::{Command, Stdio};

use kinds::{KINDS, Kind};
use wait4::Wait4;

/// Bytes of the smallest text.
const SMALLEST: usize = 8_000;
const DOUBLINGS: u32 = 5;

/// What each doubling may take: so many times what the text before took.
const TIMES: f64 = 2.3;

/// Seconds and bytes that are noise.
const NOISE: Taken = Taken { seconds: 0.06, bytes: 24_000_000.0 };

/// Kinds with very many findings on one line, whose report for people is looked at, too.
const LONG_LINES: &[&str] = &["chevrons", "asm one line ops"];

const FOR_PEOPLE: &[&str] = &["lint", "FILE", "-j1"];

/// How often a figure is taken anew when it is too high, since other programs run beside.
const TRIES: usize = 6;

const COMMANDS: &[&[&str]] = &[
    &["convert", "FILE", "-o", "OUTPUT", "-j1", "-q", "--wave-policy", "native"],
    &["lint", "FILE", "-j1", "--format", "json"],
];

/// What a run of the program took.
#[derive(Debug, Clone, Copy)]
struct Taken {
    seconds: f64,
    bytes: f64,
}

impl Taken {
    fn by(command: &[&str], name: &str, text: &str) -> Taken {
        let folder = tempfile::tempdir().unwrap();
        let (file, output) = (folder.path().join(name), folder.path().join("converted"));
        fs::write(&file, text).unwrap();
        let arguments = command.iter().map(|argument| match *argument {
            "FILE" => file.as_os_str(),
            "OUTPUT" => output.as_os_str(),
            other => other.as_ref(),
        });
        let mut program = Command::new(env!("CARGO_BIN_EXE_hipshift"));
        let mut child = program.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let used = child.wait4().unwrap();
        assert!(matches!(used.status.code(), Some(0 | 1)), "{command:?} ended with {}", used.status);
        let bytes = f64::from(u32::try_from(used.rusage.maxrss / 1024).unwrap()) * 1024.0;
        Taken { seconds: used.rusage.utime.as_secs_f64(), bytes }
    }

    fn least(self, other: Taken) -> Taken {
        Taken { seconds: self.seconds.min(other.seconds), bytes: self.bytes.min(other.bytes) }
    }

    /// Whether it is no more than what a text of half the size took, times [`TIMES`]; what an empty file takes does not count.
    fn follows(self, half: Taken, empty: Taken) -> bool {
        let fits = |now: f64, half: f64, empty: f64, noise: f64| now - empty <= TIMES * (half - empty).max(0.0) + noise;
        fits(self.seconds, half.seconds, empty.seconds, NOISE.seconds)
            && fits(self.bytes, half.bytes, empty.bytes, NOISE.bytes)
    }
}

/// What went wrong with a kind of text, if something did.
fn check(kind: &Kind, command: &[&str], empty: Taken, shows: bool) -> Option<String> {
    let mut half: Option<Taken> = None;
    for doubling in 0..=DOUBLINGS {
        let text = kind.text(SMALLEST << doubling);
        let mut taken = Taken::by(command, kind.file, &text);
        if let Some(mut half) = half {
            let half_text = kind.text(SMALLEST << (doubling - 1));
            for _ in 1..TRIES {
                if taken.follows(half, empty) {
                    break;
                }
                // A machine is slow for seconds at a time: only two figures taken one after the other can be compared.
                half = Taken::by(command, kind.file, &half_text);
                taken = Taken::by(command, kind.file, &text);
            }
            if !taken.follows(half, empty) {
                return Some(format!(
                    "{} {}: {half:?} became {taken:?} at {} bytes",
                    kind.name,
                    command[0],
                    text.len()
                ));
            }
        }
        if shows {
            eprintln!("{} {}: {} bytes took {taken:?}", kind.name, command[0], text.len());
        }
        half = Some(taken);
    }
    None
}

/// Checks every second kind, so that two threads share the work.
fn check_all(rest: usize) {
    let wanted = std::env::var("HIPSHIFT_GROWTH").ok();
    let is_wanted = |kind: &&Kind| wanted.as_deref().is_none_or(|name| name == kind.name);
    let mut wrong = Vec::new();
    for command in COMMANDS.iter().copied().chain([FOR_PEOPLE]) {
        let empty = (0..TRIES).map(|_| Taken::by(command, "file.cu", "")).reduce(Taken::least).unwrap();
        let counts = |kind: &&Kind| command != FOR_PEOPLE || LONG_LINES.contains(&kind.name);
        for kind in KINDS.iter().skip(rest).step_by(2).filter(is_wanted).filter(counts) {
            wrong.extend(check(kind, command, empty, wanted.is_some()));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_first_half_of_the_kinds_grows_as_its_text() {
    check_all(0);
}

#[test]
fn the_second_half_of_the_kinds_grows_as_its_text() {
    check_all(1);
}

/// A megabyte of each kind in less than a second: `cargo test --release --test growth -- --ignored`.
#[test]
#[ignore = "only a release build is fast enough"]
fn a_megabyte_takes_less_than_a_second() {
    let mut wrong = Vec::new();
    for kind in KINDS {
        let text = kind.text(1_000_000);
        for command in COMMANDS {
            let taken = (1..TRIES).fold(Taken::by(command, kind.file, &text), |taken, _| {
                if taken.seconds < 1.0 { taken } else { taken.least(Taken::by(command, kind.file, &text)) }
            });
            eprintln!("{:32} {:8} {:6.2} s {:6.0} MB", kind.name, command[0], taken.seconds, taken.bytes / 1e6);
            if taken.seconds >= 1.0 {
                wrong.push(format!("{} {}: {:.2} s", kind.name, command[0], taken.seconds));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
