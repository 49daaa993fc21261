//! Writes the replacement of an instruction with the operands of the statement in it.

use super::lut::{Bits, expression};
use super::pattern::{Bindings, Bound, Part};
use super::statement::{Operand, Statement};
use crate::source::{Edit, Piece};
use crate::syntax::{Document, TokenIdx, TokenKind};

/// A part of the new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Out {
    /// Text.
    Text(String),
    /// The expression of an operand.
    Operand(usize),
}

/// The replacement `hip` with its slots filled; `value` knows immediate operands.
pub(super) fn fill(hip: &[Part], bindings: &Bindings<'_>, value: &dyn Fn(usize) -> Option<u64>) -> Option<Vec<Out>> {
    let mut out = Vec::new();
    let bound = |name: &str| bindings.iter().find(|(slot, _)| *slot == name).map(|(_, bound)| bound);
    for part in hip {
        match part {
            Part::Text(text) => out.push(Out::Text(text.to_string())),
            Part::Slot(name) => push_bound(bound(name)?, &mut out),
            Part::Lut([table, operands @ ..]) => {
                let table = match bound(table)? {
                    Bound::Operand(idx) => value(*idx)?,
                    Bound::Text(text) => super::body::number(text)?,
                    Bound::Address(..) => return None,
                };
                let operands = operands.iter().map(|name| bound(name)).collect::<Option<Vec<_>>>()?;
                push_bits(expression(u8::try_from(table).ok()?), &operands, &mut out);
            }
        }
    }
    Some(out)
}

fn push_bound(bound: &Bound, out: &mut Vec<Out>) {
    match bound {
        Bound::Operand(idx) => out.push(Out::Operand(*idx)),
        Bound::Text(text) => push_literal(text, out),
        Bound::Address(idx, offset) => {
            let sign = if *offset < 0 { '-' } else { '+' };
            out.push(Out::Text("((unsigned long long)".to_owned()));
            out.push(Out::Operand(*idx));
            out.push(Out::Text(format!(" {sign} {})", offset.unsigned_abs())));
        }
    }
}

/// A number with a suffix reads better than one with a cast.
fn push_literal(text: &str, out: &mut Vec<Out>) {
    let is_word = super::body::number(text).is_some_and(|value| u32::try_from(value).is_ok());
    let is_bare = is_word && text.bytes().last().is_some_and(|byte| byte.is_ascii_hexdigit());
    for (cast, suffix) in [("(unsigned)", "u"), ("(unsigned long long)", "ull")] {
        if let Some(Out::Text(before)) = out.last_mut().filter(|_| is_bare)
            && let Some(head) = before.strip_suffix(cast)
        {
            *before = format!("{head}{text}{suffix}");
            return;
        }
    }
    out.push(Out::Text(text.to_owned()));
}

fn push_bits(bits: &Bits, operands: &[&Bound], out: &mut Vec<Out>) {
    let text = |text: &str| Out::Text(text.to_owned());
    match bits {
        Bits::Zero => out.push(text("0u")),
        Bits::Ones => out.push(text("~0u")),
        Bits::Operand(idx) => {
            out.push(text("(unsigned)"));
            if let Some(bound) = operands.get(*idx) {
                push_bound(bound, out);
            }
        }
        Bits::Not(a) => {
            out.push(text("~"));
            push_bits(a, operands, out);
        }
        Bits::And(a, b) => push_pair(a, " & ", b, (operands, out)),
        Bits::Or(a, b) => push_pair(a, " | ", b, (operands, out)),
        Bits::Xor(a, b) => push_pair(a, " ^ ", b, (operands, out)),
    }
}

fn push_pair(a: &Bits, sign: &str, b: &Bits, (operands, out): (&[&Bound], &mut Vec<Out>)) {
    out.push(Out::Text("(".to_owned()));
    push_bits(a, operands, out);
    out.push(Out::Text(sign.to_owned()));
    push_bits(b, operands, out);
    out.push(Out::Text(")".to_owned()));
}

/// The edit that puts `out` in the place of the statement. Every operand is evaluated once: one
/// that is needed more often and is no plain expression gets a name first. `None` if that
/// cannot be done.
pub(super) fn edit(document: &Document, statement: &Statement, out: &[Out], is_fence: bool) -> Option<Edit> {
    let operands = statement.operands.as_ref()?;
    let in_macro = document.directive_of(statement.keyword).is_some();
    let uses = |idx: usize| out.iter().filter(|part| **part == Out::Operand(idx)).count();
    let plain: Vec<bool> = operands.iter().map(|operand| is_plain(document, operand)).collect();
    if (0..operands.len()).any(|idx| uses(idx) == 0 && !plain.get(idx).is_some_and(|plain| *plain)) {
        return None;
    }
    let is_named = |idx: usize| uses(idx) > 1 && (in_macro || !plain.get(idx).is_some_and(|plain| *plain));
    let mut pieces = Vec::new();
    for (idx, operand) in operands.iter().enumerate().filter(|(idx, _)| is_named(*idx)) {
        let kept = Piece::Keep(document.range_of(operand.tokens.clone()));
        let (before, after) = declaration(operand, idx)?;
        pieces.extend([Piece::Text(before), kept, Piece::Text(after)]);
    }
    let has_names = !pieces.is_empty();
    for part in out {
        match part {
            Out::Text(text) => pieces.push(Piece::Text(text.clone())),
            Out::Operand(idx) if is_named(*idx) => pieces.push(Piece::Text(name(*idx))),
            Out::Operand(idx) => push_operand(document, operands.get(*idx)?, in_macro, &mut pieces),
        }
    }
    if clashes(document, operands, &pieces) {
        return None;
    }
    let has_barrier = statement.clobbers_memory() && !is_fence;
    Some(Edit { range: statement.range, pieces: wrap(pieces, has_names, has_barrier) })
}

