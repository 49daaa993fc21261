//! Exit codes: 0 clean, 1 findings remain, 2 trouble.

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Nothing is left to do.
    Clean,
    /// Something is left for a person.
    Findings,
    /// Wrong usage, unreadable files, or a fault of ours.
    Trouble,
    /// The same in place of a HIPIFY tool, which knows no code but this.
    Failed,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Clean => 0,
            Exit::Findings | Exit::Failed => 1,
            Exit::Trouble => 2,
        })
    }
}

/// Shows an error. A closed pipe is none: whoever read has seen enough.
pub(super) fn of(result: anyhow::Result<Exit>) -> Exit {
    or_failure(result, Exit::Trouble)
}

/// Shows an error and ends with `failure`.
pub(super) fn or_failure(result: anyhow::Result<Exit>, failure: Exit) -> Exit {
    let Err(error) = result else { return result.unwrap_or(failure) };
    let is_broken_pipe = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(is_broken_pipe) {
        return Exit::Clean;
    }
    super::output::error(&told_once(&error));
    failure
}

/// An error with its causes, those left out that it tells itself already.
pub(super) fn told_once(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string).filter(|cause| !cause.is_empty()) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}
