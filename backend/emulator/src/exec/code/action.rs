//! What steps do.

use crate::exec::alu::scalar::Scalar;
use crate::exec::alu::special::Special;
use crate::exec::alu::vector::Vector;
use crate::exec::matrix::product::Matrix;
use crate::exec::memory::address::Global;
use crate::exec::memory::image::ImageAccess;
use crate::exec::memory::lds_access::LdsAccess;
use crate::exec::memory::scalar_load::ScalarLoad;

/// When a branch is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    Always,
    Scc(bool),
    /// VCC is zero, or not.
    VccZero(bool),
    /// No lane is active, or some are.
    ExecZero(bool),
}

/// What a step does: what is rare or large lies elsewhere, so that a step takes a line of the host's cache.
pub(crate) enum Action {
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
    ExecComparison(Box<Action>),
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
