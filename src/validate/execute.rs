//! Runs a program: in a folder of its own, with an environment that is listed here, and not for ever.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use camino::Utf8Path;
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};

/// Variables that programs inherit. All others stay with hipshift: tokens, keys, what only this shell knows.
pub(super) const INHERITED: &[&str] = &["PATH", "HOME", "LANG", "LC_ALL", "LC_NUMERIC", "TZ", "TMPDIR", "USER"];

/// What a program prints is kept up to this many bytes.
const KEPT: usize = 16 << 20;

/// How long is read on after the end of a program: what has left its group may hold its pipes open for ever.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Bounds on a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time after which the program and all that it started is ended.
    pub time: Duration,
    /// Bytes of address space, if there is a bound.
    pub memory: Option<u64>,
}

/// What every program of a run is given.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'s> {
    /// Arguments.
    pub arguments: &'s [String],
    /// What it reads from standard input; nothing if there is no file.
    pub input: Option<&'s Utf8Path>,
    /// Variables beside the inherited ones.
    pub environment: &'s [(String, String)],
    /// Bounds.
    pub limits: Limits,
}

/// What a program is run with.
#[derive(Debug, Clone, Copy)]
pub struct Call<'c> {
    /// The executable.
    pub program: &'c Utf8Path,
    /// The folder it runs in.
    pub folder: &'c Utf8Path,
    /// What it is given.
    pub setting: Setting<'c>,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with a code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// It was ended because its time was over.
    Timeout,
}

impl fmt::Display for Ending {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Code(code) => write!(out, "ended with code {code}"),
            Ending::Signal(signal) => write!(out, "was ended by signal {signal}"),
            Ending::Timeout => out.write_str("did not end in time"),
        }
    }
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// How it ended.
    pub ending: Ending,
    /// What it wrote to standard output.
    pub output: Vec<u8>,
    /// What it wrote to standard error.
    pub errors: Vec<u8>,
    /// How long it ran.
    pub time: Duration,
}

/// Runs a program to its end. Fails if it cannot be started or its input cannot be opened.
pub fn execute(call: Call<'_>) -> io::Result<Execution> {
    let Setting { arguments, input, environment, limits } = call.setting;
    let mut command = Command::new(call.program);
    command.args(arguments).current_dir(call.folder).env_clear();
    command.envs(INHERITED.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    let input = input.map(File::open).transpose()?;
    command.stdin(input.map_or_else(Stdio::null, Stdio::from)).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own, so that whatever it starts ends with it.
    command.process_group(0);
    let start = Instant::now();
    let deadline = start.checked_add(limits.time).ok_or_else(|| io::Error::other("the time limit is too long"))?;
    let mut child = command.spawn()?;
    let group = Pid::from_child(&child);
    limit_memory(group, limits.memory);
    let output = child.stdout.take().map(read_in_background);
    let errors = child.stderr.take().map(read_in_background);
    let ending = wait(&mut child, group, deadline)?;
    let time = start.elapsed();
    let last = Instant::now() + LAST_WORDS;
    let text = |reader: Option<Reader>| reader.map(|reader| reader.until(last)).unwrap_or_default();
    Ok(Execution { ending, output: text(output), errors: text(errors), time })
}

/// Bounds the memory of a process that was just started.
fn limit_memory(process: Pid, bytes: Option<u64>) {
    if bytes.is_some() {
        // A process that has ended already needs no bound.
        let _ = prlimit(Some(process), Resource::As, Rlimit { current: bytes, maximum: bytes });
    }
}

/// The pause between two looks at a process that may end at once.
const FIRST_PAUSE: Duration = Duration::from_micros(500);

/// Waits for the end of a process, or ends its group when the time is over.
fn wait(child: &mut Child, group: Pid, deadline: Instant) -> io::Result<Ending> {
    const LONGEST_PAUSE: Duration = Duration::from_millis(20);
    let mut pause = FIRST_PAUSE;
    loop {
        if let Some(status) = child.try_wait()? {
            // What the program left behind would hold its pipes open.
            let _ = kill_process_group(group, Signal::KILL);
            let signal = || Ending::Signal(status.signal().unwrap_or(0));
            return Ok(status.code().map_or_else(signal, Ending::Code));
        }
        if Instant::now() >= deadline {
            let _ = kill_process_group(group, Signal::KILL);
            child.wait()?;
            return Ok(Ending::Timeout);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Reads a pipe to its end, keeps its beginning, and never makes the writer wait.
fn read_in_background(mut pipe: impl Read + Send + 'static) -> Reader {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let filled = Arc::clone(&kept);
    let thread = thread::spawn(move || {
        let mut buffer = [0; 8192];
        // A pipe that breaks has said all it could.
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            let mut kept = filled.lock().unwrap_or_else(PoisonError::into_inner);
            let room = KEPT.saturating_sub(kept.len());
            kept.extend_from_slice(&buffer[..count.min(room)]);
        }
    });
    Reader { kept, thread }
}

/// A pipe that is read.
struct Reader {
    kept: Arc<Mutex<Vec<u8>>>,
    thread: thread::JoinHandle<()>,
}

impl Reader {
    /// What was read to the end of the pipe, or until a time that comes before.
    fn until(self, deadline: Instant) -> Vec<u8> {
        while !self.thread.is_finished() && Instant::now() < deadline {
            thread::sleep(FIRST_PAUSE);
        }
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str, seconds: f32, environment: &[(String, String)]) -> Execution {
        let limits = Limits { time: Duration::from_secs_f32(seconds), memory: None };
        let arguments = ["-c".to_owned(), script.to_owned()];
        let folder = Utf8Path::new("/");
        let setting = Setting { arguments: &arguments, input: None, environment, limits };
        execute(Call { program: "/bin/sh".into(), folder, setting }).unwrap()
    }

    #[test]
    fn output_and_code_are_taken() {
        let run = run("echo out; echo err >&2; exit 3", 10.0, &[]);
        assert_eq!(run.ending, Ending::Code(3));
        assert_eq!((run.output.as_slice(), run.errors.as_slice()), (&b"out\n"[..], &b"err\n"[..]));
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_what_it_started() {
        let run = run("sleep 100 & echo started; wait", 0.3, &[]);
        assert_eq!(run.ending, Ending::Timeout);
        assert!(run.time < Duration::from_secs(20));
        assert_eq!(run.output, b"started\n");
    }

    #[test]
    fn nobody_waits_for_what_has_left_the_group() {
        let start = Instant::now();
        let run = run("echo said; setsid sleep 20 & sleep 0.3", 10.0, &[]);
        assert_eq!((run.ending, run.output.as_slice()), (Ending::Code(0), &b"said\n"[..]));
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn the_environment_is_what_is_listed() {
        let run = run("env | cut -d= -f1 | sort", 10.0, &[("HIPSHIFT_ARCH".to_owned(), "gfx90a".to_owned())]);
        let text = String::from_utf8(run.output).unwrap();
        assert!(text.contains("HIPSHIFT_ARCH"));
        // The shell adds these by itself.
        let own = ["PWD", "SHLVL", "OLDPWD", "_", "HIPSHIFT_ARCH"];
        assert!(text.lines().all(|name| own.contains(&name) || INHERITED.contains(&name)), "{text}");
    }

    #[test]
    fn signals_are_told_from_codes() {
        assert_eq!(run("kill -9 $$", 10.0, &[]).ending, Ending::Signal(9));
    }
}
