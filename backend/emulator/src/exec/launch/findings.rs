//! What checks have found in a launch that goes on.

use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};
use std::sync::{Mutex, PoisonError};

use crate::fault::{Fault, FaultKind};

/// Findings that are kept of a launch.
const MOST: usize = 64;

/// The findings of a launch: the first of each kind at each instruction.
#[derive(Debug, Default)]
pub(crate) struct Findings(Mutex<Found>);

#[derive(Debug, Default)]
struct Found {
    /// Kinds, and steps that they were found at.
    known: HashSet<(Discriminant<FaultKind>, usize)>,
    faults: Vec<Fault>,
}

impl Findings {
    /// Adds a finding at a step, unless there is one like it.
    pub(crate) fn add(&self, step: usize, kind: FaultKind, make: impl FnOnce(FaultKind) -> Fault) {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if found.faults.len() < MOST && found.known.insert((discriminant(&kind), step)) {
            let fault = make(kind);
            found.faults.push(fault);
        }
    }

    /// All findings, by address.
    pub(crate) fn take(&self) -> Vec<Fault> {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut faults = std::mem::take(&mut found.faults);
        faults.sort_by_key(|fault| fault.pc);
        faults
    }
}
