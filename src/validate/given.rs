//! What one program is given in place of what all of a run are.

use std::time::Duration;

use camino::Utf8PathBuf;

use super::execute::{Limits, Setting};

/// What a program is given of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// Arguments.
    pub arguments: Option<Vec<String>>,
    /// What it reads from standard input.
    pub input: Option<Utf8PathBuf>,
    /// After how long it is ended.
    pub time: Option<Duration>,
}

impl Given {
    /// What the program is given where all are given `setting`.
    pub fn over<'s>(&'s self, setting: Setting<'s>) -> Setting<'s> {
        Setting {
            arguments: self.arguments.as_deref().unwrap_or(setting.arguments),
            input: self.input.as_deref().or(setting.input),
            limits: Limits { time: self.time.unwrap_or(setting.limits.time), ..setting.limits },
            ..setting
        }
    }
}
