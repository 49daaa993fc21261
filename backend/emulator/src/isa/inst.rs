//! A decoded instruction.

use super::operand::Operand;
use super::table::{Encoding, Entry};

/// Changes of operands and results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// Limit the result: 0 to 1 for floats, no wrapping for integers.
    pub clamp: bool,
    /// Multiply the result: 1 by two, 2 by four, 3 by one half.
    pub omod: u8,
    /// Change the sign of sources, one bit each; of low halves in packed instructions.
    pub neg: u8,
    /// Take the magnitude of sources; change the sign of high halves in packed instructions.
    pub abs: u8,
    /// Use the high half of sources (bits 0 to 2), write the high half of the destination (bit 3).
    pub op_sel: u8,
    /// Use the high half of sources for the high result of packed instructions.
    pub op_sel_hi: u8,
}

/// Bits and numbers that direct caches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "bits of the instruction, each with its own name")]
pub struct Cache {
    /// `glc`, on gfx942 `sc0`; return what an atomic found.
    pub glc: bool,
    /// `slc`, on gfx942 `nt`.
    pub slc: bool,
    /// `dlc`.
    pub dlc: bool,
    /// `scc`, on gfx942 `sc1`.
    pub scc: bool,
    /// Temporal hint of gfx12, 0 to 7.
    pub hint: u8,
    /// Scope of gfx12: unit, engine, device, system.
    pub scope: u8,
}

/// A part of a register.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Select {
    /// A byte, 0 to 3.
    Byte(u8),
    /// A half, 0 or 1.
    Word(u8),
    /// All of it.
    #[default]
    Dword,
}

/// Sub-dword addressing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sdwa {
    /// Part that is written.
    pub dst: Select,
    /// What happens to the rest: 0 zero, 1 sign, 2 kept.
    pub unused: u8,
    /// Parts that are read.
    pub src: [Select; 2],
    /// Parts are extended with their sign.
    pub sext: [bool; 2],
}

/// Data from other lanes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dpp {
    /// Which lanes.
    pub control: u16,
    /// Rows of 16 lanes that are written.
    pub row_mask: u8,
    /// Banks of 4 lanes that are written.
    pub bank_mask: u8,
    /// Lanes without a source read zero; without this they are not written.
    pub bound_control: bool,
    /// Inactive lanes can be read.
    pub fetch_inactive: bool,
}

/// Variants of vector instructions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// None of the below.
    #[default]
    Plain,
    /// Parts of registers.
    Sdwa(Sdwa),
    /// Data from other lanes.
    Dpp(Dpp),
    /// Data from any lane of eight: three bits for each; the flag allows inactive lanes.
    Dpp8(u32, bool),
}

/// An instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inst {
    /// What it is.
    pub entry: &'static Entry,
    /// Second operation of a dual instruction, with its destination and sources.
    pub dual: Option<(&'static Entry, Operand, [Operand; 2])>,
    /// Words of 32 bits.
    pub words: u8,
    /// Destination; scalar or vector.
    pub dst: Operand,
    /// Second destination: carry-out; descriptor of `MUBUF`.
    pub sdst: Operand,
    /// Sources. Memory: address, data, second data or scalar address or offset.
    pub src: [Operand; 3],
    /// Literal.
    pub literal: u32,
    /// Constant of 16 bits, or offset of memory.
    pub imm: i32,
    /// Changes of operands and results.
    pub modifiers: Modifiers,
    /// Cache bits.
    pub cache: Cache,
    /// `MUBUF`: a vector register holds an offset (bit 0), an index (bit 1). `SMEM`: a scalar register is the offset.
    /// `DS`: `gds`. `FLAT`: `lds`, `nv`.
    pub flags: u8,
    /// Variant.
    pub form: Form,
}

impl Inst {
    /// An instruction without operands.
    pub(super) fn new(entry: &'static Entry) -> Inst {
        Inst {
            entry,
            dual: None,
            words: 1,
            dst: Operand::NULL,
            sdst: Operand::NULL,
            src: [Operand::NULL; 3],
            literal: 0,
            imm: 0,
            modifiers: Modifiers::default(),
            cache: Cache::default(),
            flags: 0,
            form: Form::Plain,
        }
    }

    /// Whether it ends a program.
    pub fn is_end(&self) -> bool {
        self.entry.encoding == Encoding::Sopp && self.entry.base.starts_with("s_endpgm")
    }

    /// Bytes from this instruction to where it branches to.
    pub fn branch_offset(&self) -> Option<i64> {
        let branches = self.entry.base.starts_with("s_branch")
            || self.entry.base.starts_with("s_cbranch")
            || self.entry.base == "s_call_b64";
        branches.then(|| 4 + 4 * i64::from(self.imm as i16))
    }
}
