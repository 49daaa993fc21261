//! Machine words of memory instructions, as the manuals of the generations lay them out, with registers that are always
//! the same: address `v[2:3]`, data from `v8`, second data from `v12`, destination from `v16`, scalar address `s[4:5]`,
//! scalar offset `s6`, scalar destination from `s16`.

use crate::isa::{Encoding, Entry, Inst, Table, decode};
use crate::target::Generation;

pub(super) const ADDRESS: usize = 2;
pub(super) const DATA: usize = 8;
pub(super) const SECOND: usize = 12;
const RESULT: usize = 16;
pub(super) const SCALAR_ADDRESS: usize = 4;
pub(super) const SCALAR_OFFSET: usize = 6;
pub(super) const DESCRIPTOR: usize = 8;
pub(super) const SCALAR_RESULT: usize = 16;
/// The code of no scalar register before gfx11, and from then on.
const NOTHING: [u32; 2] = [0x7d, 0x7c];

/// What an instruction names beside its opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "bits of the instruction, each with its own name")]
pub(super) struct Form {
    pub(super) offset: i32,
    /// A vector register has the address or a part of it.
    pub(super) vector: bool,
    /// A scalar register has the address or a part of it.
    pub(super) scalar: bool,
    /// Data and destination are accumulation registers.
    pub(super) accumulates: bool,
    /// The destination is where the address was.
    pub(super) overlaps: bool,
}

impl Form {
    pub(super) fn new(offset: i32) -> Form {
        Form { offset, vector: true, scalar: false, accumulates: false, overlaps: false }
    }

    /// The number of a row of data: accumulation registers follow the others.
    pub(super) fn row(self, row: usize) -> usize {
        row + if self.accumulates { 256 } else { 0 }
    }

    /// The number of the destination in the instruction.
    fn destination(self) -> usize {
        if self.overlaps { ADDRESS } else { RESULT }
    }

    /// The row of the destination.
    pub(super) fn result(self) -> usize {
        self.row(self.destination())
    }
}

/// An instruction, decoded from its words.
pub(super) fn inst(table: &'static Table, entry: &Entry, form: Form) -> Inst {
    let words = match entry.encoding {
        Encoding::Ds => local(table.generation, entry, form),
        Encoding::Smem => scalar(table.generation, entry, form),
        Encoding::Mubuf => buffer(table.generation, entry, form),
        _ => by_address(table.generation, entry, form),
    };
    let inst = decode(table, &words).unwrap_or_else(|| panic!("no {} {words:x?}", entry.mnemonic));
    assert_eq!((inst.entry.mnemonic, usize::from(inst.words)), (entry.mnemonic, words.len()), "{words:x?}");
    inst
}

/// Bits from a place on.
fn bits(value: usize, place: u32) -> u32 {
    (value as u32) << place
}

fn bit(value: bool, place: u32) -> u32 {
    u32::from(value) << place
}

/// The lowest bits of a number with sign.
fn low(value: i32, count: u32) -> u32 {
    value.cast_unsigned() & ((1 << count) - 1)
}

/// The number of an encoding's segment, and whether atomics return what they found.
fn segment(encoding: Encoding) -> (u32, bool) {
    match encoding {
        Encoding::Flat => (0, false),
        Encoding::FlatReturn => (0, true),
        Encoding::Scratch => (1, false),
        Encoding::ScratchReturn => (1, true),
        Encoding::Global => (2, false),
        Encoding::GlobalReturn => (2, true),
        other => panic!("{other:?}"),
    }
}

/// `FLAT`, `GLOBAL`, `SCRATCH`.
fn by_address(generation: Generation, entry: &Entry, form: Form) -> Vec<u32> {
    let (segment, returns) = segment(entry.encoding);
    let opcode = u32::from(entry.opcode);
    let scalar = |nothing| if form.scalar { bits(SCALAR_ADDRESS, 0) } else { nothing };
    let is_private = segment == 1;
    if generation == Generation::Gfx12 {
        return vec![
            0xec00_0000 | segment << 24 | opcode << 14 | scalar(NOTHING[1]),
            bits(form.destination(), 0) | bit(is_private && form.vector, 17) | bit(returns, 20) | bits(DATA, 23),
            bits(ADDRESS, 0) | low(form.offset, 24) << 8,
        ];
    }
    let registers = bits(ADDRESS, 0) | bits(DATA, 8) | bits(form.destination(), 24);
    let head = 0xdc00_0000 | opcode << 18;
    match generation {
        Generation::Gfx11 => vec![
            head | low(form.offset, 13) | bit(returns, 14) | segment << 16,
            registers | scalar(NOTHING[1]) << 16 | bit(is_private && form.vector, 23),
        ],
        Generation::Gfx10 => {
            let neither = is_private && !form.vector && !form.scalar;
            let nothing = if neither { 0x7f } else { NOTHING[0] };
            let first = head | low(form.offset, 12) | segment << 14 | bit(returns, 16);
            vec![first, registers | scalar(nothing) << 16]
        }
        _ => {
            let has_bit = generation.is_gfx940_or_later() && is_private;
            let offset = low(form.offset, 13) | bit(has_bit && form.vector, 13);
            let first = head | offset | segment << 14 | bit(returns, 16);
            vec![first, registers | scalar(0x7f) << 16 | bit(form.accumulates, 23)]
        }
    }
}

