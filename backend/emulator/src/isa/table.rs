//! Tables of instructions: which opcode of which encoding is what, and which operands it has.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::target::{Generation, Processor};

/// How the words of an instruction are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Scalar, two sources.
    Sop2,
    /// Scalar, constant of 16 bits.
    Sopk,
    /// Scalar, one source.
    Sop1,
    /// Scalar comparison.
    Sopc,
    /// Control of the program.
    Sopp,
    /// Scalar load.
    Smem,
    /// Vector, two sources.
    Vop2,
    /// Vector, one source.
    Vop1,
    /// Vector comparison.
    Vopc,
    /// Vector, three sources and modifiers.
    Vop3,
    /// Vector, two halves or matrices.
    Vop3p,
    /// First half of two operations in one instruction.
    VopdX,
    /// Second half of two operations in one instruction.
    VopdY,
    /// LDS.
    Ds,
    /// Memory by address, of whatever space.
    Flat,
    /// The same, returning what atomics found.
    FlatReturn,
    /// Global memory.
    Global,
    /// The same, returning what atomics found.
    GlobalReturn,
    /// Private memory.
    Scratch,
    /// The same with the bit for return, which means caching there.
    ScratchReturn,
    /// Memory by descriptor.
    Mubuf,
    /// Images.
    Mimg,
}

const ENCODINGS: &[(&str, Encoding)] = &[
    ("SOP2", Encoding::Sop2),
    ("SOPK", Encoding::Sopk),
    ("SOP1", Encoding::Sop1),
    ("SOPC", Encoding::Sopc),
    ("SOPP", Encoding::Sopp),
    ("SMEM", Encoding::Smem),
    ("VOP2", Encoding::Vop2),
    ("VOP1", Encoding::Vop1),
    ("VOPC", Encoding::Vopc),
    ("VOP3", Encoding::Vop3),
    ("VOP3P", Encoding::Vop3p),
    ("VOPDX", Encoding::VopdX),
    ("VOPDY", Encoding::VopdY),
    ("DS", Encoding::Ds),
    ("FLAT", Encoding::Flat),
    ("FLAT_RTN", Encoding::FlatReturn),
    ("GLOBAL", Encoding::Global),
    ("GLOBAL_RTN", Encoding::GlobalReturn),
    ("SCRATCH", Encoding::Scratch),
    ("SCRATCH_RTN", Encoding::ScratchReturn),
    ("MUBUF", Encoding::Mubuf),
    ("MIMG", Encoding::Mimg),
];

/// What an operand is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Vector destination.
    Dst,
    /// Scalar destination.
    ScalarDst,
    /// Carry-out or comparison beside a vector destination.
    CarryOut,
    /// First source; address of memory.
    A,
    /// Second source.
    B,
    /// Third source.
    C,
    /// First data of memory.
    X,
    /// Second data of memory.
    Y,
    /// Literal that belongs to the opcode.
    Literal,
    /// VCC, written out.
    Vcc,
    /// Anything else that is always the same.
    Fixed,
}

/// An operand of an instruction, in the order of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// What it is.
    pub field: Field,
    /// Registers of 32 bits; 0 is half a register.
    pub registers: u8,
}

/// An instruction.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// Layout of the words.
    pub encoding: Encoding,
    /// Number among those of the encoding.
    pub opcode: u16,
    /// Mnemonic as LLVM writes it, with `_e32` or `_e64`.
    pub mnemonic: &'static str,
    /// Mnemonic without the name of an encoding.
    pub base: &'static str,
    /// Operands.
    pub slots: Vec<Slot>,
}

impl Entry {
    /// The operand of a field.
    pub fn slot(&self, field: Field) -> Option<Slot> {
        self.slots.iter().copied().find(|slot| slot.field == field)
    }

    /// Registers of a field, 1 where there is no such operand or only half of one.
    pub fn registers(&self, field: Field) -> u8 {
        self.slot(field).map_or(1, |slot| slot.registers.max(1))
    }
}

