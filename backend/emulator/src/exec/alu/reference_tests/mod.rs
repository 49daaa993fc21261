//! Vector instructions against references that share no code with them. Each runs in each of its encodings on triples of
//! edge values, on a target of each generation that has it.

mod approximations;
mod carries;
pub(super) mod comparisons;
mod complete;
mod division;
mod dpp;
mod duals;
mod modifiers;
mod moves;
mod packed;
mod sdwa;
mod small_floats;

use std::collections::BTreeSet;

use super::instruction_tests::{long_prefixes, vop3p};
use super::references::{Case, Kind, Operands, cases, signed};
use super::vector::{self, Vector};
use crate::exec::state::wave::Wave;
use crate::isa::{Encoding, Entry, Field, Inst, Operand, Table, decode};
use crate::target::{Generation, Target};

/// A target of each generation, and those that have instructions of their own.
const TARGETS: [&str; 6] = ["gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"];

fn tables() -> impl Iterator<Item = &'static Table> {
    TARGETS.into_iter().map(|name| Table::of(Target::parse(name).unwrap().processor))
}

/// Registers of the sources, of bits for lanes that come in, and of those that go out.
const A: usize = 2;
const B: usize = 4;
const C: usize = 6;
const MASK_IN: Operand = Operand(20);
const MASK_OUT: Operand = Operand(22);
/// What instructions with a literal have there.
const LITERAL: u32 = 0x4049_0fdb;

/// Values where results change: for integers and, as bits, for floats of a width.
pub(crate) fn edges(width: u32) -> Vec<u64> {
    let words = [0, 1, 2, 7, 31, 32, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
    let floats: &[u64] = match width {
        16 => &[0x0001, 0x03ff, 0x0400, 0x3800, 0x3c00, 0x3e00, 0x4248, 0x7bff, 0x7c00, 0x7e00, 0x8001, 0xbc01, 0xfc00],
        64 => &[
            0x0000_0000_0000_0001,
            0x000f_ffff_ffff_ffff,
            0x3fe0_0000_0000_0000,
            0x3ff0_0000_0000_0000,
            0x3ff8_0000_0000_0000,
            0x4009_21fb_5444_2d18,
            0x41df_ffff_ffff_ffff,
            0x47ef_ffff_f000_0000,
            0x7fef_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
            0x7ff8_0000_0000_0000,
            0xbff0_0000_0000_0001,
            0xc1e0_0000_0020_0000,
            0xffff_ffff_ffff_ffff,
            0x8000_0000_0000_0000,
        ],
        _ => &[
            0x0000_0001,
            0x007f_ffff,
            0x0080_0000,
            0x3f00_0000,
            0x3f80_0000,
            0x3fc0_0000,
            0x4049_0fdb,
            0x4eff_ffff,
            0x4f00_0000,
            0x477f_e000,
            0x477f_f000,
            0x7f7f_ffff,
            0x7f80_0000,
            0x7fc0_0000,
            0xbf80_0001,
            0xff80_0000,
        ],
    };
    let limit = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let mut all: Vec<u64> = words.into_iter().map(|value| value & limit).chain(floats.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether the third operand is the old result.
fn accumulates(entry: &Entry) -> bool {
    ["v_fmac_", "v_mac_", "v_dot2c_", "v_dot4c_", "v_dot8c_", "v_dot2acc_", "v_pk_fmac_"]
        .iter()
        .any(|start| entry.base.starts_with(start))
}

/// Whether a bit for each lane comes from a third scalar source.
fn takes_mask(entry: &Entry) -> bool {
    let base = entry.base;
    base.starts_with("v_cndmask")
        || base.starts_with("v_addc")
        || base.starts_with("v_subb")
        || base.contains("_co_ci_")
}

/// An instruction of a table with its result in `v0` and its sources in the registers above. `second` are further bits of
/// the second word, where there is one.
fn encoded(table: &'static Table, entry: &Entry, second: u32) -> Option<Inst> {
    let opcode = u32::from(entry.opcode);
    let sources = 0x100 | A as u32;
    let short = |prefix: u32, at: u32| prefix | opcode << at | sources;
    let b = (B as u32) << 9;
    let words = match entry.encoding {
        Encoding::Vop1 => [short(0x7e00_0000, 9), 0],
        Encoding::Vop2 => [short(0, 25) | b, LITERAL],
        Encoding::Vopc => [short(0x7c00_0000, 17) | b, 0],
        Encoding::Vop3 => {
            let [prefix, _] = long_prefixes(table.generation);
            let carry = if entry.slot(Field::CarryOut).is_some() { u32::from(MASK_OUT.0) << 8 } else { 0 };
            let dst = if entry.slot(Field::ScalarDst).is_some() { u32::from(MASK_OUT.0) } else { 0 };
            let third = if takes_mask(entry) { u32::from(MASK_IN.0) } else { 0x100 | C as u32 };
            [prefix | opcode << 16 | carry | dst, sources | 0x100 << 9 | b | third << 18 | second]
        }
        Encoding::Vop3p => return Some(vop3p(table, entry.base, second)),
        _ => return None,
    };
    decode(table, &words)
}

/// A short instruction with another word in place of its first source.
fn with_word(table: &'static Table, entry: &Entry, marker: u32, word: u32) -> Inst {
    let opcode = u32::from(entry.opcode);
    let first = match entry.encoding {
        Encoding::Vop1 => 0x7e00_0000 | opcode << 9,
        _ => opcode << 25 | (B as u32) << 9,
    };
    decode(table, &[first | marker, word]).unwrap()
}

/// Whether an instruction can have such a word: it is short, works on single registers and has no literal.
fn takes_word(entry: &Entry) -> bool {
    let is_short = matches!(entry.encoding, Encoding::Vop1 | Encoding::Vop2);
    let is_wide = entry.slots.iter().any(|slot| slot.registers > 1 || slot.field == Field::Literal);
    is_short && !is_wide && !entry.base.starts_with("v_accvgpr")
}

/// Where the operands of an instruction lie, in the order of the operation: rows, or the literal.
fn places(entry: &Entry) -> Vec<Option<usize>> {
    let place = |field| match field {
        Field::A => Some(Some(A)),
        Field::B => Some(Some(B)),
        Field::C => Some(Some(C)),
        Field::Literal => Some(None),
        _ => None,
    };
    let mut places: Vec<_> = entry.slots.iter().filter_map(|slot| place(slot.field)).collect();
    if accumulates(entry) {
        places.push(Some(0));
    }
    places
}

/// All triples of edge values of the operands that an instruction has.
fn triples(entry: &Entry, widths: [u32; 3]) -> Vec<Operands> {
    let places = places(entry);
    let values = |at: usize| match places.get(at) {
        None => vec![0],
        Some(None) => vec![u64::from(LITERAL) & if widths[at] == 16 { 0xffff } else { u64::MAX }],
        // Of the third, half of them.
        Some(_) if at == 2 => edges(widths[2]).into_iter().step_by(2).collect(),
        Some(_) => edges(widths[at]),
    };
    let (first, second, third) = (values(0), values(1), values(2));
    let pairs = first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b)));
    pairs.flat_map(|(a, b)| third.iter().map(move |c| [a, b, *c])).collect()
}

