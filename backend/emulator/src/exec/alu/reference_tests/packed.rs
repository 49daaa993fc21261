//! Packed instructions: each half by the reference of the instruction for one, with all modifiers that choose and negate
//! halves.

use rustc_apfloat::ieee::{Double, Half};
use rustc_apfloat::{Float, FloatConvert};

use super::*;

/// Bits of a first and a second word that choose halves for the lower and the upper result, and negate them.
struct Halves {
    low: u32,
    high: u32,
    negated_low: u32,
    negated_high: u32,
}

impl Halves {
    fn new(bits: u32) -> Halves {
        Halves { low: bits & 7, high: bits >> 3 & 7, negated_low: bits >> 6 & 7, negated_high: bits >> 9 & 7 }
    }

    fn usual(negations: u32) -> Halves {
        Halves { low: 0, high: 7, negated_low: negations & 7, negated_high: negations >> 3 }
    }

    fn encoded(&self, table: &'static Table, entry: &Entry) -> Option<Inst> {
        let [_, prefix] = long_prefixes(table.generation);
        let first = prefix | u32::from(entry.opcode) << 16 | self.negated_high << 8 | self.low << 11;
        let sources = 0x100 | A as u32 | (0x100 | B as u32) << 9 | (0x100 | C as u32) << 18;
        let second = sources | (self.high & 3) << 27 | self.negated_low << 29;
        decode(table, &[first | (self.high >> 2) << 14, second])
    }

    /// What the operation for one half gets.
    fn chosen(&self, operands: Operands, width: u32, is_high: bool, has_sign: bool) -> Operands {
        let (halves, negated) = if is_high { (self.high, self.negated_high) } else { (self.low, self.negated_low) };
        std::array::from_fn(|at| {
            let half = operands[at] >> (width * (halves >> at & 1)) & (u64::MAX >> (64 - width));
            if has_sign && negated >> at & 1 != 0 { half ^ 1 << (width - 1) } else { half }
        })
    }
}

/// Triples of numbers with two halves each, many but not all.
fn pairs_of_halves(width: u32) -> Vec<Operands> {
    let values = edges(width);
    let at = |index: usize| values[index % values.len()];
    let number = |index: usize, step: usize| at(index * step) | at(index * (step + 2) + 5) << width;
    (0..64).map(|index| [number(index, 1), number(index, 3), number(index, 7)]).collect()
}

fn check_packed(table: &'static Table, case: &Case, entry: &Entry, halves: &Halves) {
    let inst = halves.encoded(table, entry).unwrap();
    let vector = Vector::new(&inst, table.generation).unwrap();
    let has_sign = entry.base.ends_with("f16") || entry.base.ends_with("f32");
    let width = case.sources[0];
    for chunk in pairs_of_halves(width).chunks(32) {
        let found = results(&vector, table.generation, entry, chunk);
        for (operands, found) in chunk.iter().zip(found) {
            for (is_high, found) in [(false, found), (true, found >> width)] {
                let expected = (case.reference)(halves.chosen(*operands, width, is_high, has_sign));
                let text = inst.text(table.generation);
                let is_right = agrees(case.result, found, expected);
                assert!(is_right, "{text} {operands:x?}: {found:#x}, not {expected:#x}");
            }
        }
    }
}

/// The instruction for one half or one single float.
fn of_one(entry: &Entry) -> String {
    entry.base.replacen("v_pk_", "v_", 1)
}

#[test]
fn packed_instructions_compute_each_half() {
    let cases = cases();
    let mut checked = BTreeSet::new();
    for table in tables() {
        for entry in
            table.entries().filter(|entry| entry.encoding == Encoding::Vop3p && entry.base.starts_with("v_pk_"))
        {
            let one = of_one(entry);
            let Some(case) = cases.iter().find(|case| case.is_of(&one)).filter(|_| entry.base != "v_pk_mov_b32") else {
                continue;
            };
            // All choices of halves with few negations, and all negations.
            let chosen = (0..64).map(|bits| Halves::new(bits | (bits * 29 & 63) << 6));
            for halves in chosen.chain((0..64).map(Halves::usual)) {
                check_packed(table, case, entry, &halves);
            }
            checked.insert(entry.base);
        }
    }
    assert!(checked.len() >= 25, "{checked:?}");
}

