//! Scalar loads.

use super::bounds::check_global;
use crate::exec::checks::written_checks;
use crate::exec::launch::context::Context;
use crate::exec::launch::failure::Failure;
use crate::exec::state::wave::Wave;
use crate::isa::{Field, Inst, Operand};
use crate::memory::access;

/// A scalar load, ready to run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScalarLoad {
    base: Operand,
    offset: Option<Operand>,
    imm: i32,
    dst: Operand,
    what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// So many words of memory.
    Words(u16),
    /// A value of so many bytes, 1 or 2, with its sign or without.
    Short(u32, bool),
    /// A clock.
    Time,
    Nothing,
}

impl ScalarLoad {
    /// Reads what the instruction does; `None` if it is not known.
    pub(crate) fn new(inst: &Inst) -> Option<ScalarLoad> {
        let base = inst.entry.base;
        let what = match base {
            "s_memtime" | "s_memrealtime" => What::Time,
            "s_dcache_inv" | "s_dcache_wb" | "s_dcache_inv_vol" | "s_dcache_wb_vol" | "s_gl1_inv" => What::Nothing,
            "s_load_u8" => What::Short(1, false),
            "s_load_i8" => What::Short(1, true),
            "s_load_u16" => What::Short(2, false),
            "s_load_i16" => What::Short(2, true),
            "s_prefetch_inst" | "s_prefetch_inst_pc_rel" | "s_prefetch_data" | "s_prefetch_data_pc_rel" => {
                What::Nothing
            }
            _ if base.starts_with("s_load_") => What::Words(u16::from(inst.entry.registers(Field::Dst))),
            _ => return None,
        };
        let offset = (inst.flags & 2 != 0).then_some(inst.src[1]);
        Some(ScalarLoad { base: inst.src[0], offset, imm: inst.imm, dst: inst.dst, what })
    }
}

/// Runs one instruction.
pub(crate) fn run(wave: &mut Wave, load: &ScalarLoad, context: &Context) -> Result<(), Failure> {
    match load.what {
        What::Nothing => {}
        What::Time => wave.scalars.set64(load.dst, context.shared.clock()),
        What::Short(bytes, signed) => {
            let address = address(wave, load);
            check_global(wave, context, None, (address, bytes), false)?;
            written_checks::read_at(wave, context, address, bytes, load.dst);
            let raw =
                if bytes == 1 { u32::from(access::load_u8(address)) } else { u32::from(access::load_u16(address)) };
            let unused = 32 - 8 * bytes;
            let value = if signed { ((raw << unused).cast_signed() >> unused).cast_unsigned() } else { raw };
            wave.scalars.set(load.dst, value);
        }
        What::Words(words) => {
            let address = address(wave, load) & !3;
            check_global(wave, context, None, (address, 4 * u32::from(words)), false)?;
            written_checks::read_at(wave, context, address, 4 * u32::from(words), load.dst);
            for word in 0..words {
                let value = access::load_u32(address + 4 * u64::from(word));
                wave.scalars.set(Operand(load.dst.0 + word), value);
            }
        }
    }
    Ok(())
}

fn address(wave: &Wave, load: &ScalarLoad) -> u64 {
    let offset = load.offset.map_or(0, |operand| u64::from(wave.scalar32(operand, 0)));
    wave.scalars.get64(load.base).wrapping_add(offset).wrapping_add_signed(i64::from(load.imm))
}
