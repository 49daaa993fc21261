//! What steps do, and what they can reach.

use pulp::Arch;

use crate::exec::memory::global::Global;
use crate::exec::memory::image::ImageAccess;
use crate::exec::launch::shared::Shared;
use crate::exec::state::lds::Lds;
use crate::exec::memory::lds_access::LdsAccess;
use crate::exec::matrix::product::Matrix;
use super::program::Program;
use crate::exec::alu::scalar::Scalar;
use crate::exec::memory::scalar_load::ScalarLoad;
use crate::exec::alu::special::Special;
use crate::exec::alu::vector::Vector;
use crate::fault::FaultKind;
use crate::memory::Memory;

/// Why a wave cannot go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) kind: FaultKind,
    /// Lanes that are to blame; `None` for all active ones.
    pub(super) lanes: Option<u64>,
}

impl Failure {
    pub(super) fn of_lanes(kind: FaultKind, lanes: u64) -> Failure {
        Failure { kind, lanes: Some(lanes) }
    }
}

impl From<FaultKind> for Failure {
    fn from(kind: FaultKind) -> Failure {
        Failure { kind, lanes: None }
    }
}

/// When a branch is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    Always,
    Scc(bool),
    /// VCC is zero, or not.
    VccZero(bool),
    /// No lane is active, or some are.
    ExecZero(bool),
}

/// What a step does: what is rare or large lies elsewhere, so that a step takes a line of the host's cache.
pub(super) enum Action {
    Vector(Box<Vector>),
    Pair(Box<[Vector; 2]>),
    Scalar(Scalar),
    Branch(Condition, usize),
    Load(ScalarLoad),
    Global(Box<Global>),
    Lds(Box<LdsAccess>),
    Special(Box<Special>),
    Matrix(Box<Matrix>),
    Image(Box<ImageAccess>),
    /// A comparison with EXEC, which may explain a trap.
    Witness(Box<Action>),
    Nothing,
    Barrier,
    Sleep,
    End,
    Trap(u8),
    /// The wave stops until a debugger lets it go on.
    Halt,
    /// A message to the host.
    Message(u8),
    /// Nothing is done for it: the launch stops.
    Unimplemented,
    Illegal,
}

#[cfg(test)]
#[test]
fn actions_are_small() {
    assert!(size_of::<Action>() <= 64, "{} bytes", size_of::<Action>());
}

/// What steps can reach beside their wave.
pub(super) struct Context<'l> {
    pub(super) shared: &'l Shared,
    pub(super) program: &'l Program,
    pub(super) lds: &'l mut Lds,
    pub(super) arch: Arch,
    /// Coordinates of the block.
    pub(super) at: [u32; 3],
    /// Set where memory changes, while that is looked at because nothing else seems to happen.
    pub(super) changed: Option<&'l mut bool>,
}

impl Context<'_> {
    #[inline]
    pub(super) fn memory(&self) -> &Memory {
        &self.shared.memory
    }

    /// Notes that memory may have been changed, if anybody wants to know.
    pub(super) fn note_change(&mut self, changes: bool) {
        if let Some(changed) = &mut self.changed {
            **changed |= changes;
        }
    }

    /// Announces a wave where all blocks meet. Returns how often they have met before.
    pub(super) fn arrive_at_grid(&self) -> u64 {
        self.shared.grid.arrive()
    }
}
