//! Writes a body of several instructions as a block: every operand and register gets a variable,
//! and the outputs are written at the end, as the registers of the instructions would be.

use rustc_hash::{FxHashMap, FxHashSet};

use super::body::{Arg, Body, Instruction};
use super::expand::{Out, constant, declares, fill, is_plain, type_of, wrap};
use super::pattern::patterns_of;
use super::rewrite::{Obstacle, Rewrite};
use super::statement::{Operand, Statement};
use crate::rules::context::Context;
use crate::settings::WaveWidth;
use crate::source::{Edit, Piece};

/// The replacement of a body, if each of its instructions has one.
pub(super) fn rewrite(cx: &Context<'_>, statement: &Statement, body: &Body) -> Result<Rewrite, Obstacle> {
    let operands = statement.operands.as_deref().ok_or(Obstacle::Macro)?;
    let variables = variables(operands, body).ok_or(Obstacle::Registers)?;
    if !carries_stay_inside(body) {
        return Err(Obstacle::Carry);
    }
    let registers = registers(operands.len(), body);
    // Which one is meant, the blocks would have to say.
    if registers.len() < body.registers.len() {
        return Err(Obstacle::Registers);
    }
    let mut rewrite = Rewrite::default();
    let mut text = String::new();
    let width = cx.wave_width_at(statement.range.start());
    for instruction in &body.instructions {
        let done = one(cx, (operands, &variables, width), &registers, instruction, &mut rewrite)?;
        match &instruction.guard {
            Some(guard) => text.push_str(&guarded(&done, instruction, guard, (&registers, &variables))?),
            None => text.extend([&*done, "; "]),
        }
    }
    let uses_carry = text.contains("ptx_cc");
    if operands.iter().any(|operand| operand.tokens.clone().any(|idx| declares(&text, cx.document.token_text(idx)))) {
        return Err(Obstacle::Operands);
    }
    let mut pieces = vec![Piece::Text(if uses_carry { "unsigned ptx_cc = 0u; ".to_owned() } else { String::new() })];
    let has_guards = body.instructions.iter().any(|instruction| instruction.guard.is_some());
    declare(cx, (operands, &variables, has_guards), &text, &mut pieces).ok_or(Obstacle::Operands)?;
    pieces.push(Piece::Text(text));
    let outputs = operands.iter().enumerate().filter(|(_, operand)| operand.is_output());
    for (idx, operand) in outputs {
        let kept = Piece::Keep(cx.document.range_of(operand.tokens.clone()));
        pieces.extend([Piece::Text("(".to_owned()), kept, Piece::Text(format!(") = ptx_{idx}; "))]);
    }
    if let Some(Piece::Text(last)) = pieces.last_mut() {
        *last = last.trim_end().trim_end_matches(';').to_owned();
    }
    rewrite.edit = Some(Edit { range: statement.range, pieces: wrap(pieces, true, statement.clobbers_memory()) });
    Ok(rewrite)
}

/// The operands and the registers of the body; within it all are read and written.
fn variables(operands: &[Operand], body: &Body) -> Option<Vec<Operand>> {
    let constants = |operand: &&Operand| matches!(operand.class(), "n" | "i");
    let inner = |operand: &Operand| Operand { constraint: format!("+{}", operand.class()), ..operand.clone() };
    let mut all: Vec<Operand> =
        operands.iter().map(|operand| if constants(&operand) { operand.clone() } else { inner(operand) }).collect();
    for (kind, name) in &body.registers {
        let class = match kind.as_str() {
            ".u32" | ".s32" | ".b32" => "r",
            ".u64" | ".s64" | ".b64" => "l",
            ".f32" => "f",
            ".f64" => "d",
            ".pred" => "p",
            _ => return None,
        };
        all.push(Operand { name: Some(name.clone()), constraint: format!("+{class}"), tokens: 0..0 });
    }
    Some(all)
}

/// One instruction with its operands as variables.
fn one(
    cx: &Context<'_>,
    (operands, variables, width): (&[Operand], &[Operand], WaveWidth),
    registers: &FxHashMap<&str, usize>,
    instruction: &Instruction,
    rewrite: &mut Rewrite,
) -> Result<String, Obstacle> {
    let args = instruction.args.iter().flatten().map(|arg| with_registers(arg, registers));
    let instruction = Instruction { args: Some(args.collect()), ..instruction.clone() };
    let value = |idx: usize| constant(cx.document, operands.get(idx)?.tokens.clone());
    let mut fitting = patterns_of(&instruction.op, width)
        .filter_map(|pattern| Some((pattern, pattern.bind(&instruction, variables, &value)?)));
    let (pattern, bindings) = fitting.next().ok_or(Obstacle::Several)?;
    if !rewrite.add(pattern.row, cx.settings.rocm) {
        return Err(Obstacle::Several);
    }
    let out = fill(&pattern.hip, &bindings, &value).ok_or(Obstacle::Several)?;
    let text = out.iter().map(|part| match part {
        Out::Text(text) => text.clone(),
        Out::Operand(idx) => format!("ptx_{idx}"),
    });
    Ok(text.collect())
}

