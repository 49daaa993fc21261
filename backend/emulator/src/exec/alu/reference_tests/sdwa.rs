//! Parts of registers: sources that are bytes or halves, and results that fill a part.

use super::*;
use crate::isa::{Form, Sdwa, Select};

const SELECTS: [Select; 7] = [
    Select::Byte(0),
    Select::Byte(1),
    Select::Byte(2),
    Select::Byte(3),
    Select::Word(0),
    Select::Word(1),
    Select::Dword,
];

/// The first bit of a part, and how many there are.
fn place(part: Select) -> (u32, u32) {
    match part {
        Select::Byte(number) => (8 * u32::from(number), 8),
        Select::Word(number) => (16 * u32::from(number), 16),
        Select::Dword => (0, 32),
    }
}

fn read(bits: u64, part: Select, has_sign: bool) -> u64 {
    let (first, width) = place(part);
    let value = bits >> first & ((1 << width) - 1);
    (if has_sign { signed(value, width).cast_unsigned() } else { value }) & 0xffff_ffff
}

/// A register after a write: the rest is zero, the sign above the part, or as it was.
fn written(value: u64, sdwa: Sdwa, old: u64) -> u64 {
    let (first, width) = place(sdwa.dst);
    let mask = ((1_u64 << width) - 1) << first;
    let placed = value << first & mask;
    let rest = match sdwa.unused {
        1 if value >> (width - 1) & 1 != 0 => 0xffff_ffff & !((1 << (first + width)) - 1),
        2 => old & !mask,
        _ => 0,
    };
    (placed | rest) & 0xffff_ffff
}

/// The word that such an instruction has behind it.
fn word(sdwa: Sdwa) -> u32 {
    let code = |part: Select| SELECTS.iter().position(|known| *known == part).unwrap() as u32;
    let [first, second] = sdwa.src.map(code);
    let [first_sign, second_sign] = sdwa.sext.map(u32::from);
    A as u32
        | code(sdwa.dst) << 8
        | u32::from(sdwa.unused) << 11
        | first << 16
        | first_sign << 19
        | second << 24
        | second_sign << 27
}

fn encoded_with(table: &'static Table, entry: &Entry, sdwa: Sdwa) -> Inst {
    let inst = with_word(table, entry, 0xf9, word(sdwa));
    assert!(matches!(inst.form, Form::Sdwa(found) if found == sdwa), "{sdwa:?}");
    inst
}

/// All choices of sources with a few of the result, and all of the result with a few of the sources.
fn choices() -> Vec<Sdwa> {
    let mut all = Vec::new();
    for (at, first) in SELECTS.into_iter().enumerate() {
        for (number, second) in SELECTS.into_iter().enumerate() {
            for sext in [[false; 2], [true, false], [false, true]] {
                all.push(Sdwa { dst: SELECTS[(at + 2 * number) % 7], unused: 0, src: [first, second], sext });
            }
        }
    }
    for (at, dst) in SELECTS.into_iter().enumerate() {
        for unused in 0..3 {
            all.push(Sdwa { dst, unused, src: [SELECTS[at], SELECTS[6 - at]], sext: [false; 2] });
        }
    }
    all
}

/// Whether an instruction has this form. One that accumulates has parts of its old result, too.
fn has_form(entry: &Entry, case: &Case) -> bool {
    takes_word(entry) && !accumulates(entry) && case.sources[0] <= 32
}

const OLD: u64 = 0x89ab_cdef;

fn check_parts(table: &'static Table, entry: &Entry, case: &Case, operands: &[Operands]) {
    let width = match case.result {
        Kind::Bits(width) | Kind::Float(width, _) => width,
        _ => 32,
    };
    let mask = |width: u32| u64::MAX >> (64 - width.max(1));
    for sdwa in choices() {
        let inst = encoded_with(table, entry, sdwa);
        let vector = Vector::new(&inst, table.generation).unwrap();
        let mut wave = loaded(table.generation, entry, operands);
        wave.rows.fill(0, OLD as u32);
        vector::run(&mut wave, &vector);
        for (lane, [a, b, _]) in operands.iter().enumerate() {
            let sources = [
                read(*a, sdwa.src[0], sdwa.sext[0]) & mask(case.sources[0]),
                read(*b, sdwa.src[1], sdwa.sext[1]) & mask(case.sources[1]),
                0,
            ];
            let result = (case.reference)(sources) & mask(width);
            let found = u64::from(wave.rows.lane(0, lane));
            let expected = written(result, sdwa, OLD);
            // What is no number has many forms, and both zeros may be a result of extremes.
            let is_plain = matches!(case.result, Kind::Bits(_)) || !has_many_forms(width, result);
            let text = inst.text(table.generation);
            assert!(!is_plain || found == expected, "{text} {a:#x} {b:#x}: {found:#x}, not {expected:#x}");
        }
    }
}

fn has_many_forms(width: u32, bits: u64) -> bool {
    let (sign, most) = if width == 16 { (0x8000, 0x7c00) } else { (0x8000_0000, 0x7f80_0000) };
    let size = bits & (sign - 1);
    size > most || size == 0
}

#[test]
fn parts_of_registers_are_read_and_written() {
    let cases = cases();
    let values = edges(32);
    let any = |at: usize| values[at % values.len()] ^ 0x1234_8765;
    let operands: Vec<Operands> = (0..32).map(|at| [any(at), any(3 * at + 1), 0]).collect();
    let (mut checked, mut forms) = (BTreeSet::new(), 0);
    for table in ["gfx906", "gfx90a", "gfx942", "gfx1030"].map(|name| Table::of(Target::parse(name).unwrap().processor))
    {
        for (entry, case) in with_cases(table, &cases).filter(|(entry, case)| has_form(entry, case)) {
            check_parts(table, entry, case, &operands);
            checked.insert(entry.base);
            forms += 1;
        }
    }
    assert!(checked.len() >= 85 && forms >= 300, "{} in {forms} forms", checked.len());
}
