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
    /// Images; on gfx12 those without a sampler.
    Mimg,
    /// Images through a sampler, on gfx12.
    Vsample,
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
    ("VSAMPLE", Encoding::Vsample),
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

    /// Whether bits of its own choose registers for accumulation: matrix products of gfx908 and later, and moves.
    pub fn names_accumulators(&self) -> bool {
        ["v_mfma_", "v_smfmac_", "v_accvgpr_"].iter().any(|start| self.base.starts_with(start))
            && self.encoding == Encoding::Vop3p
    }

    /// Registers of a field, 1 where there is no such operand or only half of one.
    pub fn registers(&self, field: Field) -> u8 {
        self.slot(field).map_or(1, |slot| slot.registers.max(1))
    }
}

const GFX9: &str = include_str!("../../tables/gfx9.txt");
const GFX906: &str = include_str!("../../tables/gfx906.txt");
const GFX908: &str = include_str!("../../tables/gfx908.txt");
const GFX940: &str = include_str!("../../tables/gfx940.txt");
const GFX950: &str = include_str!("../../tables/gfx950.txt");
const GFX10: &str = include_str!("../../tables/gfx10.txt");
const GFX11: &str = include_str!("../../tables/gfx11.txt");
const GFX12: &str = include_str!("../../tables/gfx12.txt");

/// The instructions of a processor.
#[derive(Debug)]
pub struct Table {
    /// Registers, fields and special codes.
    pub generation: Generation,
    /// Products of matrices are in registers for accumulation, whatever the instruction's bit says.
    pub always_accumulates: bool,
    entries: HashMap<(Encoding, u16), Entry>,
}

impl Table {
    /// The instructions of a processor.
    pub fn of(processor: &Processor) -> &'static Table {
        static TABLES: [OnceLock<Table>; 8] = [const { OnceLock::new() }; 8];
        let (at, texts): (usize, &[&'static str]) = match (processor.generation, processor.name) {
            (Generation::Gfx9, "gfx906") => (0, &[GFX9, GFX908, GFX906]),
            (Generation::Gfx9, "gfx908") => (1, &[GFX9, GFX908]),
            (Generation::Gfx9, _) => (2, &[GFX9]),
            (Generation::Gfx950, _) => (3, &[GFX9, GFX940, GFX950]),
            (Generation::Gfx940, _) => (4, &[GFX9, GFX940]),
            (Generation::Gfx10, _) => (5, &[GFX10]),
            (Generation::Gfx11, _) => (6, &[GFX11]),
            (Generation::Gfx12, _) => (7, &[GFX12]),
        };
        TABLES[at].get_or_init(|| Table {
            generation: processor.generation,
            always_accumulates: !processor.unified_registers,
            entries: Table::read(texts),
        })
    }

    /// The instruction of an opcode.
    pub fn get(&self, encoding: Encoding, opcode: u32) -> Option<&Entry> {
        self.entries.get(&(encoding, u16::try_from(opcode).ok()?))
    }

    /// All instructions, in no order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// Later texts replace what earlier ones have, and take away what they have a dash for.
    fn read(texts: &[&'static str]) -> HashMap<(Encoding, u16), Entry> {
        let lines = texts.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with('#'));
        let mut entries = HashMap::new();
        for (encoding, opcode, rest) in lines.filter_map(parts) {
            if rest == "-" {
                entries.remove(&(encoding, opcode));
            } else if let Some(entry) = entry(encoding, opcode, rest) {
                entries.insert((encoding, opcode), entry);
            }
        }
        entries
    }
}

/// Encoding, opcode and what else a line has.
fn parts(line: &'static str) -> Option<(Encoding, u16, &'static str)> {
    let mut words = line.splitn(3, ' ');
    let name = words.next()?;
    let (_, encoding) = ENCODINGS.iter().find(|(known, _)| *known == name)?;
    Some((*encoding, words.next()?.parse().ok()?, words.next()?))
}

fn entry(encoding: Encoding, opcode: u16, rest: &'static str) -> Option<Entry> {
    let mut words = rest.split(' ');
    let mnemonic = words.next()?;
    let base = mnemonic.strip_suffix("_e32").or_else(|| mnemonic.strip_suffix("_e64")).unwrap_or(mnemonic);
    Some(Entry { encoding, opcode, mnemonic, base, slots: words.map(slot).collect() })
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
        for (text, processor) in [(GFX9, "gfx90a"), (GFX10, "gfx1030"), (GFX11, "gfx1100"), (GFX12, "gfx1201")] {
            let lines = text.lines().filter(|line| !line.starts_with('#')).count();
            let target = Target::parse(processor).unwrap();
            assert_eq!(Table::of(target.processor).entries().count(), lines);
        }
        for text in [GFX906, GFX908, GFX940, GFX950] {
            assert!(text.lines().all(|line| line.starts_with('#') || parts(line).is_some()));
        }
    }

    #[test]
    fn processors_of_a_family_differ_in_some_opcodes() {
        let at = |processor: &str, encoding, opcode| {
            let target = Target::parse(processor).unwrap();
            Table::of(target.processor).get(encoding, opcode).map(|entry| entry.base)
        };
        assert_eq!(at("gfx906", Encoding::Vop2, 4), Some("v_mul_legacy_f32"));
        assert_eq!(at("gfx90a", Encoding::Vop2, 4), Some("v_fmac_f64"));
        assert_eq!(at("gfx908", Encoding::Vop3p, 64), Some("v_mfma_f32_32x32x1f32"));
        assert_eq!(at("gfx906", Encoding::Vop3p, 64), None);
        assert_eq!(at("gfx942", Encoding::Vop3p, 64), Some("v_mfma_f32_32x32x1_2b_f32"));
        assert_eq!(at("gfx942", Encoding::Vop2, 22), None);
        assert_eq!(at("gfx950", Encoding::Vop2, 22), Some("v_dot2c_f32_bf16"));
    }
}