/// A wave with operands, one triple a lane, and all lanes active.
fn loaded(generation: Generation, entry: &Entry, operands: &[Operands]) -> Wave {
    let mut wave = Wave::new(if generation.is_gfx9() { 64 } else { 32 });
    wave.scalars.set64(Operand::EXEC, wave.all_lanes());
    for (lane, triple) in operands.iter().enumerate() {
        for (value, row) in triple.iter().zip(places(entry)) {
            let Some(row) = row else { continue };
            wave.rows.set_lane(row, lane, *value as u32);
            wave.rows.set_lane(row + 1, lane, (*value >> 32) as u32);
        }
    }
    wave
}

/// Runs an instruction on operands, one triple a lane, and gives each lane's result.
fn results(vector: &Vector, generation: Generation, entry: &Entry, operands: &[Operands]) -> Vec<u64> {
    let mut wave = loaded(generation, entry, operands);
    vector::run(&mut wave, vector);
    (0..operands.len()).map(|lane| wave.rows.lane64(0, lane)).collect()
}

/// Compares an instruction with a reference on all triples.
fn check(
    table: &'static Table,
    entry: &Entry,
    inst: &Inst,
    (widths, kind): ([u32; 3], Kind),
    reference: impl Fn(Operands) -> u64,
) {
    let vector = Vector::new(inst, table.generation).unwrap_or_else(|| panic!("{}", entry.mnemonic));
    for chunk in triples(entry, widths).chunks(32) {
        let found = results(&vector, table.generation, entry, chunk);
        for (operands, found) in chunk.iter().zip(found) {
            let expected = reference(*operands);
            let is_right = agrees(kind, found, expected);
            let text = inst.text(table.generation);
            assert!(is_right, "{text} {operands:x?}: {found:#x}, not {expected:#x}");
        }
    }
}

/// Entries of a table with a case, and the case.
fn with_cases<'c>(table: &'static Table, cases: &'c [Case]) -> impl Iterator<Item = (&'static Entry, &'c Case)> {
    let find = |entry: &Entry| cases.iter().find(|case| case.is_of(entry.base));
    table.entries().filter_map(move |entry| Some((entry, find(entry)?)))
}

/// Whether a result is what the reference says.
pub(super) fn agrees(kind: Kind, found: u64, expected: u64) -> bool {
    let halves = |bits: u64| [bits & 0xffff, bits >> 16 & 0xffff];
    let (width, zeros_alike) = match kind {
        Kind::Bits(width) => return (found ^ expected) << (64 - width) == 0,
        Kind::Float(width, zeros_alike) => (width, zeros_alike),
        Kind::Halves => {
            let mut pairs = halves(found).into_iter().zip(halves(expected));
            return pairs.all(|(found, expected)| agrees(Kind::Float(16, false), found, expected));
        }
        Kind::Brains => {
            // They are the upper halves of single floats.
            let mut pairs = halves(found).into_iter().zip(halves(expected));
            return pairs.all(|(found, expected)| agrees(Kind::Float(32, false), found << 16, expected << 16));
        }
    };
    let limit = u64::MAX >> (64 - width);
    let (found, expected) = (found & limit, expected & limit);
    let (exponent, sign) = match width {
        16 => (0x7c00, 0x8000),
        32 => (0x7f80_0000, 0x8000_0000),
        _ => (0x7ff0_0000_0000_0000, 1 << 63),
    };
    let is_nan = |bits: u64| bits & !sign > exponent;
    let is_zero = |bits: u64| bits & !sign == 0;
    found == expected || is_nan(found) && is_nan(expected) || zeros_alike && is_zero(found) && is_zero(expected)
}

#[test]
fn instructions_compute_what_references_say() {
    let cases = cases();
    let (mut checked, mut forms) = (BTreeSet::new(), 0);
    for table in tables() {
        for (entry, case) in with_cases(table, &cases) {
            let Some(inst) = encoded(table, entry, 0) else { continue };
            check(table, entry, &inst, (case.sources, case.result), &case.reference);
            checked.insert(entry.base);
            forms += 1;
        }
    }
    assert!(checked.len() >= 270 && forms > 1500, "{} in {forms} forms", checked.len());
}
