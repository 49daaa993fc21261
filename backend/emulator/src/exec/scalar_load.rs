//! Scalar loads.

use super::action::{Context, Failure};
use super::wave::Wave;
use crate::fault::{FaultKind, Space};
use crate::isa::{Field, Inst, Operand};
use crate::memory::access;

/// A scalar load, ready to run.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScalarLoad {
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
    /// A clock.
    Time,
    Nothing,
}

impl ScalarLoad {
    /// Reads what the instruction does; `None` if it is not known.
    pub(super) fn new(inst: &Inst) -> Option<ScalarLoad> {
        let base = inst.entry.base;
        let what = match base {
            "s_memtime" | "s_memrealtime" => What::Time,
            "s_dcache_inv" | "s_dcache_wb" | "s_dcache_inv_vol" | "s_dcache_wb_vol" | "s_gl1_inv" => What::Nothing,
            _ if base.starts_with("s_load_") => What::Words(u16::from(inst.entry.registers(Field::Dst))),
            _ => return None,
        };
        let offset = (inst.flags & 2 != 0).then_some(inst.src[1]);
        Some(ScalarLoad { base: inst.src[0], offset, imm: inst.imm, dst: inst.dst, what })
    }
}

/// Runs one instruction.
pub(super) fn run(wave: &mut Wave, load: &ScalarLoad, context: &Context) -> Result<(), Failure> {
    match load.what {
        What::Nothing => {}
        What::Time => wave.scalars.set64(load.dst, context.shared.clock()),
        What::Words(words) => {
            let offset = load.offset.map_or(0, |operand| u64::from(wave.scalar32(operand, 0)));
            let address =
                wave.scalars.get64(load.base).wrapping_add(offset).wrapping_add_signed(i64::from(load.imm)) & !3;
            let bytes = 4 * u64::from(words);
            if !wave.cache.allows(context.memory(), address, bytes) {
                let place = context.memory().describe(address);
                let (space, bytes) = (Space::Global, bytes as u32);
                return Err(FaultKind::OutOfBounds { space, address, bytes, write: false, place }.into());
            }
            for word in 0..words {
                let value = access::load_u32(address + 4 * u64::from(word));
                wave.scalars.set(Operand(load.dst.0 + word), value);
            }
        }
    }
    Ok(())
}
