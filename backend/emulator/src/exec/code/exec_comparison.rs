//! Why a kernel trapped: HIP's headers compare the mask of a `_sync` function with the lanes that are active, and trap
//! where they differ. The comparison is remembered, so that a trap behind it can be explained.

use super::action::{Action, Condition};
use super::program::Program;
use crate::exec::alu::vector;
use crate::exec::state::wave::Wave;
use crate::fault::FaultKind;
use crate::isa::{Inst, Operand};

/// Steps between the comparison and the trap, at most.
const NEAR: usize = 24;

/// A comparison of a value with the active lanes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Witness {
    step: usize,
    mask: u64,
    active: u64,
}

/// Whether an instruction compares something with EXEC, for equality.
pub(super) fn compares_exec(inst: &Inst) -> bool {
    let base = inst.entry.base;
    let is_equality =
        ["s_cmp_eq_u", "s_cmp_lg_u", "v_cmp_eq_u", "v_cmp_ne_u"].iter().any(|name| base.starts_with(name));
    is_equality && (base.ends_with("64") || base.ends_with("u32")) && inst.src[..2].contains(&Operand::EXEC)
}

/// Remembers what is compared with EXEC.
pub(super) fn remember(wave: &mut Wave, inst: &Inst) {
    let active = wave.scalars.exec();
    let other = if inst.src[0] == Operand::EXEC { inst.src[1] } else { inst.src[0] };
    let is_wide = inst.entry.base.ends_with("64");
    let first = active.trailing_zeros() as usize % wave.lanes;
    let mask = match other.row().map(usize::from) {
        Some(row) if is_wide => wave.rows.lane64(row, first),
        Some(row) => u64::from(wave.rows.lane(row, first)),
        None if is_wide => wave.scalar64(other, inst.literal),
        None => u64::from(wave.scalar32(other, inst.literal)),
    };
    wave.witness = Some(Witness { step: wave.pc.saturating_sub(1), mask: mask & wave.all_lanes(), active });
}

/// Runs a comparison with EXEC.
pub(super) fn run(wave: &mut Wave, inner: &Action, inst: &Inst) {
    remember(wave, inst);
    match inner {
        Action::Scalar(instruction) => crate::exec::alu::scalar::run(wave, instruction),
        Action::Vector(instruction) => vector::run(wave, instruction),
        _ => {}
    }
}

/// What a trap of a wave means if a comparison that failed leads to it.
pub(super) fn explain(wave: &Wave, program: &Program) -> Option<FaultKind> {
    let Witness { step, mask, active } = wave.witness?;
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
