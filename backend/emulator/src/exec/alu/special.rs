//! Instructions that are neither arithmetic nor memory: calls, lanes by number, indexed registers.

use super::hardware_registers::{self, HardwareAccess};
use crate::exec::checks::{heap_calls, lane_checks};
use crate::exec::launch::context::Context;
use crate::exec::launch::failure::Failure;
use crate::exec::state::lanes::each;
use crate::exec::state::wave::Wave;
use crate::fault::FaultKind;
use crate::isa::{Encoding, Inst, Operand};
use crate::target::Generation;

/// What such an instruction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    GetPc,
    SetPc,
    SwapPc,
    Call,
    ReadFirstLane,
    ReadLane,
    WriteLane,
    /// Two registers change places.
    Swap,
    /// Halves of two registers change places.
    SwapHalves,
    /// Odd rows of so many lanes of the first register and even rows of the second change places.
    SwapRows(usize),
    /// Lanes of a row read their row, or the other one of two.
    PermLane {
        other: bool,
    },
    /// The halves of a wave change places.
    PermLane64,
    /// The number of the source is indexed by M0.
    MoveFromIndexed,
    /// The number of the destination is indexed by M0.
    MoveToIndexed,
    ScalarFromIndexed(u8),
    ScalarToIndexed(u8),
    IndexOn,
    IndexOff,
    IndexMode,
    Index,
    Hardware(HardwareAccess),
    MessageReturn(u8),
    Nothing,
}

/// Such an instruction, ready to run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Special {
    what: What,
    inst: Inst,
}

/// The constant -1, which names the barrier that all waves of a block share.
const BLOCK_BARRIER: Operand = Operand(193);

impl Special {
    /// `None` if the instruction is not among them.
    pub(crate) fn new(inst: &Inst, generation: Generation) -> Option<Special> {
        let what = match inst.entry.base {
            "s_getpc_b64" => What::GetPc,
            "s_setpc_b64" => What::SetPc,
            "s_swappc_b64" => What::SwapPc,
            "s_call_b64" => What::Call,
            "v_readfirstlane_b32" => What::ReadFirstLane,
            "v_readlane_b32" => What::ReadLane,
            "v_writelane_b32" => What::WriteLane,
            "v_swap_b32" => What::Swap,
            "v_swap_b16" => What::SwapHalves,
            "v_permlane16_swap_b32" => What::SwapRows(16),
            "v_permlane32_swap_b32" => What::SwapRows(32),
            "v_permlane16_b32" => What::PermLane { other: false },
            "v_permlanex16_b32" => What::PermLane { other: true },
            "v_permlane64_b32" => What::PermLane64,
            "v_movrels_b32" => What::MoveFromIndexed,
            "v_movreld_b32" => What::MoveToIndexed,
            "s_movrels_b32" => What::ScalarFromIndexed(1),
            "s_movrels_b64" => What::ScalarFromIndexed(2),
            "s_movreld_b32" => What::ScalarToIndexed(1),
            "s_movreld_b64" => What::ScalarToIndexed(2),
            "s_set_gpr_idx_on" => What::IndexOn,
            "s_set_gpr_idx_off" => What::IndexOff,
            "s_set_gpr_idx_mode" => What::IndexMode,
            "s_set_gpr_idx_idx" => What::Index,
            // Waves wait for all others where they wait for the barrier, not for their signals alone.
            "s_barrier_signal" if inst.src[0] == BLOCK_BARRIER => What::Nothing,
            "s_sendmsg_rtn_b32" => What::MessageReturn(1),
            "s_sendmsg_rtn_b64" => What::MessageReturn(2),
            "s_waitcnt_vscnt" | "s_waitcnt_vmcnt" | "s_waitcnt_expcnt" | "s_waitcnt_lgkmcnt" | "s_version"
            | "v_nop" | "v_pipeflush" => What::Nothing,
            _ => What::Hardware(HardwareAccess::new(inst, generation)?),
        };
        let is_plain_move = inst.entry.encoding != Encoding::Vop3 || inst.modifiers == crate::isa::Modifiers::default();
        let takes_modifiers = matches!(what, What::PermLane { .. });
        (is_plain_move || takes_modifiers).then_some(Special { what, inst: *inst })
    }
}

