//! Why a kernel trapped, if a comparison with the active lanes led there.

use super::action::{Action, Condition};
use super::program::Program;
use crate::exec::state::evidence::ExecComparison;
use crate::exec::state::wave::Wave;
use crate::fault::FaultKind;

/// Steps between the comparison and the trap, at most.
const NEAR: usize = 24;

/// What a trap of a wave means if a comparison that failed leads to it.
pub(crate) fn explain(wave: &Wave, program: &Program) -> Option<FaultKind> {
    let ExecComparison { step, mask, active } = wave.exec_comparison?;
    let trap = wave.pc.checked_sub(1)?;
    (mask != active && leads_to(program, step, trap)).then_some(FaultKind::SyncMask { mask, active })
}

/// Whether a few steps from one lead to another.
fn leads_to(program: &Program, from: usize, to: usize) -> bool {
    let mut ahead = vec![(from, 0)];
    let mut seen = Vec::new();
    while let Some((at, distance)) = ahead.pop() {
        if at == to {
            return true;
        }
        if distance == NEAR || seen.contains(&at) {
            continue;
        }
        seen.push(at);
        match program.actions.get(at) {
            Some(Action::Branch(Condition::Always, target)) => ahead.push((*target, distance + 1)),
            Some(Action::Branch(_, target)) => ahead.extend([(*target, distance + 1), (at + 1, distance + 1)]),
            Some(Action::End | Action::Trap(_) | Action::Halt | Action::Illegal) | None => {}
            Some(_) => ahead.push((at + 1, distance + 1)),
        }
    }
    false
}
