//! Why a wave cannot go on.

use crate::fault::FaultKind;

/// Why a wave cannot go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: FaultKind,
    /// Lanes that are to blame; `None` for all active ones.
    pub(crate) lanes: Option<u64>,
}

impl Failure {
    pub(crate) fn of_lanes(kind: FaultKind, lanes: u64) -> Failure {
        Failure { kind, lanes: Some(lanes) }
    }
}

impl From<FaultKind> for Failure {
    fn from(kind: FaultKind) -> Failure {
        Failure { kind, lanes: None }
    }
}