/// Runs one instruction. `wave.pc` is that of the next one.
pub(crate) fn run(wave: &mut Wave, special: &Special, context: &mut Context) -> Result<(), Failure> {
    let inst = &special.inst;
    match special.what {
        What::Nothing => {}
        What::GetPc => {
            let next = next_address(wave, context);
            wave.scalars.set64(inst.dst, next);
        }
        What::SetPc => {
            let target = wave.scalar64(inst.src[0], inst.literal);
            jump(wave, target, context)?;
        }
        What::SwapPc => {
            let (target, next) = (wave.scalar64(inst.src[0], inst.literal), next_address(wave, context));
            wave.scalars.set64(inst.dst, next);
            jump(wave, target, context)?;
        }
        What::Call => {
            let next = next_address(wave, context);
            wave.scalars.set64(inst.dst, next);
            jump(wave, next.wrapping_add_signed(4 * i64::from(inst.imm as i16)), context)?;
        }
        What::IndexOn | What::IndexOff | What::IndexMode | What::Index => index(wave, special),
        What::Hardware(access) => hardware_registers::run(wave, inst, access, context)?,
        What::MessageReturn(registers) => {
            // Only the clock has an answer; the others are asked for on the way to a stop.
            let is_clock = inst.src[0] == Operand(131);
            let value = if is_clock { context.shared.clock() } else { 0 };
            if registers == 2 { wave.scalars.set64(inst.dst, value) } else { wave.scalars.set(inst.dst, value as u32) }
        }
        What::ScalarFromIndexed(registers) => {
            let source = Operand(inst.src[0].0.wrapping_add(wave.scalars.get(Operand::M0) as u16) & 127);
            copy_scalar(wave, source, inst.dst, registers);
        }
        What::ScalarToIndexed(registers) => {
            let target = Operand(inst.dst.0.wrapping_add(wave.scalars.get(Operand::M0) as u16) & 127);
            copy_scalar(wave, inst.src[0], target, registers);
        }
        // What lanes that are off give and take is not documented.
        What::SwapRows(_) if wave.scalars.exec() != wave.all_lanes() => {
            let text = inst.text(context.listing.generation);
            return Err(FaultKind::Unimplemented(format!("{text}, with lanes that are off")).into());
        }
        _ => {
            if context.shared.options.checks.are_all() {
                check_lane(wave, special, context);
            }
            lanes(wave, special);
        }
    }
    Ok(())
}

fn copy_scalar(wave: &mut Wave, from: Operand, to: Operand, registers: u8) {
    if registers == 2 {
        let value = wave.scalar64(from, 0);
        wave.scalars.set64(to, value);
    } else {
        let value = wave.scalar32(from, 0);
        wave.scalars.set(to, value);
    }
}

fn next_address(wave: &Wave, context: &Context) -> u64 {
    let address = context.listing.steps.get(wave.pc).map_or(0, |step| step.address);
    context.shared.base.wrapping_add(address)
}

fn jump(wave: &mut Wave, target: u64, context: &Context) -> Result<(), Failure> {
    let address = target.wrapping_sub(context.shared.base);
    wave.pc = context.listing.find(address).ok_or(FaultKind::IllegalInstruction(address))?;
    heap_calls::arrive(wave, context);
    Ok(())
}

fn index(wave: &mut Wave, special: &Special) {
    let inst = &special.inst;
    let m0 = wave.scalars.get(Operand::M0);
    let mode = inst.imm.cast_unsigned() & 15;
    let source = wave.scalar32(inst.src[0], inst.literal) & 0xff;
    let new = match special.what {
        What::IndexOn => m0 & !0xf0ff | source | mode << 12,
        What::IndexMode => m0 & !0xf000 | mode << 12,
        What::Index => m0 & !0xff | source,
        _ => m0,
    };
    wave.scalars.set(Operand::M0, new);
    match special.what {
        What::IndexOn => wave.set_indexing(true),
        What::IndexOff => wave.set_indexing(false),
        _ => {}
    }
}

/// A source of a lane: a register of the lane, or the same for all.
fn of_lane(wave: &Wave, inst: &Inst, source: usize, lane: usize) -> u32 {
    match inst.src[source].row() {
        Some(row) => wave.rows.lane(usize::from(row), lane),
        None => wave.scalar32(inst.src[source], inst.literal),
    }
}

/// A lane that is read by a number from a register should be active.
fn check_lane(wave: &Wave, special: &Special, context: &Context) {
    let by_register = special.inst.src[1].is_scalar_register();
    if special.what != What::ReadLane || !by_register || special.inst.src[0].row().is_none() {
        return;
    }
    let lane = wave.scalar32(special.inst.src[1], special.inst.literal) as usize % wave.lanes;
    lane_checks::read(wave, context, |_| lane);
}

