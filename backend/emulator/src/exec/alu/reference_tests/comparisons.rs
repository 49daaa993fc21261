//! Comparisons.

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Half, Single};

use super::*;

/// Comparisons by the condition in their name.
pub(in super::super) fn holds(condition: &str, order: Option<std::cmp::Ordering>) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    match condition {
        "f" => false,
        "lt" => order == Some(Less),
        "eq" => order == Some(Equal),
        "le" => matches!(order, Some(Less | Equal)),
        "gt" => order == Some(Greater),
        "lg" => matches!(order, Some(Less | Greater)),
        "ge" => matches!(order, Some(Greater | Equal)),
        "o" => order.is_some(),
        "u" => order.is_none(),
        "ne" => order != Some(Equal),
        "t" | "tru" => true,
        _ => !holds(&condition[1..], order),
    }
}

/// How two operands of a type compare.
pub(in super::super) fn order(kind: &str, width: u32, a: u64, b: u64) -> Option<std::cmp::Ordering> {
    match (&kind[..1], width) {
        ("i", _) => Some(signed(a, width).cmp(&signed(b, width))),
        ("u", _) => Some(a.cmp(&b)),
        (_, 16) => Half::from_bits(a.into()).partial_cmp(&Half::from_bits(b.into())),
        (_, 32) => Single::from_bits(a.into()).partial_cmp(&Single::from_bits(b.into())),
        _ => Double::from_bits(a.into()).partial_cmp(&Double::from_bits(b.into())),
    }
}

/// Whether a float is of one of the classes of a mask: signaling and quiet NaN, then from -inf to +inf.
fn is_of_class<F: Float>(bits: u64, classes: u64) -> bool {
    let value = F::from_bits(bits.into());
    let size = if value.is_infinite() {
        0
    } else if value.is_normal() {
        1
    } else if value.is_denormal() {
        2
    } else {
        3
    };
    let class = match (value.is_nan(), value.is_negative()) {
        (true, _) => u32::from(!value.is_signaling()),
        (false, true) => 2 + size,
        (false, false) => 9 - size,
    };
    classes >> class & 1 != 0
}

/// Operands of comparisons: pairs of edges, or floats with masks of classes.
fn operands(condition: &str, width: u32) -> Vec<Operands> {
    let values = edges(width);
    let masks: Vec<u64> = (0..10).map(|class| 1 << class).chain([0, 0x3ff, 0x155, 0x2aa]).collect();
    let seconds = if condition == "class" { &masks } else { &values };
    values.iter().flat_map(|a| seconds.iter().map(move |b| [*a, *b, 0])).collect()
}

#[test]
fn comparisons_compare() {
    let (mut checked, mut forms) = (BTreeSet::new(), 0);
    for table in tables() {
        for entry in table.entries() {
            let name = entry.base.strip_prefix("v_cmp_").or_else(|| entry.base.strip_prefix("v_cmpx_"));
            let Some((condition, kind)) = name.and_then(|name| name.split_once('_')) else { continue };
            let Some(inst) = encoded(table, entry, 0) else { continue };
            let width: u32 = kind[1..].parse().unwrap();
            let vector = Vector::new(&inst, table.generation).unwrap_or_else(|| panic!("{}", entry.mnemonic));
            for chunk in operands(condition, width).chunks(32) {
                let found = mask(&vector, table.generation, entry, chunk);
                for (lane, [a, b, _]) in chunk.iter().enumerate() {
                    let expected = match (condition, width) {
                        ("class", 16) => is_of_class::<Half>(*a, *b),
                        ("class", 32) => is_of_class::<Single>(*a, *b),
                        ("class", _) => is_of_class::<Double>(*a, *b),
                        _ => holds(condition, order(kind, width, *a, *b)),
                    };
                    assert_eq!(found >> lane & 1 != 0, expected, "{} {a:#x} {b:#x}", entry.mnemonic);
                }
            }
            checked.insert(entry.base);
            forms += 1;
        }
    }
    assert!(checked.len() > 200 && forms > 1500, "{} in {forms} forms", checked.len());
}

/// The bits that a comparison gives, one a lane, where it writes them: a register, VCC, EXEC or two of them.
fn mask(vector: &Vector, generation: Generation, entry: &Entry, operands: &[Operands]) -> u64 {
    let mut wave = loaded(generation, entry, operands);
    let active = wave.all_lanes() & !0x0808;
    wave.scalars.set64(Operand::EXEC, active);
    vector::run(&mut wave, vector);
    let is_wide = entry.encoding == Encoding::Vop3;
    let register = wave.scalars.get64(if is_wide { MASK_OUT } else { Operand::VCC });
    let exec = wave.scalars.exec();
    let writes_exec = entry.base.starts_with("v_cmpx");
    assert_eq!(exec == active, !writes_exec || exec == active, "{}", entry.mnemonic);
    let found = if writes_exec { exec } else { register };
    assert!(!writes_exec || !generation.is_gfx9() || register == exec, "{}", entry.mnemonic);
    // Lanes that are off have no bits. Their operands are looked at with the next, in other lanes.
    assert_eq!(found & 0x0808, 0, "{}", entry.mnemonic);
    let mut again = loaded(generation, entry, operands);
    vector::run(&mut again, vector);
    let register = again.scalars.get64(if is_wide { MASK_OUT } else { Operand::VCC });
    let all = if writes_exec { again.scalars.exec() } else { register };
    assert_eq!(all & active, found, "{}", entry.mnemonic);
    all
}
