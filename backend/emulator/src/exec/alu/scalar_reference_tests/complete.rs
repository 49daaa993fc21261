//! No scalar instruction that is executed is without a reference.

use super::*;
use crate::isa::{Encoding, decode};

/// An instruction with registers for operands.
fn plain(table: &'static Table, entry: &Entry) -> Option<Scalar> {
    let inst = match entry.encoding {
        Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopc => sop(table, entry.base, 0),
        Encoding::Sopk => decode(table, &[0xb000_0000 | u32::from(entry.opcode) << 23 | 6 << 16, 0])?,
        _ => return None,
    };
    Scalar::new(&inst)
}

#[test]
fn all_scalar_instructions_that_are_executed_have_references() {
    let (scalars, vectors) = (cases(), references::cases());
    let known: BTreeSet<&str> = scalars.iter().flat_map(|case| case.names.split_whitespace()).collect();
    let (mut missing, mut executed) = (BTreeSet::new(), BTreeSet::new());
    for name in ["gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"] {
        let table = Table::of(Target::parse(name).unwrap().processor);
        for entry in table.entries().filter(|entry| plain(table, entry).is_some()) {
            let base = entry.base;
            let is_known = known.contains(base)
                || floats::has_reference(base, &vectors)
                || masks::has_reference(base)
                || constants::has_reference(base);
            if !is_known {
                missing.insert(base);
            }
            executed.insert(base);
        }
    }
    assert!(missing.is_empty() && executed.len() >= 230, "{} executed, not {missing:?}", executed.len());
}
