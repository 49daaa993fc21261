//! Instructions with a constant of 16 bits.

use super::*;
use crate::isa::{Encoding, decode};

/// What is left in the register, and the condition; from the old register, the constant and the old condition.
fn result(base: &str, old: u64, constant: u64, condition: bool) -> Option<(u64, bool)> {
    let (number, k) = (signed(old, 32), signed(constant, 16));
    let wrapped = |exact: i128| (exact as u64 & limit(32), exact != signed(exact as u64, 32));
    if let Some((name, kind)) = base.strip_prefix("s_cmpk_").and_then(|name| name.split_once('_')) {
        let order = if kind == "u32" { old.cmp(&constant) } else { number.cmp(&k) };
        let holds = match name {
            "eq" => order.is_eq(),
            "lg" => order.is_ne(),
            "lt" => order.is_lt(),
            "le" => order.is_le(),
            "gt" => order.is_gt(),
            _ => order.is_ge(),
        };
        return Some((old, holds));
    }
    Some(match base {
        "s_movk_i32" => (k as u64 & limit(32), condition),
        "s_cmovk_i32" => (if condition { k as u64 & limit(32) } else { old }, condition),
        "s_addk_i32" | "s_addk_co_i32" => wrapped(number + k),
        "s_mulk_i32" => (wrapped(number * k).0, condition),
        _ => return None,
    })
}

pub(super) fn has_reference(base: &str) -> bool {
    result(base, 0, 0, false).is_some()
}

#[test]
fn constants_are_used_with_or_without_a_sign() {
    let mut checked = BTreeSet::new();
    for name in ["gfx90a", "gfx1030", "gfx1100", "gfx1201"] {
        let table = Table::of(Target::parse(name).unwrap().processor);
        let entries = table.entries().filter(|entry| entry.encoding == Encoding::Sopk && has_reference(entry.base));
        for entry in entries {
            for constant in [0, 1, 5, 0x7f, 0x7fff, 0x8000, 0xfffe, 0xffff_u64] {
                let word = 0xb000_0000 | u32::from(entry.opcode) << 23 | 6 << 16 | constant as u32;
                let operation = Scalar::new(&decode(table, &[word, 0]).unwrap()).unwrap();
                for (old, condition) in edges(32).into_iter().flat_map(|old| [(old, false), (old, true)]) {
                    let mut wave = Wave::new(32);
                    wave.scalars.set(Operand(6), old as u32);
                    wave.scalars.scc = condition;
                    scalar::run(&mut wave, &operation);
                    let found = (u64::from(wave.scalars.get(Operand(6))), wave.scalars.scc);
                    let expected = result(entry.base, old, constant, condition).unwrap();
                    assert_eq!(found, expected, "{} {old:#x} {constant:#x} {condition}", entry.base);
                }
            }
            checked.insert(entry.base);
        }
    }
    assert!(checked.len() >= 17, "{}: {checked:?}", checked.len());
}
