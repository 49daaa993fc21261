//! Starts other programs and turns their failures into errors.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Runs a command and returns its output; an error carries what it printed.
pub(crate) fn run(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("starting `{program}`"))?;
    if !output.status.success() {
        bail!("`{program}` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Starts a program so that it is killed with whoever started it, however that one ends: a program name, and words for it. The
/// kernel does so when the *thread* that started it ends, which therefore has to wait for it. What the program starts is not reached.
pub(crate) fn tied(program: &str, words: &[String]) -> (&'static str, Vec<String>) {
    let before = ["--pdeathsig", "KILL", "--", program].map(str::to_owned);
    ("setpriv", [before.as_slice(), words].concat())
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    /// The thread that starts it ends without a word, as one does whose process is killed.
    #[test]
    fn a_tied_program_ends_with_who_started_it() {
        let start = || {
            let (program, words) = tied("sleep", &["60".to_owned()]);
            Command::new(program).args(words).stdout(Stdio::piped()).spawn().unwrap()
        };
        let mut child = std::thread::spawn(move || {
            let child = start();
            // It has been tied once it is `sleep`.
            let name = format!("/proc/{}/comm", child.id());
            while std::fs::read_to_string(&name).is_ok_and(|name| name.trim() != "sleep") {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            child
        })
        .join()
        .unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(9));
    }

    #[test]
    fn a_tied_program_gets_its_words_and_gives_its_code() {
        let (program, words) = tied("sh", &["-c", "echo \"$0 $1\"; exit 3", "-a", "b c"].map(str::to_owned));
        let output = Command::new(program).args(words).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(3), &b"-a b c\n"[..]));
    }
}
