//! What is known about PTX instructions: the rows of `ptx.toml` as they stand there.
//!
//! Patterns are compiled by the rules that use them; here only the file is read.

use std::sync::LazyLock;

use serde::Deserialize;

use super::load::{MappingError, toml_table};
use super::version::RocmVersion;

/// A PTX instruction form and the C++ that does the same.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of the table")]
pub struct PtxRewrite {
    /// All spellings of the instruction; the table's braces are written out.
    pub ops: Vec<PtxSpelling>,
    /// The operands it takes, see the head of `ptx.toml`.
    pub args: Box<str>,
    /// The statement that replaces it, without `;`.
    pub hip: Box<str>,
    /// What a person should know about the replacement.
    pub note: Box<str>,
    /// Whether the replacement computes the same.
    pub safe: bool,
    /// Whether the replacement is safe to write, as nothing else compiles, and wants a person's eye.
    pub warn: bool,
    /// How many lanes warps have for the row to hold; nothing if it does not matter.
    pub lanes: Option<PtxLanes>,
    /// The functions of `lanes.toml` that the replacement calls.
    pub needs: Vec<Box<str>>,
    /// Whether it is a fence itself, so that a `memory` clobber needs nothing more.
    pub fence: bool,
    /// Whether it reads or writes the carry flag, for which the replacement has a variable.
    pub carry: bool,
    /// The first HIP release with the names that the replacement uses.
    pub since: Option<RocmVersion>,
    /// Immediate operands and the largest value that the row holds for.
    pub max: Vec<(Box<str>, u64)>,
    /// Immediate operands and the bits that must be clear.
    pub unset: Vec<(Box<str>, u64)>,
    /// Values of immediate operands that the tests try.
    pub tries: Vec<Box<str>>,
    /// Whether the replacement was compared with the instruction on an NVIDIA GPU.
    pub compared: bool,
}

/// How many lanes warps have after conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PtxLanes {
    /// 32 on every target.
    Logical32,
    /// As many as a wave has.
    Native,
}

/// One of the names that a row stands for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PtxSpelling {
    /// The name.
    pub op: String,
    /// What it puts in place of `$1`, `$2` and so on.
    pub choices: Vec<String>,
}

/// What an instruction does, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtxInstruction {
    /// The first parts of its name.
    pub op: Box<str>,
    /// What it does, as the rest of a sentence that begins with its name.
    pub what: Box<str>,
    /// What to use instead.
    pub advice: Box<str>,
}

/// The rows of `ptx.toml`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PtxTable {
    /// Instructions with a counterpart; of two that fit, the first counts.
    pub rewrites: Vec<PtxRewrite>,
    /// Every instruction of PTX, by the first parts of its name.
    pub instructions: Vec<PtxInstruction>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rewrite: Vec<RewriteRow>,
    instruction: Vec<InstructionRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of the table")]
struct RewriteRow {
    op: Box<str>,
    #[serde(default)]
    args: Box<str>,
    hip: Box<str>,
    #[serde(default)]
    note: Box<str>,
    #[serde(default = "yes")]
    safe: bool,
    #[serde(default)]
    warn: bool,
    lanes: Option<PtxLanes>,
    #[serde(default)]
    needs: Vec<Box<str>>,
    #[serde(default)]
    fence: bool,
    #[serde(default)]
    carry: bool,
    since: Option<String>,
    #[serde(default)]
    max: std::collections::BTreeMap<Box<str>, u64>,
    #[serde(default)]
    unset: std::collections::BTreeMap<Box<str>, u64>,
    #[serde(default)]
    tries: Vec<Box<str>>,
    #[serde(default)]
    compared: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InstructionRow {
    op: Box<str>,
    what: Box<str>,
    #[serde(default)]
    advice: Box<str>,
}

fn yes() -> bool {
    true
}

static TABLE: LazyLock<Result<PtxTable, MappingError>> =
    LazyLock::new(|| read(include_str!("../../../mappings/ptx.toml")));

impl PtxTable {
    /// The built-in table.
    pub fn builtin() -> Result<&'static PtxTable, &'static MappingError> {
        TABLE.as_ref()
    }
}

fn read(text: &str) -> Result<PtxTable, MappingError> {
    let file: File = toml_table("ptx.toml", text)?;
    let instructions = file.instruction.into_iter();
    Ok(PtxTable {
        rewrites: file.rewrite.into_iter().map(RewriteRow::into_rewrite).collect::<Result<_, _>>()?,
        instructions: instructions
            .map(|row| PtxInstruction { op: row.op, what: row.what, advice: row.advice })
            .collect(),
    })
}

impl RewriteRow {
    fn into_rewrite(self) -> Result<PtxRewrite, MappingError> {
        let since = self.since.map(|text| text.parse::<RocmVersion>()).transpose();
        let problem = |problem: String| MappingError::Toml { table: "ptx.toml".to_owned(), problem };
        Ok(PtxRewrite {
            since: since.map_err(|error| problem(format!("{}: {error}", self.op)))?,
            ops: expand_braces(&self.op),
            args: self.args,
            hip: self.hip,
            note: self.note,
            safe: self.safe,
            warn: self.warn,
            lanes: self.lanes,
            needs: self.needs,
            fence: self.fence,
            carry: self.carry,
            max: self.max.into_iter().collect(),
            unset: self.unset.into_iter().collect(),
            tries: self.tries,
            compared: self.compared,
        })
    }
}

/// `ld{,.nc}.{u32=unsigned,s32=int}` stands for four names, each with one choice.
fn expand_braces(text: &str) -> Vec<PtxSpelling> {
    let plain = || vec![PtxSpelling { op: text.to_owned(), choices: Vec::new() }];
    let Some((head, rest)) = text.split_once('{') else { return plain() };
    let Some((choices, tail)) = rest.split_once('}') else { return plain() };
    let tails = expand_braces(tail);
    let mut spellings = Vec::new();
    for choice in choices.split(',') {
        let (name, value) = choice.split_once('=').map_or((choice, None), |(name, value)| (name, Some(value)));
        spellings.extend(tails.iter().map(|tail| PtxSpelling {
            op: format!("{head}{name}{}", tail.op),
            choices: value.into_iter().map(str::to_owned).chain(tail.choices.iter().cloned()).collect(),
        }));
    }
    spellings
}

impl PtxSpelling {
    /// The text with `$1`, `$2` and so on replaced.
    pub fn choose(&self, text: &str) -> String {
        let numbered = self.choices.iter().enumerate();
        numbered.fold(text.to_owned(), |text, (idx, choice)| text.replace(&format!("${}", idx + 1), choice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_written_out() {
        let spellings = expand_braces("ld{,.nc}.{u32=unsigned,s32=int}");
        let ops: Vec<&str> = spellings.iter().map(|spelling| &*spelling.op).collect();
        assert_eq!(ops, ["ld.u32", "ld.s32", "ld.nc.u32", "ld.nc.s32"]);
        assert_eq!(spellings[1].choose("*(const $1*)$p"), "*(const int*)$p");
    }

    #[test]
    fn the_table_reads() {
        let table = read(include_str!("../../../mappings/ptx.toml")).unwrap();
        assert!(!table.rewrites.is_empty() && !table.instructions.is_empty());
    }
}
