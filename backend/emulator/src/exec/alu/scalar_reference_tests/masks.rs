//! Instructions that change which lanes are active.

use super::*;

/// The new EXEC from the source and the old one.
fn combined(base: &str, source: u64, exec: u64) -> Option<u64> {
    let name = base.strip_prefix("s_")?;
    let name = name.strip_suffix("_b32").or_else(|| name.strip_suffix("_b64"))?;
    let name = name.strip_suffix("_saveexec").or_else(|| name.strip_suffix("_wrexec"))?;
    Some(match name {
        "and" => source & exec,
        "or" => source | exec,
        "xor" => source ^ exec,
        "nand" => !(source & exec),
        "nor" => !(source | exec),
        "xnor" => !(source ^ exec),
        // The first or the second is inverted.
        "andn1" | "and_not0" => !source & exec,
        "andn2" | "and_not1" => source & !exec,
        "orn1" | "or_not0" => !source | exec,
        "orn2" | "or_not1" => source | !exec,
        _ => return None,
    })
}

pub(super) fn has_reference(base: &str) -> bool {
    combined(base, 0, 0).is_some()
}

#[test]
fn masks_of_lanes_are_saved_and_combined() {
    let mut checked = BTreeSet::new();
    for name in ["gfx90a", "gfx1030", "gfx1100", "gfx1201"] {
        let table = Table::of(Target::parse(name).unwrap().processor);
        let lanes = if table.generation.is_gfx9() { 64 } else { 32 };
        for entry in table.entries().filter(|entry| has_reference(entry.base)) {
            if entry.base.ends_with("64") && lanes == 32 {
                continue;
            }
            let operation = Scalar::new(&sop(table, entry.base, 0)).unwrap();
            let width = if entry.base.ends_with("64") { 64 } else { 32 };
            for source in edges(width) {
                for active in edges(lanes) {
                    let mut wave = Wave::new(lanes as usize);
                    let active = active & limit(width);
                    wave.scalars.set64(Operand(2), source);
                    wave.scalars.set64(Operand::EXEC, active);
                    scalar::run(&mut wave, &operation);
                    let expected = combined(entry.base, source, active).unwrap() & limit(width);
                    let saved = if entry.base.contains("saveexec") { active } else { expected };
                    let text = format!("{} {source:#x} {active:#x}", entry.base);
                    assert_eq!(wave.scalars.exec() & limit(width), expected, "{text}");
                    assert_eq!(wave.scalars.get64(Operand(6)) & limit(width), saved, "{text}");
                    assert_eq!(wave.scalars.scc, expected != 0, "{text}");
                }
            }
            checked.insert(entry.base);
        }
    }
    assert!(checked.len() >= 30, "{}: {checked:?}", checked.len());
}
