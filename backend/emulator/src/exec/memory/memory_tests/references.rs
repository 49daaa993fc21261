//! What memory instructions do, by name, on plain bytes: loads and stores of vector registers.

use super::bench::State;

/// Which part of a register a short value takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    All,
    Low,
    High,
}

/// How a value lies in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) bytes: usize,
    signed: bool,
    part: Part,
}

/// A load or a store of one place or of two, whose offsets count in units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transfer {
    Load(Shape),
    Store(Shape),
    LoadTwo(Shape, usize),
    StoreTwo(Shape, usize),
}

impl Transfer {
    pub(super) fn shape(self) -> Shape {
        let (Transfer::Load(shape) | Transfer::Store(shape)) = self else {
            let (Transfer::LoadTwo(shape, _) | Transfer::StoreTwo(shape, _)) = self else { unreachable!() };
            return shape;
        };
        shape
    }
}

/// Names of loads without their space: bytes, sign, part of the register.
const LOADS: &[(&str, usize, bool, Part)] = &[
    ("load_ubyte load_u8 read_u8", 1, false, Part::All),
    ("load_sbyte load_i8 read_i8", 1, true, Part::All),
    ("load_ushort load_u16 read_u16", 2, false, Part::All),
    ("load_sshort load_i16 read_i16", 2, true, Part::All),
    ("load_dword load_b32 read_b32", 4, false, Part::All),
    ("load_dwordx2 load_b64 read_b64", 8, false, Part::All),
    ("load_dwordx3 load_b96 read_b96", 12, false, Part::All),
    ("load_dwordx4 load_b128 read_b128", 16, false, Part::All),
    ("load_ubyte_d16 load_d16_u8 load_u8_d16 read_u8_d16", 1, false, Part::Low),
    ("load_sbyte_d16 load_d16_i8 load_i8_d16 read_i8_d16", 1, true, Part::Low),
    ("load_short_d16 load_d16_b16 load_u16_d16 read_u16_d16", 2, false, Part::Low),
    ("load_ubyte_d16_hi load_d16_hi_u8 load_u8_d16_hi read_u8_d16_hi", 1, false, Part::High),
    ("load_sbyte_d16_hi load_d16_hi_i8 load_i8_d16_hi read_i8_d16_hi", 1, true, Part::High),
    ("load_short_d16_hi load_d16_hi_b16 load_u16_d16_hi read_u16_d16_hi", 2, false, Part::High),
];

const STORES: &[(&str, usize, Part)] = &[
    ("store_byte store_b8 write_b8", 1, Part::All),
    ("store_short store_b16 write_b16", 2, Part::All),
    ("store_dword store_b32 write_b32", 4, Part::All),
    ("store_dwordx2 store_b64 write_b64", 8, Part::All),
    ("store_dwordx3 store_b96 write_b96", 12, Part::All),
    ("store_dwordx4 store_b128 write_b128", 16, Part::All),
    ("store_byte_d16_hi store_d16_hi_b8 store_b8_d16_hi write_b8_d16_hi", 1, Part::High),
    ("store_short_d16_hi store_d16_hi_b16 store_b16_d16_hi write_b16_d16_hi", 2, Part::High),
];

/// Names of accesses of two places in LDS: bytes of each, and what their offsets count in.
const PAIRS: &[(&str, &str, usize, usize)] = &[
    ("read2_b32 load_2addr_b32", "write2_b32 store_2addr_b32", 4, 4),
    ("read2_b64 load_2addr_b64", "write2_b64 store_2addr_b64", 8, 8),
    ("read2st64_b32 load_2addr_stride64_b32", "write2st64_b32 store_2addr_stride64_b32", 4, 4 * 64),
    ("read2st64_b64 load_2addr_stride64_b64", "write2st64_b64 store_2addr_stride64_b64", 8, 8 * 64),
];

/// The name of an instruction without its space.
pub(super) fn name(base: &str) -> &str {
    base.split_once('_').map_or(base, |(_, name)| name)
}

/// The load or store of a name.
pub(super) fn transfer(base: &str) -> Option<Transfer> {
    let name = name(base);
    let is_one = |names: &str| names.split(' ').any(|one| one == name);
    if let Some((_, bytes, signed, part)) = LOADS.iter().find(|(names, ..)| is_one(names)) {
        return Some(Transfer::Load(Shape { bytes: *bytes, signed: *signed, part: *part }));
    }
    if let Some((_, bytes, part)) = STORES.iter().find(|(names, ..)| is_one(names)) {
        return Some(Transfer::Store(Shape { bytes: *bytes, signed: false, part: *part }));
    }
    let (reads, _, bytes, unit) = PAIRS.iter().find(|(reads, writes, ..)| is_one(reads) || is_one(writes))?;
    let shape = Shape { bytes: *bytes, signed: false, part: Part::All };
    Some(if is_one(reads) { Transfer::LoadTwo(shape, *unit) } else { Transfer::StoreTwo(shape, *unit) })
}

/// Brings a value from memory into the registers from `row` on.
pub(super) fn load(state: &mut State, shape: Shape, (row, lane): (usize, usize), place: usize) {
    if shape.bytes >= 4 {
        for word in 0..shape.bytes / 4 {
            state.set(row + word, lane, state.number(place + 4 * word, 4) as u32);
        }
        return;
    }
    let raw = state.number(place, shape.bytes) as i64;
    let limit = 1 << (8 * shape.bytes);
    let value = if shape.signed && raw >= limit / 2 { raw - limit } else { raw };
    let half = value.rem_euclid(0x1_0000) as u32;
    // Targets with waves of 64 lanes here have memory that corrects errors: the other half becomes zero.
    let old = if state.lanes() == 64 { 0 } else { state.register(row, lane) };
    let [low, high] = [old % 0x1_0000, old / 0x1_0000];
    let loaded = match shape.part {
        Part::All => value as u32,
        Part::Low => high * 0x1_0000 + half,
        Part::High => half * 0x1_0000 + low,
    };
    state.set(row, lane, loaded);
}

/// Brings a value from the registers from `row` on into memory.
pub(super) fn store(state: &mut State, shape: Shape, (row, lane): (usize, usize), place: usize) {
    let words = (0..shape.bytes.div_ceil(4)).flat_map(|word| state.register(row + word, lane).to_le_bytes());
    let skipped = if shape.part == Part::High { 2 } else { 0 };
    let value: Vec<u8> = words.skip(skipped).take(shape.bytes).collect();
    state.bytes[place..place + shape.bytes].copy_from_slice(&value);
}
