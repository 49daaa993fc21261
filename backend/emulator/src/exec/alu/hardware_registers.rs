//! Hardware registers: reads, and writes of the mode of floats.

use crate::exec::launch::context::Context;
use crate::exec::launch::failure::Failure;
use crate::exec::state::wave::Wave;
use crate::fault::FaultKind;
use crate::isa::Inst;
use crate::target::Generation;

/// The mode of floats.
const MODE: i32 = 1;
const FLAT_SCRATCH: [i32; 2] = [20, 21];
const SHADER_CYCLES: i32 = 29;
/// The high half of the clock, from gfx12 on.
const SHADER_CYCLES_HIGH: i32 = 30;

/// What an instruction does with a hardware register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HardwareAccess {
    Read,
    /// Nothing of what it writes has an effect here.
    Ignored,
    /// Writes a field of the mode from a register.
    SetMode,
    /// Writes a field of the mode from the literal.
    SetModeTo,
    /// Writes the directions of rounding.
    Rounding,
    /// Writes what becomes of denormals.
    Denormals,
}

impl HardwareAccess {
    /// `None` for other instructions, and for writes that would change what is not there.
    pub(super) fn new(inst: &Inst, generation: Generation) -> Option<HardwareAccess> {
        let register = inst.imm & 63;
        Some(match inst.entry.base {
            "s_getreg_b32" => HardwareAccess::Read,
            "s_setreg_b32" if register == MODE => HardwareAccess::SetMode,
            "s_setreg_imm32_b32" if register == MODE => HardwareAccess::SetModeTo,
            "s_setreg_b32" if FLAT_SCRATCH.contains(&register) && !generation.is_gfx9() => HardwareAccess::Ignored,
            "s_round_mode" => HardwareAccess::Rounding,
            "s_denorm_mode" => HardwareAccess::Denormals,
            _ => return None,
        })
    }
}

/// Runs one instruction. Fails if it changes more of the mode than how floats are computed.
pub(super) fn run(wave: &mut Wave, inst: &Inst, access: HardwareAccess, context: &Context) -> Result<(), Failure> {
    let (offset, size) = (inst.imm.cast_unsigned() >> 6 & 31, (inst.imm.cast_unsigned() >> 11 & 31) + 1);
    let (offset, size, value) = match access {
        HardwareAccess::Ignored => return Ok(()),
        HardwareAccess::Read => {
            let field = value(wave, inst.imm & 63, context) >> offset & u32::MAX >> (32 - size);
            wave.scalars.set(inst.dst, field);
            return Ok(());
        }
        HardwareAccess::SetMode => (offset, size, wave.scalar32(inst.dst, inst.literal)),
        HardwareAccess::SetModeTo => (offset, size, inst.literal),
        HardwareAccess::Rounding => (0, 4, inst.imm.cast_unsigned()),
        HardwareAccess::Denormals => (4, 4, inst.imm.cast_unsigned()),
    };
    let Some(mode) = wave.mode().with(offset, size, value) else {
        return Err(FaultKind::Unimplemented(inst.text(context.listing.generation)).into());
    };
    wave.set_mode(mode);
    Ok(())
}

/// What a register reads as.
fn value(wave: &Wave, register: i32, context: &Context) -> u32 {
    match register {
        MODE => wave.mode().bits(),
        SHADER_CYCLES => context.shared.clock() as u32,
        SHADER_CYCLES_HIGH if context.listing.generation == Generation::Gfx12 => (context.shared.clock() >> 32) as u32,
        _ => 0,
    }
}