/// `MUBUF`, with the descriptor in `s[8:11]`.
fn buffer(generation: Generation, entry: &Entry, form: Form) -> Vec<u32> {
    let opcode = u32::from(entry.opcode);
    // No scalar offset is a constant zero.
    let scalar = if form.scalar { bits(SCALAR_OFFSET, 0) } else { 0x80 };
    if generation == Generation::Gfx12 {
        let scalar = if form.scalar { scalar } else { NOTHING[1] };
        return vec![
            0xc400_0000 | opcode << 14 | scalar,
            bits(DATA, 0) | 8 << 9 | bit(form.vector, 30),
            bits(ADDRESS, 0) | low(form.offset, 24) << 8,
        ];
    }
    let second = bits(ADDRESS, 0) | bits(DATA, 8) | 2 << 16 | scalar << 24;
    let head = 0xe000_0000 | low(form.offset, 12);
    match generation {
        Generation::Gfx11 => vec![head | opcode << 18, second | bit(form.vector, 22)],
        Generation::Gfx10 => {
            vec![head | bit(form.vector, 12) | (opcode & 0x7f) << 18 | opcode >> 7 << 25, second]
        }
        _ => vec![head | bit(form.vector, 12) | opcode << 18, second | bit(form.accumulates, 23)],
    }
}

/// `DS`. The barrier of a grid is for global shares only.
fn local(generation: Generation, entry: &Entry, form: Form) -> Vec<u32> {
    let opcode = u32::from(entry.opcode);
    let is_global = entry.base.starts_with("ds_gws");
    let offset = low(form.offset, 16);
    let first = if generation.is_gfx9() {
        offset | bit(is_global, 16) | opcode << 17 | bit(form.accumulates, 25)
    } else {
        offset | bit(is_global, 17) | opcode << 18
    };
    vec![0xd800_0000 | first, bits(ADDRESS, 0) | bits(DATA, 8) | bits(SECOND, 16) | bits(form.destination(), 24)]
}

/// `SMEM`.
fn scalar(generation: Generation, entry: &Entry, form: Form) -> Vec<u32> {
    let opcode = u32::from(entry.opcode);
    let registers = bits(SCALAR_ADDRESS / 2, 0) | bits(SCALAR_RESULT, 6);
    let register = |nothing| if form.scalar { bits(SCALAR_OFFSET, 25) } else { nothing << 25 };
    match generation {
        // A register alone has a form of its own.
        Generation::Gfx9 | Generation::Gfx940 | Generation::Gfx950 if form.scalar && form.offset == 0 => {
            vec![0xc000_0000 | registers | opcode << 18, bits(SCALAR_OFFSET, 0)]
        }
        Generation::Gfx9 | Generation::Gfx940 | Generation::Gfx950 => {
            let first = 0xc000_0000 | registers | bit(form.scalar, 14) | 1 << 17 | opcode << 18;
            vec![first, low(form.offset, 21) | register(0)]
        }
        Generation::Gfx10 | Generation::Gfx11 => {
            let nothing = NOTHING[usize::from(generation == Generation::Gfx11)];
            vec![0xf400_0000 | registers | opcode << 18, low(form.offset, 21) | register(nothing)]
        }
        Generation::Gfx12 => {
            vec![0xf400_0000 | registers | opcode << 13, low(form.offset, 24) | register(NOTHING[1])]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Target;

    /// The text of an instruction, by its first entry of a name.
    fn text(target: &str, name: &str, encoding: Encoding, form: Form) -> String {
        let table = Table::of(Target::parse(target).unwrap().processor);
        let entry = table.entries().find(|entry| entry.base == name && entry.encoding == encoding).unwrap();
        inst(table, entry, form).text(table.generation)
    }

    #[test]
    fn words_say_what_a_form_says() {
        let scalar = |offset| Form { scalar: true, ..Form::new(offset) };
        let apart = |offset| Form { vector: false, ..scalar(offset) };
        for (target, name, encoding, form, expected) in [
            (
                "gfx90a",
                "global_load_dword",
                Encoding::Global,
                Form::new(-8),
                "global_load_dword v16, v[2:3], off offset:-8",
            ),
            ("gfx1030", "global_load_dword", Encoding::Global, scalar(8), "global_load_dword v16, v2, s[4:5] offset:8"),
            (
                "gfx1201",
                "global_store_b64",
                Encoding::Global,
                scalar(-9),
                "global_store_b64 v2, v[8:9], s[4:5] offset:-9",
            ),
            ("gfx1100", "scratch_load_b32", Encoding::Scratch, scalar(4), "scratch_load_b32 v16, v2, s4 offset:4"),
            ("gfx942", "scratch_load_dword", Encoding::Scratch, apart(4), "scratch_load_dword v16, off, s4 offset:4"),
            (
                "gfx90a",
                "buffer_load_dword",
                Encoding::Mubuf,
                scalar(4),
                "buffer_load_dword v8, v2, s[8:11], s6 offen offset:4",
            ),
            (
                "gfx90a",
                "ds_write2_b32",
                Encoding::Ds,
                Form::new(0x201),
                "ds_write2_b32 v2, v8, v12 offset0:1 offset1:2",
            ),
            ("gfx1201", "s_load_b64", Encoding::Smem, scalar(-4), "s_load_b64 s[16:17], s[4:5], s6 offset:-0x4"),
        ] {
            assert_eq!(text(target, name, encoding, form), expected);
        }
    }
}
