//! Machine words on their way to an instruction.

use super::inst::Inst;
use super::operand::Operand;
use super::table::{Encoding, Field, Table};

/// What the functions that decode look at.
pub(super) struct Code<'w> {
    pub(super) table: &'static Table,
    pub(super) words: &'w [u32],
    /// The first word.
    pub(super) word: u32,
}

impl Code<'_> {
    /// The bits `low..low + count` of the first word.
    pub(super) fn bits(&self, low: u32, count: u32) -> u32 {
        self.word >> low & ((1 << count) - 1)
    }

    /// The instruction of an opcode, without operands.
    pub(super) fn start(&self, encoding: Encoding, opcode: u32) -> Option<Inst> {
        self.table.get(encoding, opcode).map(Inst::new)
    }

    /// Makes the codes of M0 and of nothing those of gfx9.
    pub(super) fn operand(&self, code: u32) -> Operand {
        let swapped = self.table.generation.is_gfx11_or_later();
        match code {
            124 if swapped => Operand::NULL,
            125 if swapped => Operand::M0,
            code => Operand(code as u16),
        }
    }

    /// Takes the literal behind the instruction if a source asks for one.
    pub(super) fn with_literal(&self, mut inst: Inst) -> Option<Inst> {
        let sources = inst.src.iter().chain(inst.dual.iter().flat_map(|(_, _, sources)| sources));
        let has_slot = inst.entry.slot(Field::Literal).is_some()
            || inst.dual.is_some_and(|(entry, ..)| entry.slot(Field::Literal).is_some());
        if has_slot || sources.into_iter().any(|source| *source == Operand::LITERAL) {
            inst.literal = *self.words.get(usize::from(inst.words))?;
            inst.words += 1;
        }
        Some(inst)
    }
}
