//! What expressions take out of a lane mask.

use crate::syntax::{Arithmetic, Document, Operand, OperandKind, OperatorKind};

/// `(mask >> shift) & 0xffffffff`: the 32 lanes of a wave that start at one of them.
pub(super) fn cuts_32_lanes(document: &Document, left: &Operand, right: &Operand) -> bool {
    is_full_number(document, right)
        && matches!(&left.kind, OperandKind::Binary(operator, _)
            if operator.kind == OperatorKind::Arithmetic(Arithmetic::ShiftRight))
}

/// `(mask >> lane) & 1`: whether one lane is in it, which is no mask any more.
pub(super) fn tests_bit(document: &Document, right: &Operand) -> bool {
    let OperandKind::Number(token) = right.kind else { return false };
    matches!(document.token_text(token).to_ascii_lowercase().trim_end_matches(['u', 'l']), "1" | "0x1")
}

/// `mask >> (lane & 32)`: the 32 lanes that a lane belongs to come down to bit 0, where code for 32 lanes takes them.
pub(super) fn starts_half(document: &Document, shift: &Operand) -> bool {
    let OperandKind::Binary(operator, parts) = &shift.kind else { return false };
    let is_32 = |operand: &Operand| match operand.kind {
        OperandKind::Number(token) => {
            let text = document.token_text(token).to_ascii_lowercase();
            matches!(text.trim_end_matches(['u', 'l']), "32" | "0x20")
        }
        _ => false,
    };
    operator.kind == OperatorKind::Arithmetic(Arithmetic::BitAnd) && parts.iter().any(is_32)
}

pub(super) fn is_full_number(document: &Document, operand: &Operand) -> bool {
    let OperandKind::Number(token) = operand.kind else { return false };
    document.token_text(token).to_ascii_lowercase().trim_end_matches(['u', 'l']) == "0xffffffff"
}
