//! Instructions of AMD GPUs that some targets lack.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde::Deserialize;

/// A row of `mappings/instructions.csv`, which `tests/compiler.rs` compares with the assembler.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instruction {
    /// Its name, without the suffix of an encoding.
    pub instruction: String,
    /// Operands that it takes.
    pub operands: String,
    /// The targets that lack it.
    lacking: String,
    /// What to write for these; may be empty.
    pub advice: String,
}

static INSTRUCTIONS: LazyLock<FxHashMap<String, Instruction>> = LazyLock::new(|| {
    // A test reads the table, so an error here cannot reach a release.
    let rows = read().unwrap_or_default().into_iter();
    rows.map(|row| (row.instruction.clone(), row)).collect()
});

/// What follows the name where somebody chooses an encoding.
const ENCODINGS: [&str; 6] = ["_e32", "_e64", "_dpp", "_dpp8", "_sdwa", "_e64_dpp"];

impl Instruction {
    /// The row of an instruction as `asm` statements write it.
    pub fn find(name: &str) -> Option<&'static Instruction> {
        let bare = ENCODINGS.iter().find_map(|encoding| name.strip_suffix(encoding)).unwrap_or(name);
        INSTRUCTIONS.get(bare)
    }

    /// All rows.
    pub fn all() -> impl Iterator<Item = &'static Instruction> {
        INSTRUCTIONS.values()
    }

    /// Whether a target lacks it.
    pub fn is_lacking(&self, target: &str) -> bool {
        self.lacking.split(' ').any(|name| name == target)
    }
}

fn read() -> Result<Vec<Instruction>, csv::Error> {
    let text = include_str!("../../../mappings/instructions.csv");
    csv::Reader::from_reader(text.as_bytes()).deserialize().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::Target;

    #[test]
    fn the_table_reads() {
        for row in read().unwrap() {
            for target in row.lacking.split(' ') {
                assert!(Target::find(target).is_ok(), "{}: {target}", row.instruction);
            }
        }
        assert!(Instruction::find("v_mac_f32_e32").unwrap().is_lacking("gfx1100"));
        assert!(!Instruction::find("v_mac_f32").unwrap().is_lacking("gfx90a"));
        assert!(Instruction::find("v_add_f32").is_none());
    }
}