/// The compiler negates halves of factors, and the summand by both bits.
#[test]
fn sums_of_two_products_take_any_halves_and_signs() {
    let cases = cases();
    let mut checked = 0;
    for table in tables() {
        let is_it = |entry: &Entry| entry.base.starts_with("v_dot2_f32_") && entry.encoding == Encoding::Vop3p;
        for (entry, case) in with_cases(table, &cases).filter(|(entry, _)| is_it(entry)) {
            for bits in
                (0..0x1000).map(Halves::new).filter(|halves| halves.negated_high >> 2 <= halves.negated_low >> 2)
            {
                let inst = bits.encoded(table, entry).unwrap();
                let vector = Vector::new(&inst, table.generation).unwrap();
                let operands: Vec<Operands> = pairs_of_halves(16).into_iter().step_by(5).collect();
                let found = results(&vector, table.generation, entry, &operands);
                for (operands, found) in operands.iter().zip(found) {
                    let [low, high] = [false, true].map(|is_high| bits.chosen(*operands, 16, is_high, true));
                    let negation = u64::from(bits.negated_low >> 2) << 31;
                    let expected =
                        (case.reference)([low[0] | high[0] << 16, low[1] | high[1] << 16, operands[2] ^ negation]);
                    let text = inst.text(table.generation);
                    assert!(
                        agrees(case.result, found, expected),
                        "{text} {operands:x?}: {found:#x}, not {expected:#x}"
                    );
                }
            }
            checked += 1;
        }
    }
    assert!(checked >= 7, "{checked}");
}

#[test]
fn moved_pairs_are_chosen_from_both_sources() {
    for name in ["gfx90a", "gfx942"] {
        let table = Table::of(Target::parse(name).unwrap().processor);
        let entry = table.entries().find(|entry| entry.base == "v_pk_mov_b32").unwrap();
        for bits in 0..4 {
            let inst = Halves { low: bits, high: 3, negated_low: 0, negated_high: 0 }.encoded(table, entry).unwrap();
            let vector = Vector::new(&inst, table.generation).unwrap();
            let found = results(&vector, table.generation, entry, &[[0x2222_2222_1111_1111, 0x4444_4444_3333_3333, 0]]);
            let low = if bits & 1 != 0 { 0x2222_2222 } else { 0x1111_1111 };
            let high = if bits & 2 != 0 { 0x4444_4444_u64 } else { 0x3333_3333 };
            assert_eq!(found, [high << 32 | low]);
        }
    }
}

/// A product and a sum of numbers that are single floats or halves, each as the instruction chooses.
#[test]
fn mixed_products_take_halves_and_single_floats() {
    let number = |bits: u64, half: Option<bool>| match half {
        None => f64::from(f32::from_bits(bits as u32)),
        Some(is_high) => double_of_half(bits >> if is_high { 16 } else { 0 }),
    };
    // Single floats whose halves are plain numbers as well; products and sums of these are exact as doubles.
    let values = [0x4000_3c00, 0x3fc0_c000, 0xbf80_4248, 0x4248_3e00, 0xc0a0_b800];
    for table in tables() {
        for entry in table.entries().filter(|entry| entry.base.starts_with("v_fma_mix")) {
            for bits in 0..0x1000 {
                let halves = Halves::new(bits);
                let inst = halves.encoded(table, entry).unwrap();
                let vector = Vector::new(&inst, table.generation).unwrap();
                let operands = [0, 1, 2].map(|at| values[(bits as usize + 2 * at) % values.len()]);
                let found = results(&vector, table.generation, entry, &[operands])[0];
                let [a, b, c] = std::array::from_fn(|at| {
                    let is_set = |bits: u32| bits >> at & 1 != 0;
                    let value = number(operands[at], is_set(halves.high).then_some(is_set(halves.low)));
                    let value = if is_set(halves.negated_high) { value.abs() } else { value };
                    if is_set(halves.negated_low) { -value } else { value }
                });
                let expected = a.mul_add(b, c);
                let found = match entry.base {
                    "v_fma_mix_f32" => f64::from(f32::from_bits(found as u32)),
                    name => double_of_half(found >> if name.contains("hi") { 16 } else { 0 }),
                };
                let is_right = if entry.base == "v_fma_mix_f32" {
                    found == f64::from(expected as f32)
                } else {
                    // Half of the last of eleven bits.
                    (found - expected).abs() <= expected.abs() / 2048.0
                };
                assert!(is_right, "{} {operands:x?}: {found}, not {expected}", inst.text(table.generation));
            }
        }
    }
}

fn double_of_half(bits: u64) -> f64 {
    let value: Double = Half::from_bits((bits & 0xffff).into()).convert(&mut false).value;
    f64::from_bits(value.to_bits() as u64)
}