/// Runs an instruction that works on lanes by their numbers.
pub(crate) fn lanes(wave: &mut Wave, special: &Special) {
    let inst = &special.inst;
    let exec = wave.scalars.exec();
    let dst = inst.dst.row().map_or(0, usize::from);
    let m0 = wave.scalars.get(Operand::M0) as usize;
    match special.what {
        What::ReadFirstLane => {
            let first = if exec == 0 { 0 } else { exec.trailing_zeros() as usize };
            let value = of_lane(wave, inst, 0, first);
            wave.scalars.set(inst.dst, value);
        }
        What::ReadLane => {
            let lane = wave.scalar32(inst.src[1], inst.literal) as usize % wave.lanes;
            let value = of_lane(wave, inst, 0, lane);
            wave.scalars.set(inst.dst, value);
        }
        What::WriteLane => {
            let lane = wave.scalar32(inst.src[1], inst.literal) as usize % wave.lanes;
            let value = wave.scalar32(inst.src[0], inst.literal);
            wave.rows.set_lane(dst, lane, value);
        }
        What::Swap => {
            let other = inst.src[0].row().map_or(0, usize::from);
            let kept = *wave.rows.row(dst);
            wave.rows.copy(other, dst, exec);
            for lane in each(exec) {
                wave.rows.set_lane(other, lane, kept.as_flattened()[lane]);
            }
        }
        What::SwapHalves => swap_halves(wave, inst),
        What::SwapRows(size) => swap_rows(wave, inst, size),
        What::MoveFromIndexed => {
            let source = inst.src[0].row().map_or(0, usize::from);
            wave.rows.copy((source + m0) & 255, dst, exec);
        }
        What::MoveToIndexed => {
            let target = (dst + m0) & 255;
            for lane in each(exec) {
                let value = of_lane(wave, inst, 0, lane);
                wave.rows.set_lane(target, lane, value);
            }
        }
        What::PermLane { other } => permute(wave, inst, other),
        What::PermLane64 => {
            let source = *wave.rows.row(inst.src[0].row().map_or(0, usize::from));
            for lane in each(exec) {
                wave.rows.set_lane(dst, lane, source.as_flattened()[(lane + 32) % 64]);
            }
        }
        _ => {}
    }
}

/// Active lanes of two halves of registers change places.
fn swap_halves(wave: &mut Wave, inst: &Inst) {
    let rows = [inst.dst, inst.src[0]].map(|operand| operand.row().map_or(0, usize::from));
    let shifts = [8, 1].map(|bit| if inst.modifiers.op_sel & bit != 0 { 16 } else { 0 });
    for lane in each(wave.scalars.exec()) {
        let values = [0, 1].map(|at| wave.rows.lane(rows[at], lane) >> shifts[at] & 0xffff);
        for (at, value) in [(0, values[1]), (1, values[0])] {
            let kept = wave.rows.lane(rows[at], lane) & !(0xffff << shifts[at]);
            wave.rows.set_lane(rows[at], lane, kept | value << shifts[at]);
        }
    }
}

/// Rows of lanes change places: the second, fourth ... of the first register with the first, third ... of the second (LLVM,
/// "User Guide for AMDGPU Backend", `llvm.amdgcn.permlane16.swap`).
fn swap_rows(wave: &mut Wave, inst: &Inst, size: usize) {
    let [first, second] = [inst.dst, inst.src[0]].map(|operand| operand.row().map_or(0, usize::from));
    for lane in (0..wave.lanes).filter(|lane| lane / size % 2 == 1) {
        let (odd, even) = (wave.rows.lane(first, lane), wave.rows.lane(second, lane - size));
        wave.rows.set_lane(first, lane, even);
        wave.rows.set_lane(second, lane - size, odd);
    }
}

/// Each lane of a row reads the lane that four bits of two scalars name.
fn permute(wave: &mut Wave, inst: &Inst, other: bool) {
    let source = *wave.rows.row(inst.src[0].row().map_or(0, usize::from));
    let low = u64::from(wave.scalar32(inst.src[1], inst.literal));
    let selectors = low | u64::from(wave.scalar32(inst.src[2], inst.literal)) << 32;
    let exec = wave.scalars.exec();
    let (any, zero) = (inst.modifiers.op_sel & 1 != 0, inst.modifiers.op_sel & 2 != 0);
    for lane in each(exec) {
        let row = if other { (lane & !15) ^ 16 } else { lane & !15 };
        let from = row + (selectors >> (4 * (lane & 15)) & 15) as usize;
        let readable = any || exec >> from & 1 != 0;
        if readable || zero {
            let value = if readable { source.as_flattened()[from] } else { 0 };
            wave.rows.set_lane(inst.dst.row().map_or(0, usize::from), lane, value);
        }
    }
}
