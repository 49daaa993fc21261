//! Why a kernel trapped: HIP's headers compare the mask of a `_sync` function with the lanes that are active, and trap
//! where they differ. The comparison is remembered, so that a trap behind it can be explained.

use super::action::Action;
use crate::exec::alu::{scalar, vector};
use crate::exec::state::evidence::ExecComparison;
use crate::exec::state::wave::Wave;
use crate::isa::{Inst, Operand};

/// Whether an instruction compares something with EXEC, for equality.
pub(crate) fn compares_exec(inst: &Inst) -> bool {
    let base = inst.entry.base;
    let is_equality =
        ["s_cmp_eq_u", "s_cmp_lg_u", "v_cmp_eq_u", "v_cmp_ne_u"].iter().any(|name| base.starts_with(name));
    is_equality && (base.ends_with("64") || base.ends_with("u32")) && inst.src[..2].contains(&Operand::EXEC)
}

/// Remembers what is compared with EXEC.
pub(crate) fn remember(wave: &mut Wave, inst: &Inst) {
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
    wave.exec_comparison =
        Some(ExecComparison { step: wave.pc.saturating_sub(1), mask: mask & wave.all_lanes(), active });
}

/// Runs a comparison with EXEC.
pub(crate) fn run(wave: &mut Wave, inner: &Action, inst: &Inst) {
    remember(wave, inst);
    match inner {
        Action::Scalar(instruction) => scalar::run(wave, instruction),
        Action::Vector(instruction) => vector::run(wave, instruction),
        _ => {}
    }
}