/// What a `memory` clobber asks of the compiler, in a form that every target takes.
const BARRIER: &str = "__asm__ volatile(\"\" ::: \"memory\")";

/// Puts a block around `pieces` if they need one.
pub(super) fn wrap(mut pieces: Vec<Piece>, has_names: bool, has_barrier: bool) -> Vec<Piece> {
    if !has_names && !has_barrier {
        return pieces;
    }
    let barrier = if has_barrier { format!("{BARRIER}; ") } else { String::new() };
    pieces.insert(0, Piece::Text(format!("do {{ {barrier}")));
    pieces.push(Piece::Text(format!("; {barrier}}} while (0)")));
    pieces
}

fn name(idx: usize) -> String {
    format!("ptx_{idx}")
}

fn declaration(operand: &Operand, idx: usize) -> Option<(String, String)> {
    let name = name(idx);
    if operand.is_output() {
        return Some((format!("auto& {name} = "), "; ".to_owned()));
    }
    let kind = type_of(operand.class())?;
    Some((format!("const {kind} {name} = ({kind})("), "); ".to_owned()))
}

/// The C++ type of a constraint letter; `p` is that of predicates, which no operand has.
pub(super) fn type_of(class: &str) -> Option<&'static str> {
    Some(match class {
        "r" => "unsigned",
        "l" => "unsigned long long",
        "h" => "unsigned short",
        "f" => "float",
        "d" => "double",
        "p" => "bool",
        "n" | "i" => "long long",
        _ => return None,
    })
}

fn push_operand(document: &Document, operand: &Operand, in_macro: bool, pieces: &mut Vec<Piece>) {
    let kept = Piece::Keep(document.range_of(operand.tokens.clone()));
    if !in_macro && is_postfix(document, operand) {
        pieces.push(kept);
    } else {
        pieces.extend([Piece::Text("(".to_owned()), kept, Piece::Text(")".to_owned())]);
    }
}

/// Whether a cast may stand before the expression without parentheses around it.
fn is_postfix(document: &Document, operand: &Operand) -> bool {
    let first = operand.tokens.start;
    if operand.tokens.len() == 1 {
        return !may_be_macro(document, first);
    }
    let mut idx = first;
    let starts_well =
        document.token(first).is_some_and(|token| token.kind == TokenKind::Ident) || document.is(first, b'(');
    let mut after_bracket = document.is(first, b'(');
    while idx < operand.tokens.end {
        match document.token(idx).map(|token| token.kind) {
            // `(type)name` is a cast.
            Some(TokenKind::Ident) => {
                if after_bracket && idx > first || may_be_macro(document, idx) {
                    return false;
                }
                after_bracket = false;
            }
            Some(TokenKind::Punct(b'.') | TokenKind::Arrow | TokenKind::PathSep) => after_bracket = false,
            Some(TokenKind::Punct(b'[' | b'(')) => {
                let Some(close) = document.partner(idx).filter(|&close| close > idx) else { return false };
                idx = close;
                after_bracket = true;
            }
            _ => return false,
        }
        idx += 1;
    }
    starts_well
}

/// Names in capitals may be macros that stand for an expression.
fn may_be_macro(document: &Document, idx: TokenIdx) -> bool {
    let is_name = document.token(idx).is_some_and(|token| token.kind == TokenKind::Ident);
    let text = document.token_text(idx);
    is_name && text.len() > 1 && !text.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Short, and without calls, assignments and increments: may be written twice or left out.
pub(super) fn is_plain(document: &Document, operand: &Operand) -> bool {
    let tokens = operand.tokens.clone();
    let is_short = tokens.len() <= 9;
    is_short
        && tokens.clone().all(|idx| {
            let twice = |byte| document.is(idx, byte) && document.is(idx + 1, byte);
            let is_call =
                document.token(idx).is_some_and(|token| token.kind == TokenKind::Ident) && document.is(idx + 1, b'(');
            !(document.is(idx, b'=') || twice(b'+') || twice(b'-') || is_call && idx + 1 < tokens.end)
        })
}

/// Whether an operand uses a name that the new text declares.
fn clashes(document: &Document, operands: &[Operand], pieces: &[Piece]) -> bool {
    let tokens = operands.iter().flat_map(|operand| operand.tokens.clone());
    let mut own = tokens.map(|idx| document.token_text(idx)).filter(|text| text.starts_with("ptx_"));
    own.any(|text| pieces.iter().any(|piece| matches!(piece, Piece::Text(new) if new.contains(text))))
}

/// Whether `name` is one that the new text `text` declares, or that operands have there.
pub(super) fn declares(text: &str, name: &str) -> bool {
    name.strip_prefix("ptx_").is_some_and(|rest| text.contains(name) || rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The value of an expression that is one integer literal.
pub(super) fn constant(document: &Document, tokens: std::ops::Range<TokenIdx>) -> Option<u64> {
    let token = document.token(tokens.start).filter(|token| tokens.len() == 1 && token.kind == TokenKind::Number)?;
    let text = document.slice(token.range()).replace('\'', "");
    super::body::number(text.trim_end_matches(['u', 'U', 'l', 'L']))
}
