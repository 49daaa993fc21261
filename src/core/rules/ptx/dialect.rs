//! Tells PTX from the assembly of other processors.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::body::{Body, Instruction};
use super::statement::{HOLE, Statement};
use crate::mapping::{PtxInstruction, PtxTable};
use crate::rules::asm::AsmKeyword;
use crate::rules::context::Context;
use crate::syntax::{Call, Document, MacroDefinition, TokenIdx, TokenKind, words};

/// Where a statement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Device,
    Host,
    /// In the body of a macro, which may be used anywhere.
    Macro,
    /// Outside of functions.
    FileScope,
}

/// Whether `statement` is, or may be, PTX.
pub(super) fn may_be_ptx(cx: &Context<'_>, statement: &Statement, body: &Body) -> bool {
    if statement.template.trim().is_empty() || !operands_fit(statement) {
        return false;
    }
    let place = place(cx, statement);
    let Some(first) = body.instructions.first() else { return place == Place::Device };
    let head = head(&first.op);
    let is_known = INSTRUCTIONS.contains_key(head);
    // `v_add_f16`, `s_waitcnt`: AMD's own names have the underscore in their first part.
    if head.contains('_') || is_label(cx.document, statement, first) {
        return false;
    }
    if statement.keyword_is == AsmKeyword::OtherName {
        return is_known && place != Place::Host && names_ptx(statement, body, place);
    }
    match (is_known, place) {
        (_, Place::Device) => true,
        (false, Place::Macro) if head.starts_with(HOLE) => is_given_instruction(cx.document, statement),
        (true, _) => STANDALONE.contains(&&*first.op) || body.instructions.iter().any(has_ptx_part),
        (false, Place::Macro) => body.instructions.iter().any(has_ptx_part),
        (false, Place::Host | Place::FileScope) => false,
    }
}

/// Whether a use of the macro that holds a statement hands over an instruction of PTX: `DEFINE(name, mul.hi.u32)`, `DEFINE(name, "add.cc")`.
fn is_given_instruction(document: &Document, statement: &Statement) -> bool {
    let directive = document.directive_of(statement.keyword);
    let Some(define) = directive.and_then(|directive| MacroDefinition::of(document, directive)) else { return false };
    let is_instruction = |op: &str| INSTRUCTIONS.contains_key(head(op)) && op.split('.').skip(1).any(is_ptx_part);
    let names_instruction = |idx: TokenIdx| match document.kind(idx) {
        Some(TokenKind::Ident) if document.is(idx + 1, b'.') => {
            let goes_on = |at: &TokenIdx| document.kind(*at) == Some(TokenKind::Ident) || document.is(*at, b'.');
            is_instruction(&(idx..idx + FAR).take_while(goes_on).map(|at| document.token_text(at)).collect::<String>())
        }
        Some(TokenKind::Str) => {
            let text = document.token_text(idx).trim_matches('"');
            text.split_whitespace().next().is_some_and(is_instruction)
        }
        _ => false,
    };
    // The first uses tell what all are given.
    let uses = words(document, document.token_text(define.name)).take(MOST_USES);
    uses.filter_map(|name| Call::at(document, name)).any(|call| (call.open..call.close).any(names_instruction))
}

/// Tokens of the name of an instruction at most.
const FAR: usize = 16;

/// Uses of a macro that are looked at.
const MOST_USES: usize = 16;

/// Whether the text in the parentheses of some name is PTX beyond doubt: each of its instructions is one, and ends as such.
fn names_ptx(statement: &Statement, body: &Body, place: Place) -> bool {
    let stands_alone = |instruction: &Instruction| {
        let has_operands = instruction.args.as_ref().is_none_or(|args| !args.is_empty());
        place == Place::Device && STANDALONE.contains(&&*instruction.op) && !has_operands
    };
    let is_ptx = |instruction: &Instruction| {
        INSTRUCTIONS.contains_key(head(&instruction.op)) && (has_ptx_part(instruction) || stands_alone(instruction))
    };
    let ends = statement.template.trim_end().ends_with([';', '}']);
    ends && !statement.template.contains(HOLE) && body.instructions.iter().all(is_ptx)
}

/// What the table says about an instruction: its longest known beginning counts.
pub(super) fn instruction_of(op: &str) -> Option<&'static PtxInstruction> {
    let mut known = op;
    loop {
        if let Some(found) = INSTRUCTIONS.get(known) {
            return Some(found);
        }
        (known, _) = known.rsplit_once('.')?;
    }
}

static INSTRUCTIONS: LazyLock<FxHashMap<&'static str, &'static PtxInstruction>> = LazyLock::new(|| {
    let table = PtxTable::builtin().ok();
    let rows = table.into_iter().flat_map(|table| &table.instructions);
    rows.map(|row| (&*row.op, row)).collect()
});

/// Instructions without any part after a dot.
const STANDALONE: &[&str] = &["trap", "exit", "brkpt"];

fn head(op: &str) -> &str {
    op.split('.').next().unwrap_or(op)
}

/// PTX has no other constraints than these, and no clobber but `memory`.
fn operands_fit(statement: &Statement) -> bool {
    let operands = statement.operands.iter().flatten();
    let letters_fit = |class: &str| matches!(class, "h" | "r" | "l" | "f" | "d" | "n" | "i" | "q" | "C" | "b");
    let mut classes = operands.map(super::statement::Operand::class);
    classes.all(letters_fit) && statement.clobbers.iter().all(|clobber| clobber == "memory")
}

fn place(cx: &Context<'_>, statement: &Statement) -> Place {
    if cx.document.directive_of(statement.keyword).is_some() {
        return Place::Macro;
    }
    match cx.facts.functions.around(statement.keyword) {
        Some(function) if function.runs_on_device() => Place::Device,
        Some(_) => Place::Host,
        None => Place::FileScope,
    }
}

/// `bool f(void*) asm("name");` gives a function another name.
fn is_label(document: &Document, statement: &Statement, first: &Instruction) -> bool {
    let follows_declarator = statement.keyword > 0 && document.is(statement.keyword - 1, b')');
    let is_one_word = !statement.template.contains([' ', ';', '%']);
    statement.is_basic && is_one_word && follows_declarator && !STANDALONE.contains(&&*first.op)
}

/// A part such as `.u32` or `.sync`, which other processors' instructions do not have.
fn has_ptx_part(instruction: &Instruction) -> bool {
    instruction.op.split('.').skip(1).any(is_ptx_part)
}

fn is_ptx_part(part: &str) -> bool {
    let (letter, digits) = part.split_at_checked(1).unwrap_or(("", ""));
    let is_type = matches!(letter, "u" | "s" | "b" | "f") && matches!(digits, "8" | "16" | "32" | "64" | "128");
    // Where a macro supplies a part, as in `ld.` #cop, no other processor has parts at all.
    is_type || PTX_PARTS.contains(&part) || part.contains(HOLE)
}

const PTX_PARTS: &[&str] = &[
    "acq_rel",
    "acquire",
    "aligned",
    "alloc",
    "approx",
    "arrive",
    "async",
    "bf16",
    "bf16x2",
    "commit_group",
    "cta",
    "f16x2",
    "ftz",
    "generic",
    "gl",
    "global",
    "gpu",
    "launch_dependents",
    "pred",
    "rn",
    "sc",
    "shared",
    "sync",
    "sys",
    "wait",
    "wait_all",
    "wait_group",
];
