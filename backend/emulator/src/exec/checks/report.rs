//! What checks find in kernels that go on.

use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};
use std::sync::{Mutex, PoisonError};

use crate::exec::launch::context::Context;
use crate::exec::launch::shared::Shared;
use crate::exec::code::program::Program;
use crate::exec::race::shadow::Earlier;
use crate::exec::state::wave::Wave;
use crate::fault::{Fault, FaultKind, Other};

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
    fn add(&self, step: usize, kind: FaultKind, make: impl FnOnce(FaultKind) -> Fault) {
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

/// A fault of a wave of the block at `at`, in a step.
pub(super) fn describe(
    shared: &Shared,
    program: &Program,
    place: ([u32; 3], u32),
    step: usize,
    (kind, lanes): (FaultKind, u64),
) -> Fault {
    let (pc, instruction) = text(program, step);
    Fault {
        kind,
        kernel: shared.kernel.name.clone(),
        block: place.0,
        wave: place.1,
        lanes,
        pc,
        instruction,
        source: None,
    }
}

/// Address and text of a step.
fn text(program: &Program, step: usize) -> (u64, String) {
    let step = program.steps.get(step);
    let instruction = step.and_then(|step| step.inst).map(|inst| inst.text(program.generation));
    (step.map_or(0, |step| step.address), instruction.unwrap_or_default())
}

/// The other instruction of a finding; its source line is looked up when the finding is told.
pub(super) fn other(program: &Program, what: &'static str, wave: u32, step: usize) -> Other {
    let (pc, instruction) = text(program, step);
    Other { what, wave, pc, instruction, source: None }
}

impl Context<'_> {
    /// Notes what a check found at the current step of a wave.
    #[cold]
    pub(super) fn report(&self, wave: &Wave, kind: FaultKind, lanes: u64) {
        self.report_at(wave, wave.pc.saturating_sub(1), kind, lanes);
    }

    /// Notes what a check found at a step of a wave.
    #[cold]
    pub(super) fn report_at(&self, wave: &Wave, step: usize, kind: FaultKind, lanes: u64) {
        let make = |kind| describe(self.shared, self.program, (self.at, wave.number), step, (kind, lanes));
        self.shared.findings.add(step, kind, make);
    }

    /// The other side of a race.
    pub(super) fn earlier(&self, earlier: Earlier) -> Other {
        let what = if earlier.write { "a write" } else { "a read" };
        other(self.program, what, earlier.wave, earlier.step as usize)
    }
}
