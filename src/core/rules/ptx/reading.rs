//! What an `asm` statement is, and what becomes of it.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::body::{self, Arg, Body, Instruction};
use super::dialect::{instruction_of, may_be_ptx};
use super::expand::{constant, edit, fill};
use super::pattern::patterns_of;
use super::rewrite::{Obstacle, Rewrite};
use super::sequence;
use super::statement::{HOLE, Operand, Statement};
use crate::rules::asm::{Asm, AsmKeyword};
use crate::rules::context::Context;
use crate::source::TextRange;
use crate::syntax::{Document, TokenIdx};

/// A statement that is PTX.
pub(super) struct Reading {
    /// From the keyword to the closing parenthesis.
    pub(super) range: TextRange,
    /// The names of its instructions.
    pub(super) ops: Vec<String>,
    /// What replaces it.
    pub(super) outcome: Result<Rewrite, Obstacle>,
    /// Whether nothing but its text says that it is one.
    pub(super) is_guessed: bool,
}

/// The statements of a file that are PTX, by their keywords.
pub(super) struct Readings(FxHashMap<TokenIdx, Reading>);

impl Readings {
    /// Those of the file that the rules look at.
    pub(super) fn of(cx: &Context<'_>) -> Rc<Readings> {
        let all = || cx.asms.iter().filter_map(|asm| Some((asm.keyword, read(cx, *asm)?))).collect();
        cx.once(|| Readings(all()))
    }

    /// What a statement is; `None` if it is no PTX.
    pub(super) fn get(&self, asm: Asm) -> Option<&Reading> {
        self.0.get(&asm.keyword)
    }
}

/// Reads a statement; `None` if it is no PTX.
fn read(cx: &Context<'_>, asm: Asm) -> Option<Reading> {
    let statement = Statement::read(cx.document, asm);
    let operands = statement.operands.as_deref().unwrap_or_default();
    let names: Vec<Option<&str>> = operands.iter().map(|operand| operand.name.as_deref()).collect();
    let body = body::read(&statement.template, &names);
    if !may_be_ptx(cx, &statement, &body) {
        return None;
    }
    Some(Reading {
        range: statement.range,
        ops: body.instructions.iter().map(subject).collect(),
        outcome: rewrite(cx, &statement, &body),
        is_guessed: statement.keyword_is == AsmKeyword::OtherName && statement.is_basic,
    })
}

fn rewrite(cx: &Context<'_>, statement: &Statement, body: &Body) -> Result<Rewrite, Obstacle> {
    // What else the name does is not known.
    let is_whole = !body.is_odd && statement.keyword_is == AsmKeyword::Asm;
    let operands = statement.operands.as_deref().filter(|_| is_whole).ok_or(Obstacle::Macro)?;
    if body.is_part {
        return Err(Obstacle::Block);
    }
    if statement.holds_directive {
        return Err(Obstacle::Directive);
    }
    if outputs_depend(cx.document, operands) {
        return Err(Obstacle::Operands);
    }
    let uses_carry = |op: &str| op.split('.').any(|part| matches!(part, "cc" | "addc" | "subc" | "madc"));
    let instruction = match &*body.instructions {
        [only] if only.guard.is_none() && body.registers.is_empty() && !uses_carry(&only.op) => only,
        _ => return sequence::rewrite(cx, statement, body),
    };
    let value = |idx: usize| constant(cx.document, operands.get(idx)?.tokens.clone());
    let mut fitting = patterns_of(&instruction.op, cx.wave_width_at(statement.range.start()))
        .filter_map(|pattern| Some((pattern, pattern.bind(instruction, operands, &value)?)));
    let (pattern, bindings) = fitting.next().ok_or(Obstacle::Form)?;
    let mut rewrite = Rewrite::default();
    if !rewrite.add(pattern.row, cx.settings.rocm) {
        return Err(Obstacle::Release(pattern.row));
    }
    let out = fill(&pattern.hip, &bindings, &value).ok_or(Obstacle::Form)?;
    rewrite.edit = Some(edit(cx.document, statement, &out, pattern.row.fence).ok_or(Obstacle::Operands)?);
    Ok(rewrite)
}

/// Whether an output is a place that an earlier one decides on: `"=r"(i), "=r"(list[i])` has two places before either is written.
fn outputs_depend(document: &Document, operands: &[Operand]) -> bool {
    let outputs: Vec<Vec<&str>> = operands
        .iter()
        .filter(|operand| operand.is_output())
        .map(|operand| operand.tokens.clone().map(|idx| document.token_text(idx)).collect())
        .collect();
    let holds =
        |one: &[&str], other: &[&str]| one.len() > other.len() && one.windows(other.len()).any(|part| part == other);
    outputs
        .iter()
        .enumerate()
        .any(|(number, one)| outputs[..number].iter().any(|earlier| !earlier.is_empty() && holds(one, earlier)))
}

fn shown(op: &str) -> String {
    op.replace(HOLE, "…")
}

/// What a report speaks of: the instruction, or the special register that a `mov` reads.
fn subject(instruction: &Instruction) -> String {
    let is_special = |arg: &Arg| match arg {
        Arg::Name(name) if instruction_of(name).is_some() => Some(name.clone()),
        _ => None,
    };
    let mut args = instruction.args.iter().flatten().filter(|_| instruction.op.starts_with("mov."));
    args.find_map(is_special).unwrap_or_else(|| instruction.op.clone())
}

impl Reading {
    /// What the first instruction does, as a sentence.
    pub(super) fn sentence(&self) -> String {
        let Some(op) = self.ops.first() else {
            return "the statement opens or closes a block of PTX".to_owned();
        };
        match instruction_of(op) {
            Some(known) => format!("`{}` {}", shown(op), known.what),
            None if op.starts_with(HOLE) => "a macro supplies the instruction".to_owned(),
            None => format!("`{}` is an instruction that the table does not know", shown(op)),
        }
    }

    /// What the further instructions do, and the advice on all of them, each once.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        for (idx, op) in self.ops.iter().enumerate() {
            let Some(known) = instruction_of(op) else { continue };
            let sentence = format!("`{}` {}", shown(op), known.what);
            let texts = [(idx > 0).then_some(sentence), Some(known.advice.to_string())];
            for text in texts.into_iter().flatten().filter(|text| !text.is_empty()) {
                if !notes.contains(&text) {
                    notes.push(text);
                }
            }
        }
        notes
    }
}