/// Instructions that wait for other threads, and those that use the carry flag: with a guard they are not what they are without.
const UNGUARDED: &[&str] = &[
    "activemask",
    "addc",
    "bar",
    "barrier",
    "bra",
    "brx",
    "call",
    "elect",
    "exit",
    "match",
    "mma",
    "redux",
    "ret",
    "shfl",
    "subc",
    "madc",
    "vote",
    "wgmma",
    "wmma",
];

/// `if (p) { … }`, for an instruction behind `@p` or `@!p`.
fn guarded(
    done: &str,
    instruction: &Instruction,
    (sign, guard): &(bool, Arg),
    (registers, variables): (&FxHashMap<&str, usize>, &[Operand]),
) -> Result<String, Obstacle> {
    let mut parts = instruction.op.split('.');
    let is_bound = parts.next().is_some_and(|head| UNGUARDED.contains(&head)) || parts.any(|part| part == "cc");
    let Arg::Operand(number) = with_registers(guard, registers) else { return Err(Obstacle::Registers) };
    let is_predicate = variables.get(number).is_some_and(|variable| variable.class() == "p");
    if is_bound || !is_predicate {
        return Err(Obstacle::Registers);
    }
    Ok(format!("if ({}ptx_{number}) {{ {done}; }} ", if *sign { "" } else { "!" }))
}

/// The numbers of the registers of a body, behind those of the operands.
fn registers(operands: usize, body: &Body) -> FxHashMap<&str, usize> {
    let mut registers = FxHashMap::default();
    for (number, (_, name)) in body.registers.iter().enumerate() {
        registers.entry(name.as_str()).or_insert(operands + number);
    }
    registers
}

fn with_registers(arg: &Arg, registers: &FxHashMap<&str, usize>) -> Arg {
    let inner = |arg: &Arg| with_registers(arg, registers);
    match arg {
        Arg::Name(name) => registers.get(name.as_str()).map_or_else(|| arg.clone(), |&number| Arg::Operand(number)),
        Arg::Vector(args) => Arg::Vector(args.iter().map(inner).collect()),
        Arg::Pair(first, second) => Arg::Pair(Box::new(inner(first)), Box::new(inner(second))),
        Arg::Memory(base, offset) => Arg::Memory(Box::new(inner(base)), *offset),
        Arg::Operand(_) | Arg::Number(_) => arg.clone(),
    }
}

/// Whether no carry comes from another statement or goes to one, and borrows do not meet carries.
fn carries_stay_inside(body: &Body) -> bool {
    let mut written_by = None;
    let mut is_read = true;
    for instruction in &body.instructions {
        let mut parts = instruction.op.split('.');
        let head = parts.next().unwrap_or_default();
        let subtracts = head.starts_with("sub");
        if matches!(head, "addc" | "subc" | "madc") {
            if written_by != Some(subtracts) {
                return false;
            }
            is_read = true;
        }
        if parts.any(|part| part == "cc") {
            written_by = Some(subtracts);
            is_read = false;
        }
    }
    is_read
}

/// The variables, but registers that no instruction names; where an instruction may not be reached, none is without a value.
fn declare(
    cx: &Context<'_>,
    (operands, variables, has_guards): (&[Operand], &[Operand], bool),
    text: &str,
    pieces: &mut Vec<Piece>,
) -> Option<()> {
    let named = named(text);
    for (idx, variable) in variables.iter().enumerate() {
        let kind = type_of(variable.class())?;
        if idx >= operands.len() && !named.contains(&idx) {
            continue;
        }
        let own = operands.get(idx).filter(|operand| !operand.is_output() || operand.is_in_and_out());
        let Some(operand) = own else {
            let value = if has_guards { " = 0" } else { "" };
            pieces.push(Piece::Text(format!("{kind} ptx_{idx}{value}; ")));
            continue;
        };
        // It is read here and written at the end.
        if operand.is_in_and_out() && !is_plain(cx.document, operand) {
            return None;
        }
        let kept = Piece::Keep(cx.document.range_of(operand.tokens.clone()));
        pieces.extend([Piece::Text(format!("{kind} ptx_{idx} = ({kind})(")), kept, Piece::Text("); ".to_owned())]);
    }
    Some(())
}

/// The numbers of the variables that a text names.
fn named(text: &str) -> FxHashSet<usize> {
    let number = |rest: &str| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest.get(..digits)?.parse().ok()
    };
    text.split("ptx_").skip(1).filter_map(number).collect()
}
