//! One thing that was tried.

use serde::Serialize;

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// It works.
    Ok,
    /// It is not here, and a port can do without it.
    None,
    /// It is not here, and validation needs it.
    Missing,
    /// It is here and does not work.
    Failed,
}

impl State {
    pub(super) fn word(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::None => "none",
            State::Missing => "missing",
            State::Failed => "failed",
        }
    }

    /// Whether a port can be done and validated in spite of it.
    pub(super) fn is_well(self) -> bool {
        matches!(self, State::Ok | State::None)
    }
}

/// One thing that was tried.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Check {
    pub(super) name: String,
    pub(super) state: State,
    /// What was found.
    pub(super) about: String,
    /// What to do about it, if something is not there or does not work.
    pub(super) advice: Option<String>,
}

impl Check {
    pub(super) fn ok(name: &str, about: impl Into<String>) -> Check {
        Check { name: name.to_owned(), state: State::Ok, about: about.into(), advice: None }
    }

    pub(super) fn other(name: &str, state: State, about: impl Into<String>, advice: impl Into<String>) -> Check {
        Check { name: name.to_owned(), state, about: about.into(), advice: Some(advice.into()) }
    }
}