/// The instructions of a processor.
#[derive(Debug)]
pub struct Table {
    /// Registers, fields and special codes.
    pub generation: Generation,
    entries: HashMap<(Encoding, u16), Entry>,
}

impl Table {
    /// The instructions of a processor.
    pub fn of(processor: &Processor) -> &'static Table {
        static GFX9: OnceLock<Table> = OnceLock::new();
        static GFX9_OLDER: OnceLock<Table> = OnceLock::new();
        static GFX11: OnceLock<Table> = OnceLock::new();
        let (gfx9, older, gfx11) = (
            include_str!("../../tables/gfx9.txt"),
            include_str!("../../tables/gfx9_older.txt"),
            include_str!("../../tables/gfx11.txt"),
        );
        match processor.generation {
            Generation::Gfx9 if processor.unified_registers => {
                GFX9.get_or_init(|| Table::read(Generation::Gfx9, &[gfx9]))
            }
            Generation::Gfx9 => GFX9_OLDER.get_or_init(|| Table::read(Generation::Gfx9, &[gfx9, older])),
            Generation::Gfx11 => GFX11.get_or_init(|| Table::read(Generation::Gfx11, &[gfx11])),
        }
    }

    /// The instruction of an opcode.
    pub fn get(&self, encoding: Encoding, opcode: u32) -> Option<&Entry> {
        self.entries.get(&(encoding, u16::try_from(opcode).ok()?))
    }

    /// All instructions, in no order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// Later texts replace what earlier ones have.
    fn read(generation: Generation, texts: &[&'static str]) -> Table {
        let lines = texts.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with('#'));
        let entries = lines.filter_map(entry).map(|entry| ((entry.encoding, entry.opcode), entry)).collect();
        Table { generation, entries }
    }
}

fn entry(line: &'static str) -> Option<Entry> {
    let mut words = line.split(' ');
    let name = words.next()?;
    let (_, encoding) = ENCODINGS.iter().find(|(known, _)| *known == name)?;
    let opcode = words.next()?.parse().ok()?;
    let mnemonic = words.next()?;
    let base = mnemonic.strip_suffix("_e32").or_else(|| mnemonic.strip_suffix("_e64")).unwrap_or(mnemonic);
    Some(Entry { encoding: *encoding, opcode, mnemonic, base, slots: words.map(slot).collect() })
}

fn slot(word: &str) -> Slot {
    let simple = |field| Slot { field, registers: 1 };
    match word {
        "vcc" => return simple(Field::Vcc),
        "k" => return simple(Field::Literal),
        _ => {}
    }
    let (letter, count) = word.split_at(1);
    let field = match letter {
        "d" => Field::Dst,
        "D" => Field::ScalarDst,
        "B" => Field::CarryOut,
        "a" => Field::A,
        "b" => Field::B,
        "c" => Field::C,
        "x" => Field::X,
        "y" => Field::Y,
        _ => return simple(Field::Fixed),
    };
    let registers = if count == "h" { 0 } else { count.parse().unwrap_or(1) };
    Slot { field, registers }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Target;

    #[test]
    fn every_line_of_the_tables_is_an_instruction() {
        for (text, processor) in [
            (include_str!("../../tables/gfx9.txt"), Target::GFX90A.processor),
            (include_str!("../../tables/gfx11.txt"), Target::GFX1100.processor),
        ] {
            let lines = text.lines().filter(|line| !line.starts_with('#')).count();
            assert_eq!(Table::of(processor).entries().count(), lines);
        }
    }

    #[test]
    fn older_processors_have_another_instruction_at_some_opcodes() {
        let older = Target::parse("gfx906").unwrap();
        assert_eq!(Table::of(older.processor).get(Encoding::Vop2, 4).unwrap().base, "v_mul_legacy_f32");
        assert_eq!(Table::of(Target::GFX90A.processor).get(Encoding::Vop2, 4).unwrap().base, "v_fmac_f64");
    }
}
